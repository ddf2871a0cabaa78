"""The nearest steps of a launch's staircase, up and down, and what to change: "3 registers fewer: 40 warps"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from occusite.model.answer import Device, Occupancy, budgets_of
from occusite.model.fields import Field
from occusite.model.terms import counted, grouped, joined
from occusite.questions.staircase import falling, field_of, is_appetite, last_where

Number = Callable[[int], str]


class Cliff(NamedTuple):
    """A step of the staircase: with `field` at `value`, `change` away from the launch's own, `warps` are resident.

    `budget`: the key of the budget that the field eases.
    """

    field: str
    budget: str
    value: int
    change: int
    blocks: int
    warps: int


class Nearest(NamedTuple):
    """The nearest step to more resident warps and the nearest to fewer; None where there is none."""

    better: Cliff | None
    worse: Cliff | None

    def record(self) -> dict[str, Any]:
        """Both steps as plain data."""
        return {name: cliff and cliff._asdict() for name, cliff in zip(self._fields, self, strict=True)}


class Change(NamedTuple):
    """One thing to change: `field` from `before` to `after`, for the sake of `budget`; None where no value helps."""

    budget: str
    field: str
    before: int
    after: int | None


class Advice(NamedTuple):
    """What to change so that more warps are resident: **all** of `changes` together.

    `now` and `then` are the answers before and after; `then` is None where some limiter cannot be eased by the
    kernel's author, or nothing is to gain.
    """

    now: Occupancy
    changes: tuple[Change, ...]
    then: Occupancy | None

    @property
    def sentence(self) -> str:
        """The advice in one sentence of plain text."""
        return self.words()

    def words(self, number: Number = grouped) -> str:
        """The advice in one sentence, each number set by `number`."""
        now, then = self.now, self.then
        warps = f"{now.device.terms.warp}s"
        if now.warps == now.slots:
            return f"All {now.slots} {now.device.terms.warp} slots are taken: there is no more to gain."
        if not self.changes:
            return f"This launch cannot run: {now.why(number)}."
        if then is None:
            stuck = [c for c in self.changes if c.after is None]
            fields = dict.fromkeys(_plain(c.field) for c in stuck)
            budgets = dict.fromkeys(now.budget(c.budget).name for c in stuck)
            return f"No other value of {joined(list(fields))} eases {joined(list(budgets))}."
        tie = ""
        if len(now.limiters) > 1 and now.runs:
            together = ", so change them together" if len(self.changes) > 1 else ""
            tie = f"{now.limiter} bind together{together}: "
        made = f"makes {then.warps} of {then.slots} {warps} resident instead of {now.warps}."
        text = f"{tie}{self.moves(number)} {made}"
        return text[0].upper() + text[1:]

    def moves(self, number: Number = grouped) -> str:
        """What to change, from and to: "registers 41 → 40 and dynamic shared 24,576 → 20,480"."""
        return joined(
            [f"{_plain(c.field)} {number(c.before)} → {number(c.after)}" for c in self.changes if c.after is not None]
        )


def next_step(answer: Occupancy, name: str) -> Nearest:
    """The nearest value of the field with more warps resident, and the nearest with fewer.

    For an appetite the first lies below the launch's value and the second above, unless the device has turns; for
    another field either may lie on either side. Of two equally near the smaller is given.
    """
    device, launch = answer.device, answer.launch
    field = field_of(launch, name)
    here: int = getattr(launch, field.name)
    warps = answer.warps
    low, high = device.range(field)
    residency = device.counter(launch, field.name)

    def distance(value: int) -> int:
        # Values come in ascending order, so of two equally near the smaller is taken.
        return abs(value - here)

    if is_appetite(device, launch, field):
        more, fewer = [], []
        for first, last in falling(device, launch, field, min(low, here), max(high, here)):
            rich = last_where(lambda v: residency(v)[1] > warps, first, last)
            level = last_where(lambda v: residency(v)[1] >= warps, first, last)
            if rich is not None:
                more.append(min(max(here, first), rich))
            poor = first if level is None else level + 1
            if poor <= last:
                fewer.append(min(max(here, poor), last))
        better, worse = min(more, key=distance, default=None), min(fewer, key=distance, default=None)
    else:
        order = sorted(range(low, max(high, here) + 1), key=distance)
        better = next((v for v in order if residency(v)[1] > warps), None)
        worse = next((v for v in order if residency(v)[1] < warps), None)

    def cliff(value: int | None) -> Cliff | None:
        return None if value is None else Cliff(field.name, field.eases, value, value - here, *residency(value))

    return Nearest(cliff(better), cliff(worse))


def by_budget(answer: Occupancy, *, block_size: bool = True) -> dict[str, Nearest]:
    """Both steps of each budget that a field eases, by the budget's key: static and dynamic memory count as one.

    Rarely set fields are looked at where their budget limits; block size, under the key of its budget, is left out
    without `block_size`.
    """
    device, launch, pooled = answer.device, answer.launch.pooled(), answer
    if launch is not answer.launch:
        pooled = device.occupancy(launch)
    if pooled.blocks != answer.blocks:  # refused for its static part alone, which other sizes of the dynamic leave
        launch, pooled = answer.launch, answer
    steps: dict[str, Nearest] = {}
    sizes: dict[str, Nearest] = {}
    for budget in device.budgets:
        field = _eased_by(launch, budget.key)
        if field is None or (field.rare and budget.key not in answer.limiters):
            continue
        if budget.slot != "warps":
            steps[budget.key] = next_step(pooled, field.name)
        elif block_size:
            sizes[budget.key] = next_step(pooled, field.name)
    return steps | sizes


def nearest(answer: Occupancy) -> Nearest:
    """The step, up and down, that moves its field least in proportion to the field's whole range; not block size."""
    device, launch = answer.device, answer.launch.pooled()

    def effort(cliff: Cliff) -> float:
        return abs(cliff.change) / device.range(field_of(launch, cliff.field))[1]

    steps = list(by_budget(answer, block_size=False).values())
    return Nearest(
        # One budget at most: a second one that limits would have to be eased with it.
        next((s.better for s in steps if s.better), None),
        min((s.worse for s in steps if s.worse), key=effort, default=None),
    )


def words(device: Device, cliff: Cliff | None, number: Number = grouped) -> str:
    """The step as what to change and what it gives: "3 registers fewer: 40 warps"; "–" where there is none."""
    if cliff is None:
        return "–"
    amount, more = abs(cliff.change), cliff.change > 0
    field = field_of(device.launch_type, cliff.field)
    (budget,) = budgets_of(device, (cliff.budget,))
    if budget.slot == "warps":
        what = counted(cliff.value, field.unit, number)
    elif field.kind == "bytes":
        what = f"{counted(amount, field.unit, number)} {'more' if more else 'less'} {budget.name}"
    else:
        what = f"{counted(amount, field.unit, number)} {'more' if more else 'fewer'}"
    return f"{what}: {counted(cliff.warps, device.terms.warp + 's')}" if cliff.warps else f"{what}: cannot run"


def together(answer: Occupancy, number: Number = grouped) -> str:
    """What to change at once where several appetites tie, so that no single one helps: "… and …: 48 warps"; else ""."""
    slots = {b.key: b.slot for b in answer.device.budgets}
    if len(answer.limiters) < 2 or not answer.runs or any(slots[b] in ("warps", "blocks") for b in answer.limiters):
        return ""
    advised = advice(answer)
    if advised.then is None:
        return ""
    return f"{advised.moves(number)}: {counted(advised.then.warps, answer.device.terms.warp + 's')}"


def way_up(answer: Occupancy, around: Nearest, number: Number = grouped) -> str:
    """The better of the nearest steps `around` in words, or what to change together; "–" where there is neither."""
    return words(answer.device, around.better, number) if around.better else together(answer, number) or "–"


def step_up(answer: Occupancy, number: Number = grouped, around: Nearest | None = None) -> str:
    """The way to more resident warps in a few words, for a column; `around`: the nearest steps where they are known."""
    if answer.runs and answer.warps == answer.slots:
        return f"all {answer.slots} {answer.device.terms.warp} slots are taken"
    return way_up(answer, around or nearest(answer), number)


def advice(answer: Occupancy) -> Advice:
    """What to change to have more warps resident: every limiter eased by as little as is enough.

    Where several budgets tie, easing one alone gains nothing; the changes belong together. Where warp or block slots
    limit, the block moves to the nearest size of whole warps that leaves more warps resident. Appetites are lowered
    to the most that allows one more block, unless the new block size is enough.
    """
    device, launch, now = answer.device, answer.launch, answer
    if now.warps == now.slots:
        return Advice(now, (), None)
    shown = {b.key: b.slot for b in device.budgets}
    slots = next((b for b in now.limiters if shown[b] in ("warps", "blocks")), "")
    sized = next((f for f in launch.FIELDS if shown.get(f.eases) == "warps"), None)
    size = _better_size(device, launch, sized, now.warps) if slots else None
    # A rule set without whole blocks limits warps alone.
    wanted = now.blocks + 1 if device.rules.whole_blocks else now.warps + 1
    changes: list[Change] = []
    eased = launch
    if not size:
        for budget in now.limiters:
            if shown[budget] not in ("warps", "blocks"):
                made, eased = _ease(device, launch, eased, budget, wanted)
                changes += made
        size = _better_size(device, eased, sized, now.warps) if slots else None
    if slots and sized:
        changes.append(Change(slots, sized.name, getattr(launch, sized.name), size))
        if size:
            changes, eased = _relax(device, sized, changes, replace(eased, **{sized.name: size}))
    possible = changes and all(c.after is not None for c in changes)
    return Advice(now, tuple(changes), device.occupancy(eased) if possible else None)


def _eased_by(launch: Any, budget: str) -> Field | None:
    """The field that eases a budget best: of several the last, which is the easiest to change."""
    return next((f for f in reversed(launch.FIELDS) if f.eases == budget), None)


def _better_size(device: Device, launch: Any, sized: Field | None, warps: int) -> int | None:
    """The nearest block size of whole warps with more than `warps` resident."""
    if sized is None:
        return None
    here, unit = getattr(launch, sized.name), device.warp_size
    residency = device.counter(launch, sized.name)
    sizes = sorted(range(unit, device.range(sized)[1] + 1, unit), key=lambda v: abs(v - here))
    return next((v for v in sizes if residency(v)[1] > warps), None)


def _ease(device: Device, launch: Any, eased: Any, budget: str, wanted: int) -> tuple[list[Change], Any]:
    """The changes with which `budget` alone allows `launch` the blocks (or warps) `wanted`, and `eased` with them made."""
    changes: list[Change] = []
    for field in reversed([f for f in launch.FIELDS if f.eases == budget]):
        low, before = device.range(field)[0], getattr(launch, field.name)
        fits = partial(_allows, device, launch, field.name, budget, wanted)
        value = _most(fits, device, launch, field, low, before)
        changes.append(Change(budget, field.name, before, value))
        if value is not None:
            eased = replace(eased, **{field.name: value})
            return [c if c.after is not None else c._replace(after=0) for c in changes if c.before], eased
        launch, eased = replace(launch, **{field.name: low}), replace(eased, **{field.name: low})
    return changes[-1:], eased


def _relax(device: Device, sized: Field, changes: list[Change], eased: Any) -> tuple[list[Change], Any]:
    """The changes to appetites taken back as far as the new block size lets them be; without those taken back whole."""
    warps = device.occupancy(eased).warps
    relaxed = []
    for change in changes:
        if change.field != sized.name and change.after is not None:
            field = field_of(eased, change.field)
            keeps = partial(_keeps, device, eased, change.field, warps)
            value = _most(keeps, device, eased, field, change.after, change.before)
            change = change._replace(after=value)
            eased = replace(eased, **{change.field: value})
        if change.after != change.before:
            relaxed.append(change)
    return relaxed, eased


def _keeps(device: Device, launch: Any, name: str, warps: int, value: int) -> bool:
    return device.occupancy(replace(launch, **{name: value})).warps >= warps


def _allows(device: Device, launch: Any, name: str, budget: str, wanted: int, value: int) -> bool:
    both = device.occupancy(replace(launch, **{name: value})).limits[budget]
    limit = both.blocks if device.rules.whole_blocks else both.warps
    return limit is None or limit >= wanted


def _most(fits: Callable[[int], bool], device: Device, launch: Any, field: Field, low: int, high: int) -> int | None:
    """The largest value of the appetite from `low` to `high` that fits, where more resident fits better; None: none."""
    for first, last in reversed(falling(device, launch, field, low, high)):
        if (value := last_where(fits, first, last)) is not None:
            return value
    return None


def _plain(name: str) -> str:
    return name.replace("_", " ")
