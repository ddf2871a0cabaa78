"""Does occupancy buy speed? Thousands of timed configurations of two real kernels, one dot each (Measured)."""

from __future__ import annotations

from occusite.book.content.measured import (
    TUNED,
    configs,
    in_words,
    legend,
    level,
    rank_correlation,
    scatter,
    signed,
    tuned,
)
from occusite.book.parts.widget import Choice, View, Widget


def view(kernel: str, gpu: str, occupancy: str) -> View:
    """What the best and the median at this occupancy reach, all configurations as dots, and what the colours mean."""
    here, rho = level(kernel, gpu, int(occupancy)), rank_correlation(kernel, gpu)
    timed = configs(kernel, gpu)
    many = f"{here.runs} configurations sit" if here.runs > 1 else "one configuration sits"
    return View(
        f"<strong>At {here.occupancy:.0f}\u202f% occupancy the best reaches {here.best:.0f}\u202f% of the fastest, the "
        f"median {here.median:.0f}\u202f%</strong> <br>{many[0].upper()}{many[1:]} there, of {len(timed)}. Rank "
        f"correlation of occupancy with speed, over all of them: {signed(rho)}; {in_words(rho)}.",
        {
            "scatter": scatter(kernel, gpu, int(occupancy)),
            "legend": legend({config.limiter for config in timed}, LINES),
        },
    )


BOARDS = tuned()
LINES = "Line: the best; dashed: the median."
NEAR = (17, 25, 33, 50, 67, 75, 83, 100)

widget = Widget(
    "Does occupancy buy speed?",
    (
        Choice("kernel", "Kernel", {kernel: kernel for kernel in TUNED}, "convolution"),
        Choice("gpu", "GPU", {gpu: gpu.removesuffix(" PCIe 40GB") for gpu in BOARDS}, "RTX A6000"),
        Choice("occupancy", "At an occupancy near", {str(at): f"{at}\u202f%" for at in NEAR}, "50"),
    ),
    view,
)
