"""The cliffs: resident warps against registers per thread on the paper SM, with the reader's own launch marked."""

from __future__ import annotations

from occusite import paper
from occusite.book.content.tables import what_binds
from occusite.book.parts.charts import cliffs, register_budget, span
from occusite.book.parts.html import Table, count, limiters
from occusite.book.parts.widget import Slider, View, Widget
from occusite.model import Occupancy
from occusite.questions import staircase, steps


def view(registers: int, threads: int, shared: int) -> View:
    """The staircase for this block, the plateau the reader stands on, and the way to the next step up."""
    sm, launch = paper.SM(), paper.Launch(threads, registers, shared * paper.KIB)
    answer = sm.occupancy(launch)
    stairs = staircase.whole_steps(answer)
    index = next(i for i, p in enumerate(stairs) if p.first <= registers <= p.last)
    here = stairs[index]
    chart = cliffs(answer, registers=registers, register_budget=register_budget())
    if not answer.runs:
        why = answer.why(count)
        status = f"<strong>{registers} registers: cannot launch</strong> <br>{why[:1].upper()}{why[1:]}."
    else:
        status = (
            f"<strong>{span(here.first, here.last)} registers: {here.warps} warps</strong> <br>"
            f"What binds at {registers}: {limiters(answer)}. {_next(answer, here)}"
        )
    rows = [(span(p.first, p.last), p.warps, what_binds(answer, p)) for p in stairs]
    table = Table(("registers", "warps", "what binds"), rows, "The same staircase, step by step", frozenset({index}))
    return View(status, {"curve": chart, "steps": table})


def _next(answer: Occupancy, here: staircase.Stretch) -> str:
    better = steps.next_step(answer, "registers").better
    if better is None:
        return "Fewer registers gain nothing: another budget is the ceiling."
    more = here.last - answer.launch.registers
    return f"{steps.words(answer.device, better, count)}. Up to {more} more cost nothing."


widget = Widget(
    "Cliffs: resident warps against registers per thread",
    (
        Slider.of(paper.SM(), "registers", 60, low=16),
        Slider.of(paper.SM(), "threads", 256, step=paper.WARP),
        Slider.of(paper.SM(), "shared_memory", 12, control="shared"),
    ),
    view,
)
