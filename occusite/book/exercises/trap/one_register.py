"""Chapter 9, calculate: the one register that buys a block, and the next one's price."""

from dataclasses import replace

from occusite import nvidia
from occusite.book.content.tables import plateaus
from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.questions import steps

CHIP = nvidia.device("8.6")
TILE = 8
LAUNCH = nvidia.Launch(256, 129, static_shared=16 * 1024)
NOW = CHIP.occupancy(LAUNCH)
BETTER = steps.next_step(NOW, "registers").better
assert BETTER is not None
NEXT = steps.next_step(CHIP.occupancy(replace(LAUNCH, registers=BETTER.value)), "registers").better
assert NEXT is not None

exercise = Numbers(
    title="One register buys a block",
    chapter=9,
    kind="calculate",
    prose=f"""A matrix kernel keeps {TILE} × {TILE} results in each thread and wants {LAUNCH.registers} registers. With
        {LAUNCH.threads} threads and {LAUNCH.static_shared // 1024} KiB per block, {NOW.blocks} block is resident on an
        RTX&nbsp;3090.""",
    blanks=(
        Blank(
            "How many registers per thread must go, for a second block?",
            LAUNCH.registers - BETTER.value,
            "registers",
            slips=(
                Slip(BETTER.value, "That is what may be left. How many is it fewer than now?"),
                Slip(LAUNCH.registers - LAUNCH.registers // 2, "Half of them? Less: see what two blocks may have."),
            ),
        ),
        Blank(
            "And how many more, for a third?",
            BETTER.value - NEXT.value,
            "registers",
            slips=(
                Slip(
                    BETTER.value - CHIP.registers_per_sm // (3 * LAUNCH.threads),
                    "So says the plain division. The chip’s unit asks for more.",
                ),
                Slip(NEXT.value, "That is what may be left then. How many is it fewer than with two blocks?"),
            ),
        ),
    ),
    hints=(
        f"Two blocks are {2 * LAUNCH.threads} threads on {CHIP.registers_per_sm:,} registers.",
        f"What each thread takes is a multiple of {CHIP.allocation.register_unit // CHIP.warp_size}.",
    ),
    because="""The first step costs almost nothing and doubles the warps. The second takes so many registers that the
        compiler must spill: there the trap begins.""",
    working=plateaus(CHIP.occupancy(LAUNCH), "The kernel’s staircase"),
)
