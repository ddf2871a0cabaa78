"""The calculator: three sliders, one bar a budget, a verdict; on paper and by the exact Ada rule."""

from __future__ import annotations

from occusite import nvidia, paper
from occusite.book.parts.bars import budget_bars, slot_bar
from occusite.book.parts.html import count, limiters
from occusite.book.parts.widget import Choice, Slider, View, Widget
from occusite.model.answer import Occupancy

# Judgement by the share of warp slots filled, from the top.
VERDICTS = (
    (0.75, "Plenty: many warps to choose from. Whether the kernel needs them, occupancy cannot say."),
    (0.5, "A fair number of warps to choose from."),
    (0.25, "Thin: few warps to choose from. Each needs some independent work."),
    (0.0, "Very few warps to choose from: each needs much independent work."),
)


def view(threads: int, registers: int, shared: int, rule: str) -> View:
    """The answer by the rule asked for, and where the other rule differs."""
    on_paper = _paper(threads, registers, shared)
    exact = _exact(threads, registers, shared)
    answer, other = (exact, on_paper) if rule == "exact" else (on_paper, exact)
    return View(
        f"<strong>{headline(answer)}</strong> <br>{verdict(answer)}",
        {
            "bars": budget_bars(answer),
            "slots": slot_bar(answer),
            "note": f'<p class="occ-note">{difference(answer, other, rule)}</p>',
        },
    )


def headline(answer: Occupancy) -> str:
    """ "block size is the limiter · 6 blocks resident"."""
    if not answer.runs:
        return "This launch cannot run"
    # Warp slots are filled by the block's size: that is what the reader turned to get here.
    names = ["block size" if b.slot == "warps" else b.name for b in answer.limiting]
    verb = "are" if names[0].endswith("s") else "is"
    limiter = f"{names[0]} {verb} the limiter" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} tie"
    return f"{limiter} · {answer.blocks} block{'s' if answer.blocks != 1 else ''} resident"


def verdict(answer: Occupancy) -> str:
    """One sentence of judgement that depends on the supply of warps."""
    if not answer.runs:
        why = answer.why(count)
        return why[:1].upper() + why[1:] + "."
    return next(said for share, said in VERDICTS if answer.warps >= share * answer.slots)


def difference(answer: Occupancy, other: Occupancy, rule: str) -> str:
    """What the other rule would have said."""
    name = "paper rule" if rule == "exact" else "exact Ada rule"
    if (answer.blocks, set(answer.limiters)) == (other.blocks, set(other.limiters)):
        return f"The {name} gives the same answer here."
    if not other.runs:
        return f"By the {name} this launch cannot run: {other.why(count)}."
    if answer.blocks == other.blocks:
        return f"The {name} counts the same warps, but names as what binds: {limiters(other)}."
    return f"The {name} says {other.warps} warps instead ({limiters(other)})."


def _paper(threads: int, registers: int, shared: int) -> Occupancy:
    return paper.ADA.occupancy(paper.Launch(threads, registers, shared * paper.KIB))


def _exact(threads: int, registers: int, shared: int) -> Occupancy:
    return nvidia.device("8.9").occupancy(nvidia.Launch(threads, registers, dynamic_shared=shared * paper.KIB))


widget = Widget(
    "Occupancy calculator for an Ada-class SM",
    (
        Slider.of(paper.ADA, "threads", 256, step=paper.WARP),
        Slider.of(paper.ADA, "registers", 32, low=16),
        Slider.of(paper.ADA, "shared_memory", 8, control="shared"),
        Choice("rule", "Rule", {"paper": "paper rule", "exact": "exact Ada rule"}, "exact"),
    ),
    view,
)
