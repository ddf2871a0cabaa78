"""Residency as a function of one knob: plateaus, sweeps, the next cliff either way, and what to change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from occusite.result import Device


class Plateau(NamedTuple):
    """`first`–`last`: the knob's values with the same residency; `blocks` of the first value, `warps` of all."""

    first: int
    last: int
    blocks: int
    warps: int


class Point(NamedTuple):
    """One point of a sweep: the knob's `value` and what is resident."""

    value: int
    blocks: int
    warps: int


class Cliff(NamedTuple):
    """A step of the staircase: at `value`, `change` away from the launch's own, `warps` are resident."""

    knob: str
    value: int
    change: int
    blocks: int
    warps: int


class Cliffs(NamedTuple):
    """The nearest step to more resident warps and the nearest to fewer; None where there is none."""

    better: Cliff | None
    worse: Cliff | None


def field_of(launch: Any, knob: str) -> str:
    """The launch's field for a knob; "shared_memory" means the dynamic part where a launch has one.

    Raises `ValueError` for a knob the launch does not have.
    """
    if knob == "shared_memory" and not _settable(launch, knob) and _settable(launch, "dynamic_shared"):
        return "dynamic_shared"
    if not _settable(launch, knob):
        knobs = ", ".join(f for f in type(launch).__dataclass_fields__ if type(getattr(launch, f)) is int)
        raise ValueError(f"knob: {knob!r} is not allowed; give one of {knobs}")
    return knob


def _settable(launch: Any, field: str) -> bool:
    return field in type(launch).__dataclass_fields__


def resident(device: Device, launch: Any, knob: str) -> Callable[[int], tuple[int, int]]:
    """A function from the knob's value to (blocks, warps), all else as in `launch`; the device's fast path if any."""
    field = field_of(launch, knob)
    along = getattr(device, "along", None)
    fast: Callable[[int], tuple[int, int]] | None = along(launch, field) if along else None
    if fast:
        return fast

    def answer(value: int) -> tuple[int, int]:
        found = device.occupancy(replace(launch, **{field: value}))
        return found.blocks, found.warps

    return answer


def span(device: Device, launch: Any, knob: str) -> tuple[int, int]:
    """The knob's values worth looking at, first and last."""
    field = field_of(launch, knob)
    if field == "registers":
        return 1, 255
    if field == "threads":
        return 1, getattr(device, "max_threads_per_block", 1024)
    if "shared" in field:
        most = max(getattr(device, "shared_memory_per_block_opt_in", 0), getattr(device, "shared_memory_per_block", 0))
        return 0, most or int(getattr(device, "shared_memory", 0)) or 48 * 1024
    if field == "barriers":
        return 0, 16
    raise ValueError(f"knob: {knob!r} has no range of its own; give first and last")


def plateaus(
    device: Device, launch: Any, knob: str = "registers", first: int | None = None, last: int | None = None
) -> tuple[Plateau, ...]:
    """The staircase from `first` to `last` (default: the knob's whole range) as plateaus of equal resident warps.

    Registers, shared memory and barriers are appetites: residency never grows with them, so the edges are found by
    halving. Threads are looked at one by one.
    """
    low, high = _range(device, launch, knob, first, last)
    answer = resident(device, launch, knob)
    found = []
    start = low
    while start <= high:
        blocks, warps = answer(start)
        end = _last_like(answer, warps, start, high, by_halving=field_of(launch, knob) != "threads")
        found.append(Plateau(start, end, blocks, warps))
        start = end + 1
    return tuple(found)


def sweep(device: Device, launch: Any, knob: str, values: Iterable[int] | None = None) -> tuple[Point, ...]:
    """What is resident at each of the knob's `values` (default: its whole range), all else as in `launch`."""
    low, high = _range(device, launch, knob, None, None) if values is None else (0, 0)
    answer = resident(device, launch, knob)
    return tuple(Point(v, *answer(v)) for v in (range(low, high + 1) if values is None else values))


def next_cliff(device: Device, launch: Any, knob: str) -> Cliffs:
    """The nearest value of `knob` with more warps resident, and the nearest with fewer.

    For an appetite the first lies below the launch's value and the second above; for threads either may lie on
    either side, and of two equally near the smaller is given.
    """
    field = field_of(launch, knob)
    here = getattr(launch, field)
    low, high = _range(device, launch, knob, None, None)
    high = max(high, here)
    answer = resident(device, launch, knob)
    _, warps = answer(here)
    if field == "threads":
        order = sorted(range(low, high + 1), key=lambda v: (abs(v - here), v))
        better = next((v for v in order if answer(v)[1] > warps), None)
        worse = next((v for v in order if answer(v)[1] < warps), None)
    else:
        start = _first_like(answer, warps, low, here)
        end = _last_like(answer, warps, here, high, by_halving=True)
        better = start - 1 if start > low else None
        worse = end + 1 if end < high else None

    def cliff(value: int | None) -> Cliff | None:
        return None if value is None else Cliff(knob, value, value - here, *answer(value))

    return Cliffs(cliff(better), cliff(worse))


def _range(device: Device, launch: Any, knob: str, first: int | None, last: int | None) -> tuple[int, int]:
    if first is not None and last is not None:
        return first, last
    low, high = span(device, launch, knob)
    return (low if first is None else first), (high if last is None else last)


def _last_like(answer: Callable[[int], tuple[int, int]], warps: int, start: int, high: int, *, by_halving: bool) -> int:
    if not by_halving:
        while start < high and answer(start + 1)[1] == warps:
            start += 1
        return start
    beyond = high + 1
    while beyond - start > 1:
        middle = (start + beyond) // 2
        if answer(middle)[1] == warps:
            start = middle
        else:
            beyond = middle
    return start


def _first_like(answer: Callable[[int], tuple[int, int]], warps: int, low: int, end: int) -> int:
    before = low - 1
    while end - before > 1:
        middle = (before + end) // 2
        if answer(middle)[1] == warps:
            end = middle
        else:
            before = middle
    return end
