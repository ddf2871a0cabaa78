"""`occusite diff`: two builds side by side, kernel by kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import builds, options
from occusite.cli.output import Name, Table, note, percent, show, show_json
from occusite.cli.parser import Argument, option
from occusite.model.terms import counted

if TYPE_CHECKING:
    from occusite.questions.changes import Change, Measure
    from occusite.questions.kernels import KernelAnswer


def diff(
    reports: Annotated[
        list[str],
        Argument("BEFORE AFTER", "Two reports of the same kernels; - is the standard input.", True, "two reports"),
    ],
    threads: builds.Threads = None,
    dynamic_shared: builds.DynamicShared = None,
    device: builds.Device = None,
    architecture: builds.Architecture = "",
    every: Annotated[bool, option("--all", help="Show kernels that did not change, too.")] = False,
    json: options.Json = False,
) -> None:
    """What changed between two builds, kernel by kernel.

    Registers, spills, shared memory, stack and occupancy. Kernels are matched by name and architecture. Reads what
    occusite read does.
    """
    from occusite.questions import kernels
    from occusite.questions.changes import compare

    if len(reports) != 2:
        raise ValueError(f"BEFORE AFTER: {len(reports)} reports are not allowed; give two")
    answers = builds.answers(threads, dynamic_shared, device)
    before, after = (builds.rows(path, answers, architecture) for path in reports)
    changes = compare(before, after)
    shown = [c for c in changes if every or c.before is None or c.after is None or c.changed]
    if json:
        show_json([record(change) for change in shown])
        return
    parts: list[object] = [_table(shown), ""] if shown else []
    show(*parts, _sum(changes))
    for text in kernels.remarks(after):
        note(text)


def record(change: Change) -> dict[str, Any]:
    """One kernel of both builds as plain data."""
    return {
        "kernel": change.kernel,
        "name": change.name,
        "architecture": change.architecture,
        "in": [name for name, row in (("before", change.before), ("after", change.after)) if row],
        "measures": {m.name: {"before": m.before, "after": m.after, "change": m.change} for m in change.measures},
        "occupancy": {"before": _occupancy(change.before), "after": _occupancy(change.after)},
        "worse": [m.name for m in change.measures if m.worse],
    }


def _table(shown: list[Change]) -> Table:
    table = Table(["registers", "spills", "shared", "stack", "occupancy", "arch", "", "kernel"], folds=frozenset({4}))
    for change in shown:
        *figures, _ = (_figure(change, measure) for measure in change.measures)
        ends = [_share(row) for row in (change.before, change.after) if row]
        occupancy = ends[0] if len(set(ends)) == 1 else " → ".join(ends)
        told = "new" if change.before is None else "gone" if change.after is None else _verdict(change)
        table.rows.append([*figures, occupancy, change.architecture or "?", told, Name(change.name)])
    return table


def _figure(change: Change, measure: Measure) -> str:
    sides = ((change.before, measure.before), (change.after, measure.after))
    ends = ["?" if value is None else f"{value:,}" for row, value in sides if row]
    return ends[0] if len(set(ends)) == 1 else " → ".join(ends)


def _verdict(change: Change) -> str:
    worse = any(m.worse for m in change.measures)
    better = any(m.change and not m.worse for m in change.measures)
    return "mixed" if worse and better else "worse" if worse else "better" if better else ""


def _occupancy(row: KernelAnswer | None) -> float | None:
    answer = row.answer if row else None
    return answer.warps / answer.slots if answer and answer.runs else None


def _share(row: KernelAnswer) -> str:
    if row.answer is None:
        return "?"
    return percent(row.answer.warps, row.answer.slots) if row.answer.runs else "cannot run"


def _sum(changes: tuple[Change, ...]) -> str:
    both = [c for c in changes if c.before and c.after]
    verdicts = [_verdict(c) for c in both if c.changed]
    counts = [f"{verdicts.count(word):,} {word}" for word in ("worse", "better", "mixed") if word in verdicts]
    told = f"{len(verdicts):,} of {counted(len(both), 'kernels')} changed{': ' * bool(counts)}{', '.join(counts)}"
    new, gone = sum(c.before is None for c in changes), sum(c.after is None for c in changes)
    return f"{told}; {new:,} new, {gone:,} gone"
