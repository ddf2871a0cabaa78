"""Chapter 1, calculate: from a loop to the warps it takes, and to the occupancy that is."""

from occusite.book.content.scheduling import SCHEDULERS, idle_by_warps
from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.scheduler import Kernel, simulate, warps_to_saturate

LOOP = Kernel(loads=1, arithmetic=44, latency=300)
HERE = 3
SLOTS = 48
NEED = warps_to_saturate(LOOP)
assert NEED is not None
IDLE = simulate(LOOP, HERE).idle

exercise = Numbers(
    title="Does it run dry?",
    chapter=1,
    kind="calculate",
    prose=f"""A scheduler’s warps run this loop: one load that takes {LOOP.latency} cycles, then {LOOP.arithmetic}
        instructions that need its data. One pass takes a warp on its own {LOOP.alone} cycles.""",
    blanks=(
        Blank(
            f"With {HERE} warps, in how many per cent of the cycles is there nothing to issue?",
            round(100 * IDLE),
            "%",
            tolerance=1,
            slips=(
                Slip(round(100 * (1 - IDLE)), "That is the share in which something issues. The rest is lost."),
                Slip(
                    round(100 * (1 - LOOP.instructions / LOOP.alone)),
                    "That is what a single warp leaves. Every further one fills as much again.",
                ),
            ),
        ),
        Blank(
            "How many warps does it take until the scheduler never runs dry?",
            NEED,
            "warps",
            slips=(
                Slip(LOOP.alone // LOOP.instructions, "Rounded down, a cycle here and there is still lost. Round up."),
                Slip(NEED * SCHEDULERS, "That is for a whole SM. The question is about one scheduler."),
                Slip(LOOP.arithmetic, "That is the arithmetic of one pass. How many passes fit into its wait?"),
            ),
        ),
        Blank(
            f"An SM has {SCHEDULERS} such schedulers and {SLOTS} warp slots. What occupancy is that, in per cent?",
            round(100 * NEED * SCHEDULERS / SLOTS),
            "%",
            tolerance=1,
            slips=(
                Slip(round(100 * NEED / SLOTS), "Those are the warps of one scheduler. The slots are the whole SM’s."),
            ),
        ),
    ),
    hints=(
        "A pass is the load and the arithmetic: count the instructions of both.",
        "Each warp fills instructions ÷ cycles of the whole. How many of these shares make one?",
    ),
    because="Cycles of one pass alone ÷ instructions in it, rounded up: that is the demand of this loop.",
    working=idle_by_warps(1, HERE, NEED - 1, NEED, latency=LOOP.latency, arithmetic=LOOP.arithmetic),
)
