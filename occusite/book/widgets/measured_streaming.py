"""The law against measurement: bandwidth against occupancy on real GPUs, with Little's line beside it (Measured)."""

from __future__ import annotations

from occusite.book.content.measured import KERNELS, against_law, at_quarters, curve, streamed
from occusite.book.parts.widget import Choice, View, Widget


def view(gpu: str, kernel: str) -> View:
    """What this board reaches at a quarter, half and all of its slots, the curve beside the law, and both in numbers."""
    measured = curve(gpu, kernel)
    quarter, half, full = (measured.share(occupancy) for occupancy in (25, 50, 100))
    return View(
        f"<strong>At a quarter of the slots: {quarter:.0f}\u202f% of its best; at half: {half:.0f}\u202f%; full: "
        f"{full:.0f}\u202f%</strong> <br>{_reading(measured.reaches(90), full)} By the slope a thread’s turn takes "
        f"{measured.turn:.0f}\u202fns.",
        {"curve": against_law(gpu, kernel), "quarters": at_quarters(gpu, kernel)},
    )


def _reading(enough: float, full: float) -> str:
    late = f"Nine tenths of it are there from {enough:.0f}\u202f% occupancy on."
    return late if full > 98 else f"{late} With every slot taken it is no longer at its best."


BOARDS = streamed()

widget = Widget(
    "The law against measurement",
    (
        Choice("gpu", "GPU", {gpu: gpu for gpu in BOARDS}, "H200"),
        Choice("kernel", "Kernel", KERNELS, "read"),
    ),
    view,
)
