"""Chapter 1, predict: how many warps keep one scheduler busy."""

from occusite.book.exercise import Blank, Numbers, Slip
from occusite.scheduler import Kernel, expected, warps_to_saturate

LOOP = Kernel(loads=1, arithmetic=15, latency=304)
NEED = warps_to_saturate(LOOP) or 0
HALF = round(100 * expected(LOOP, NEED // 2))

exercise = Numbers(
    title="Does the scheduler run dry?",
    chapter=1,
    kind="predict",
    prose=f"""Every warp runs the same loop: one load, then {LOOP.arithmetic} instructions that need it. The load takes
        {LOOP.latency} cycles; a scheduler issues one instruction per cycle.""",
    blanks=(
        Blank(
            "With how many resident warps does the scheduler always have something to issue?",
            NEED,
            "warps",
            slips=(
                Slip(
                    LOOP.latency // LOOP.instructions,
                    "That covers the wait of one warp with the work of others. The waiting warp itself is one more.",
                ),
                Slip(
                    LOOP.latency,
                    "That would be one warp for each cycle of the wait. But each warp brings several instructions.",
                ),
                Slip(LOOP.instructions, "Those are the instructions of one pass. How many passes fill the wait?"),
            ),
        ),
        Blank(
            "And with half of them, what share of the cycles does it issue in?",
            HALF,
            "%",
            tolerance=2,
            slips=(Slip(100, "Then the other half would be of no use. Below the knee every warp adds its share."),),
        ),
    ),
    hints=(
        f"Alone, a warp takes {LOOP.alone} cycles for one pass: the wait, and its own instructions.",
        f"In that time the scheduler could issue {LOOP.alone} instructions; each warp brings {LOOP.instructions}.",
    ),
    because=f"""{LOOP.alone} cycles ÷ {LOOP.instructions} instructions, rounded up, is {NEED}. Fewer warps leave cycles
        empty; more of them only wait longer for their turn.""",
)
