"""The exact rule on any NVIDIA architecture, with the whole working for the reader's own numbers (chapter 8)."""

from __future__ import annotations

from occusite import nvidia, paper
from occusite.book.content.silicon import LARGEST, working
from occusite.book.parts.bars import budget_bars, slot_bar
from occusite.book.parts.html import count
from occusite.book.parts.widget import Choice, Slider, View, Widget
from occusite.book.widgets.calculator import headline, verdict
from occusite.model import Occupancy
from occusite.questions import steps

CARVEOUTS = {"default": "the driver’s choice", "0": "0 %", "25": "25 %", "50": "50 %", "75": "75 %", "100": "100 %"}


def view(capability: str, threads: int, registers: int, shared: int, carveout: str) -> View:
    """The answer, its bars, the nearest steps, and every line of the arithmetic."""
    device = nvidia.device(capability)
    launch = nvidia.Launch(
        threads,
        registers,
        dynamic_shared=shared * paper.KIB,
        carveout=None if carveout == "default" else int(carveout),
    )
    answer = device.occupancy(launch)
    return View(
        f"<strong>{headline(answer)}</strong> <br>{verdict(answer)} {_next(answer)}",
        {
            "bars": budget_bars(answer),
            "slots": slot_bar(answer),
            "working": working(answer),
        },
    )


def _next(answer: Occupancy) -> str:
    better = steps.next_step(answer, "registers").better if answer.runs else None
    return f"{steps.words(answer.device, better, count)}." if better else ""


widget = Widget(
    "Exact occupancy on an NVIDIA architecture, with the working",
    (
        Choice(
            "capability",
            "Architecture",
            {cc: f"{cc} · {chip.family} · {chip.example}" for cc, chip in nvidia.CHIPS.items()},
            "9.0",
        ),
        Choice("carveout", "Carve-out", CARVEOUTS, "default"),
        Slider.of(LARGEST, "threads", 256),
        Slider.of(LARGEST, "registers", 50),
        # To the whole pool, so that a refusal can be seen: a block may have less.
        Slider.of(
            LARGEST,
            "dynamic_shared",
            12,
            high=LARGEST.shared_memory_per_sm // paper.KIB,
            control="shared",
            label="Dynamic shared memory",
        ),
    ),
    view,
)
