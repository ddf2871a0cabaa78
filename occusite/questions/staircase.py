"""Residency as a function of one knob: plateaus, sweeps, the next cliff either way, and what to change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from occusite.model.answer import BUDGET_NAMES, Device, Occupancy

# What a kernel's author can turn to ease a budget, first choice first.
KNOBS = {
    "registers": ("registers",),
    "shared_memory": ("shared_memory", "dynamic_shared", "static_shared"),
    "barriers": ("barriers",),
    "virtual": ("virtual",),
}


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


class Change(NamedTuple):
    """One thing to change: `knob` from `before` to `after`, for the sake of `budget`; None where no value helps."""

    budget: str
    knob: str
    before: int
    after: int | None


class Advice(NamedTuple):
    """What to change so that more warps are resident: **all** of `changes` together.

    `now` and `then` are the launch's answers before and after; `then` is None where some budget cannot be eased by
    the kernel's author, or nothing is to gain.
    """

    now: Occupancy
    changes: tuple[Change, ...]
    then: Occupancy | None

    @property
    def sentence(self) -> str:
        """The advice in one sentence."""
        now, then = self.now, self.then
        if now.warps == now.slots:
            return f"All {now.slots} warp slots are taken: there is no more to gain."
        if not self.changes:
            return f"This launch cannot run: {now.reason}."
        if then is None:
            stuck = [c for c in self.changes if c.after is None]
            knobs = dict.fromkeys(c.knob.replace("_", " ") for c in stuck)
            budgets = dict.fromkeys(BUDGET_NAMES[c.budget] for c in stuck)
            return f"No other value of {_listed(list(knobs))} eases {_listed(list(budgets))}."
        moves = [f"{c.knob.replace('_', ' ')} {c.before:,} → {c.after:,}" for c in self.changes]
        tie = ""
        if len(now.binding) > 1 and now.runs:
            together = ", so change them together" if len(self.changes) > 1 else ""
            tie = f"{now.limiter} bind together{together}: "
        text = f"{tie}{_listed(moves)} makes {then.warps} of {then.slots} warps resident instead of {now.warps}."
        return text[0].upper() + text[1:]


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


def advice(device: Device, launch: Any) -> Advice:
    """What to change to have more warps resident: every budget that binds, eased by as little as is enough.

    Where several budgets tie, easing one alone gains nothing; the changes belong together. Where warp or block slots
    bind, the block moves to the nearest size of whole warps that leaves more warps resident. Registers, shared memory
    and barriers are lowered to the most that allows one more block, unless the new block size is enough.
    """
    now = device.occupancy(launch)
    if now.warps == now.slots:
        return Advice(now, (), None)
    slots = next((b for b in now.binding if b in ("warps", "blocks")), "")
    size = _better_size(device, launch, now.warps) if slots else None
    changes: list[Change] = []
    eased = launch
    if not size:
        for budget in now.binding:
            if budget in KNOBS:
                found, eased = _ease(device, launch, eased, budget, now.blocks + 1)
                changes += found
        size = _better_size(device, eased, now.warps) if slots else None
    if slots:
        changes.append(Change(slots, "threads", launch.threads, size))
        if size:
            changes, eased = _relax(device, changes, replace(eased, threads=size))
    possible = changes and all(c.after is not None for c in changes)
    return Advice(now, tuple(changes), device.occupancy(eased) if possible else None)


def _better_size(device: Device, launch: Any, warps: int) -> int | None:
    """The nearest block size of whole warps with more than `warps` resident."""
    if not _settable(launch, "threads"):
        return None
    answer = resident(device, launch, "threads")
    sizes = sorted(range(32, span(device, launch, "threads")[1] + 1, 32), key=lambda v: (abs(v - launch.threads), v))
    return next((v for v in sizes if answer(v)[1] > warps), None)


def _ease(device: Device, launch: Any, eased: Any, budget: str, blocks: int) -> tuple[list[Change], Any]:
    """The changes with which `budget` alone allows `launch` to have `blocks`, and `eased` with them made as well."""
    changes: list[Change] = []
    for field in KNOBS[budget]:
        if not _settable(launch, field):
            continue
        here = getattr(launch, field)
        low = 1 if field == "registers" else 0
        value = _most(partial(_allows, device, launch, field, budget, blocks), low, here)
        changes.append(Change(budget, field, here, value))
        if value is not None:
            eased = replace(eased, **{field: value})
            return [c if c.after is not None else c._replace(after=0) for c in changes if c.before], eased
        launch, eased = replace(launch, **{field: low}), replace(eased, **{field: low})
    return changes[-1:], eased


def _relax(device: Device, changes: list[Change], eased: Any) -> tuple[list[Change], Any]:
    """The changes to appetites taken back as far as the new block size lets them be; without those taken back whole."""
    warps = device.occupancy(eased).warps
    relaxed = []
    for change in changes:
        if change.knob != "threads" and change.after is not None:
            value = _most(partial(_keeps, device, eased, change.knob, warps), change.after, change.before)
            change = change._replace(after=value)
            eased = replace(eased, **{change.knob: value})
        if change.after != change.before:
            relaxed.append(change)
    return relaxed, eased


def _keeps(device: Device, launch: Any, field: str, warps: int, value: int) -> bool:
    return device.occupancy(replace(launch, **{field: value})).warps >= warps


def _allows(device: Device, launch: Any, field: str, budget: str, blocks: int, value: int) -> bool:
    limit = device.occupancy(replace(launch, **{field: value})).limits[budget]
    return limit is None or limit >= blocks


def _most(fits: Callable[[int], bool], low: int, high: int) -> int | None:
    """The largest value from `low` to `high` that fits, where smaller ones fit too; None when not even `low` does."""
    if not fits(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _listed(items: list[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


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
