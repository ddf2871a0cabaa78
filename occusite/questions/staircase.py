"""Residency as a function of one field of a launch: values, plateaus, and stretches with the same limiters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache, partial
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


def is_appetite(device: Device, launch: Any, field: Field) -> bool:
    """Whether the field takes from one budget: residency falls with it, but for the device's turns. Block size is none."""
    return any(b.key == field.eases and b.slot != "warps" for b in device.budgets)


def falling(device: Device, launch: Any, field: Field, low: int, high: int) -> list[tuple[int, int]]:
    """The values of an appetite from `low` to `high` cut at the device's turns: in each part residency never grows."""
    ends = [turn for turn in device.turns(launch, field) if low <= turn < high]
    return list(zip([low, *(end + 1 for end in ends)], [*ends, high], strict=True)) if low <= high else []


def last_where(holds: Callable[[int], bool], first: int, last: int) -> int | None:
    """The last value from `first` to `last` where `holds`, which is true up to there and false after it; None: nowhere."""
    if not holds(first):
        return None
    beyond = last + 1
    while beyond - first > 1:
        middle = (first + beyond) // 2
        first, beyond = (middle, beyond) if holds(middle) else (first, middle)
    return first


def plateaus(
    answer: Occupancy, name: str = "registers", first: int | None = None, last: int | None = None
) -> tuple[Plateau, ...]:
    """The staircase from `first` to `last` (default: the device's range) as plateaus of equal resident warps.

    All other fields are those of the answer's launch. Edges of an appetite are found by halving, since residency
    falls along it; every value of another field is looked at.
    """
    device, launch = answer.device, answer.launch
    field = field_of(launch, name)
    low, high = _range(device, field, first, last)
    residency = device.counter(launch, field.name)
    appetite = is_appetite(device, launch, field)
    parts = falling(device, launch, field, low, high) if appetite else [(v, v) for v in range(low, high + 1)]
    steps: list[Plateau] = []
    for start, end in parts:
        while start <= end:
            blocks, warps = residency(start)
            same = last_where(partial(_resident, residency, warps), start, end)
            assert same is not None
            if steps and steps[-1].warps == warps:
                steps[-1] = steps[-1]._replace(last=same)
            else:
                steps.append(Plateau(start, same, blocks, warps))
            start = same + 1
    return tuple(steps)


def _resident(residency: Callable[[int], tuple[int, int]], warps: int, value: int) -> bool:
    return residency(value)[1] == warps


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

    field = field_of(launch, name)
    parts: list[Stretch] = []
    for step in plateaus(device.occupancy(launch), name):
        for start, end in falling(device, launch, field, step.first, step.last):
            while start <= end:
                here = limiters(start)
                same = last_where(partial(_limited, limiters, here), start, end)
                assert same is not None
                before = parts[-1] if parts else None
                if before and (before.warps, before.limiters) == (step.warps, here):
                    parts[-1] = before._replace(last=same)
                else:
                    parts.append(Stretch(start, same, step.warps, here))
                start = same + 1
    return tuple(parts)


def _limited(limiters: Callable[[int], tuple[str, ...]], here: tuple[str, ...], value: int) -> bool:
    return limiters(value) == here


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


def _range(device: Device, field: Field, first: int | None, last: int | None) -> tuple[int, int]:
    low, high = device.range(field)
    return (low if first is None else first), (high if last is None else last)
