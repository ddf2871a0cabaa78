"""The exact rule on any NVIDIA architecture, with the whole working for the reader's own numbers (chapter 8)."""

from __future__ import annotations

from occusite import nvidia, paper
from occusite.book.content.silicon import working
from occusite.book.parts.bars import budget_bars, slot_bar
from occusite.book.parts.widget import Choice, Slider, View, Widget
from occusite.book.widgets.calculator import headline, verdict
from occusite.questions import staircase

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
        f"<strong>{headline(answer)}</strong> <br>{verdict(answer)} {_cliff(device, launch, answer.warps)}",
        {
            "bars": budget_bars(answer),
            "slots": slot_bar(answer),
            "working": working(answer.steps, answer.binding),
        },
    )


def _cliff(device: nvidia.Device, launch: nvidia.Launch, warps: int) -> str:
    better = staircase.next_cliff(device, launch, "registers").better
    if better is None or not warps:
        return ""
    fewer = -better.change
    return f"{fewer} register{'s' if fewer != 1 else ''} fewer: {better.warps} warps."


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
        Slider("threads", "Threads per block", 1, 1024, 1, 256, "", "warps"),
        Slider("registers", "Registers per thread", 1, 255, 1, 50, "", "registers"),
        Slider("shared", "Dynamic shared memory", 0, 228, 1, 12, "KiB", "shared_memory"),
    ),
    view,
)
