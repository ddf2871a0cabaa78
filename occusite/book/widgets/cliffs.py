"""The cliffs: resident warps against registers per thread on the paper SM, with the reader's own launch marked."""

from __future__ import annotations

from occusite import paper
from occusite.book.content.tables import what_binds
from occusite.book.parts.charts import Stretch, cliffs, register_budget, span
from occusite.book.parts.charts import steps as stairs
from occusite.book.parts.html import Table, budgets
from occusite.book.parts.widget import Slider, View, Widget


def view(registers: int, threads: int, shared: int) -> View:
    """The staircase for this block, the plateau the reader stands on, and the way to the next step up."""
    sm, launch = paper.SM(), paper.Launch(threads, registers, shared * paper.KIB)
    answer = sm.occupancy(launch)
    # The staircase is the same for any register count, and then already worked out.
    staircase = paper.Launch(threads, 32, shared * paper.KIB)
    steps = stairs(sm, staircase)
    index = next(i for i, p in enumerate(steps) if p.first <= registers <= p.last)
    here = steps[index]
    chart = cliffs(sm, staircase, registers=registers, register_budget=register_budget())
    if not answer.runs:
        status = f"<strong>{registers} registers: cannot launch</strong> <br>{answer.reason}."
    else:
        status = (
            f"<strong>{span(here.first, here.last)} registers: {here.warps} warps</strong> <br>"
            f"What binds at {registers}: {budgets(answer.binding)}. {_next(steps, index, registers)}"
        )
    rows = [(span(p.first, p.last), p.warps, what_binds(sm, staircase, p)) for p in steps]
    table = Table(("registers", "warps", "what binds"), rows, "The same staircase, step by step", frozenset({index}))
    return View(status, {"curve": chart, "steps": table})


def _next(steps: list[Stretch], index: int, registers: int) -> str:
    here = steps[index]
    if index == 0:
        return "Fewer registers gain nothing: another budget is the ceiling." if "registers" not in here.binding else ""
    up = steps[index - 1]
    fewer = registers - up.last
    return f"{fewer} register{'s' if fewer != 1 else ''} fewer: {up.warps} warps. Up to {here.last - registers} more cost nothing."


widget = Widget(
    "Cliffs: resident warps against registers per thread",
    (
        Slider("registers", "Registers per thread", 16, 255, 1, 60, "", "registers"),
        Slider("threads", "Threads per block", 32, 1024, 32, 256, "", "warps"),
        Slider("shared", "Shared memory per block", 0, 96, 1, 12, "KiB", "shared_memory"),
    ),
    view,
)
