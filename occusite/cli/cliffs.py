"""The nearest steps of a launch's staircase in words: "3 registers fewer: 40 warps"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from occusite import nvidia
from occusite.model.answer import Occupancy
from occusite.questions import staircase
from occusite.questions.staircase import Cliff

_SHARED = "shared_memory"


class Nearest(NamedTuple):
    """The nearest step to more warps and the nearest to fewer, over several knobs; None where no single knob has one."""

    better: Cliff | None
    worse: Cliff | None


def by_knob(answer: Occupancy, *, threads: bool = True) -> dict[str, Nearest]:
    """Both steps for registers, for shared memory (static and dynamic as one), for barriers where they bind, and,
    with `threads`, for block size."""
    device, launch = answer.device, pooled(answer.launch)
    found = {"registers": Nearest(*staircase.next_cliff(device, launch, "registers"))}
    found[_SHARED] = Nearest(
        *(c and c._replace(knob=_SHARED) for c in staircase.next_cliff(device, launch, "dynamic_shared"))
    )
    if "barriers" in answer.binding:
        found["barriers"] = Nearest(*staircase.next_cliff(device, launch, "barriers"))
    if threads:
        found["threads"] = Nearest(*staircase.next_cliff(device, launch, "threads"))
    return found


def nearest(answer: Occupancy) -> Nearest:
    """The step, up and down, that moves its knob least in proportion to the knob's whole range; not block size."""
    ranges = {"registers": 255, "barriers": 16, _SHARED: staircase.span(answer.device, answer.launch, _SHARED)[1]}

    def least(cliffs: list[Cliff]) -> Cliff | None:
        return min(cliffs, key=lambda c: abs(c.change) / ranges[c.knob], default=None)

    found = list(by_knob(answer, threads=False).values())
    return Nearest(least([c.better for c in found if c.better]), least([c.worse for c in found if c.worse]))


def together(answer: Occupancy) -> str:
    """What to change at once where registers and shared memory tie, so that neither alone helps; "" elsewhere."""
    if set(answer.binding) != {"registers", _SHARED} or not answer.runs:
        return ""
    advice = staircase.advice(answer.device, answer.launch)
    if advice.then is None:
        return ""
    moves = [f"{c.knob.replace('_', ' ')} {c.before:,} → {c.after:,}" for c in advice.changes]
    return f"{' and '.join(moves)}: {advice.then.warps} warps"


def pooled(launch: nvidia.Launch) -> nvidia.Launch:
    """The same launch with all its shared memory dynamic: the rules only look at the sum."""
    if not launch.static_shared:
        return launch
    most = launch.max_dynamic_shared
    return replace(
        launch,
        static_shared=0,
        dynamic_shared=launch.shared_memory,
        max_dynamic_shared=None if most is None else most + launch.static_shared,
    )


def words(cliff: Cliff | None) -> str:
    """The step as what to change and what it gives; "–" where there is none."""
    if cliff is None:
        return "–"
    amount, more = abs(cliff.change), cliff.change > 0
    what = {
        "registers": f"{amount} register{'' if amount == 1 else 's'} {'more' if more else 'fewer'}",
        _SHARED: f"{amount:,} bytes {'more' if more else 'less'} shared",
        "threads": f"{cliff.value:,} threads",
        "barriers": f"{amount} barrier{'' if amount == 1 else 's'} {'more' if more else 'fewer'}",
    }[cliff.knob]
    return f"{what}: {cliff.warps} warps" if cliff.warps else f"{what}: cannot run"


def short(cliff: Cliff | None) -> str:
    """The step for a narrow column: "−16 regs → 40", with the warps it gives."""
    if cliff is None:
        return "–"
    unit = {"registers": "regs", _SHARED: "B", "barriers": "bars", "threads": "threads"}[cliff.knob]
    return f"{'+' if cliff.change > 0 else '−'}{abs(cliff.change):,} {unit} → {cliff.warps}"


def record(found: Nearest) -> dict[str, Any]:
    """Both steps as plain data."""
    return {name: cliff and cliff._asdict() for name, cliff in zip(Nearest._fields, found, strict=True)}
