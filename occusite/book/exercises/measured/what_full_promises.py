"""Measured, choose: which sentence about occupancy and speed the measured configurations bear out."""

from occusite.book.content.measured import (
    best_up_to,
    configs,
    fastest,
    in_words,
    level,
    rank_correlation,
    signed,
    slots,
)
from occusite.book.parts.exercise import Choose, Option

KERNEL, GPU = "convolution", "RTX A6000"
FULL, HALF = level(KERNEL, GPU, 100), level(KERNEL, GPU, 50)
BEST = fastest(KERNEL, GPU)
RHO = rank_correlation(KERNEL, GPU)
QUARTER = best_up_to(KERNEL, GPU, 25)
assert QUARTER
PLACE = 100 * BEST.warps / slots(GPU)

exercise = Choose(
    title="What a full SM promises",
    chapter=7,
    kind="choose",
    prose=f"""{len(configs(KERNEL, GPU))} configurations of a convolution were timed on an {GPU}. A colleague has one that
        runs at half of the warp slots and wants to tune it until all are taken, “for the speed”. Which answer do the
        measurements bear out?""",
    options=(
        Option(
            "Do it: fuller configurations are the faster ones.",
            f"Rank correlation {signed(RHO)}: {in_words(RHO)}.",
            RHO > 0.3,
        ),
        Option(
            "Do it: whatever is full comes close to the best speed.",
            f"The median of the {FULL.runs} full ones reaches {FULL.median:.0f} % of the best of all.",
            FULL.median > 90,
        ),
        Option(
            "Do not: an emptier SM is the faster one.",
            f"The rank correlation is no more negative than positive: {signed(RHO)}; the best full configuration reaches "
            f"{FULL.best:.0f} % of the best of all.",
            RHO < -0.3,
        ),
        Option(
            "Look for a faster one first: at half of the slots there is room up to the best of all.",
            f"The fastest of all sits at {PLACE:.0f} % occupancy, and the median there reaches {HALF.median:.0f} % of it. "
            f"Even a quarter of the slots has one at {QUARTER:.0f} %.",
            HALF.best > 99 > HALF.median,
        ),
    ),
    hints=(
        "Put the widget on this board and step through the occupancies.",
        "The best and the median at one occupancy answer two different questions.",
    ),
    because="""At any occupancy there are slow configurations. What a supply of warps makes possible is the line of the
        best; what you get depends on what each warp does with its turn.""",
)
