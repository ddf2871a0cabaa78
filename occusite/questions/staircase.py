"""Residency as a function of one field of a launch: values, plateaus, and stretches with the same limiters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from occusite.model.answer import Device, Occupancy
from occusite.model.fields import Field


class Point(NamedTuple):
    """One point of a sweep: the field's `value` and what is resident."""

    value: int
    blocks: int
    warps: int


class Plateau(NamedTuple):
    """`first`–`last`: the field's values with the same residency; `blocks` of the first value, `warps` of all."""

    first: int
    last: int
    blocks: int
    warps: int


class Stretch(NamedTuple):
    """Values of a field, `first` to `last`, with the same resident warps and the same limiters."""

    first: int
    last: int
    warps: int
    limiters: tuple[str, ...]


def field_of(launch: Any, name: str) -> Field:
    """The launch's whole-number field of that name; "shared_memory" means the dynamic part where a launch has one.

    Raises `ValueError` for a field the launch does not have or that is no whole number.
    """
    fields: dict[str, Field] = {field.name: field for field in launch.FIELDS if field.whole}
    if name == "shared_memory" and name not in fields:
        name = "dynamic_shared" if "dynamic_shared" in fields else name
    if name not in fields:
        raise ValueError(f"field: {name!r} is not allowed; give one of {', '.join(fields)}")
    return fields[name]


def grows(device: Device, launch: Any, name: str) -> bool:
    """Whether the field is an appetite: residency never grows with it. Block size is none, nor is a mode."""
    eases = field_of(launch, name).eases
    return any(b.key == eases and b.slot != "warps" for b in device.budgets)


def plateaus(
    answer: Occupancy, name: str = "registers", first: int | None = None, last: int | None = None
) -> tuple[Plateau, ...]:
    """The staircase from `first` to `last` (default: the device's range) as plateaus of equal resident warps.

    All other fields are those of the answer's launch. Edges of an appetite are found by halving, since residency
    never grows with it; every value of another field is looked at.
    """
    device, launch = answer.device, answer.launch
    field = field_of(launch, name)
    low, high = _range(device, field, first, last)
    residency = device.counter(launch, field.name)
    halving = grows(device, launch, field.name)
    steps = []
    while low <= high:
        blocks, warps = residency(low)
        end = last_alike(residency, warps, low, high, halving=halving)
        steps.append(Plateau(low, end, blocks, warps))
        low = end + 1
    return tuple(steps)


def sweep(answer: Occupancy, name: str, values: Iterable[int] | None = None) -> tuple[Point, ...]:
    """What is resident at each of the field's `values` (default: the device's range), all else as in the launch."""
    field = field_of(answer.launch, name)
    residency = answer.device.counter(answer.launch, field.name)
    if values is None:
        low, high = answer.device.range(field)
        values = range(low, high + 1)
    return tuple(Point(v, *residency(v)) for v in values)


def stretches(answer: Occupancy, name: str = "registers") -> tuple[Stretch, ...]:
    """The staircase, cut where the warps change and where another budget begins to limit as well."""
    launch, field = answer.launch, field_of(answer.launch, name)
    # The staircase does not depend on where the launch stands on it: one for all values of the field.
    return _stretches(answer.device, replace(launch, **{field.name: answer.device.range(field)[0]}), field.name)


@lru_cache(maxsize=64)
def _stretches(device: Device, launch: Any, name: str) -> tuple[Stretch, ...]:
    def limiters(value: int) -> tuple[str, ...]:
        return device.occupancy(replace(launch, **{name: value})).limiters

    parts = []
    for step in plateaus(device.occupancy(launch), name):
        start, beyond = step.first, step.last + 1
        here = limiters(start)
        while start < beyond:
            low, high = start, beyond
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if limiters(middle) == here else (low, middle)
            parts.append(Stretch(start, low, step.warps, here))
            start = low + 1
            here = limiters(start) if start < beyond else here
    return tuple(parts)


def whole_steps(answer: Occupancy, name: str = "registers") -> list[Stretch]:
    """The staircase's whole steps; a step's limiters are those that limit on all of it."""
    merged: list[Stretch] = []
    for part in stretches(answer, name):
        if merged and merged[-1].warps == part.warps:
            before = merged[-1]
            both = tuple(b for b in before.limiters if b in part.limiters)
            merged[-1] = Stretch(before.first, part.last, part.warps, both)
        else:
            merged.append(part)
    return merged


def last_alike(residency: Callable[[int], tuple[int, int]], warps: int, start: int, high: int, *, halving: bool) -> int:
    """The last value from `start` to `high` up to which `warps` warps are resident."""
    if not halving:
        while start < high and residency(start + 1)[1] == warps:
            start += 1
        return start
    beyond = high + 1
    while beyond - start > 1:
        middle = (start + beyond) // 2
        start, beyond = (middle, beyond) if residency(middle)[1] == warps else (start, middle)
    return start


def first_alike(residency: Callable[[int], tuple[int, int]], warps: int, low: int, end: int) -> int:
    """The first value from `low` to `end` from which on `warps` warps are resident, for an appetite."""
    before = low - 1
    while end - before > 1:
        middle = (before + end) // 2
        before, end = (before, middle) if residency(middle)[1] == warps else (middle, end)
    return end


def _range(device: Device, field: Field, first: int | None, last: int | None) -> tuple[int, int]:
    low, high = device.range(field)
    return (low if first is None else first), (high if last is None else last)
