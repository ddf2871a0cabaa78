"""Chapter 8, predict: the register count that fills an Ada SM on paper, and on the chip."""

from occusite import nvidia, paper
from occusite.book.content.tables import plateaus
from occusite.book.content.values import most_registers_on_ada
from occusite.book.parts.exercise import Blank, Numbers, Slip

ADA, SM = nvidia.device("8.9"), paper.SM()
FULL = most_registers_on_ada(ADA.warps_per_sm)
ON_PAPER = SM.registers // (SM.warps * paper.WARP)
LAUNCH = nvidia.Launch(256, ON_PAPER)
GOT = ADA.occupancy(LAUNCH)

exercise = Numbers(
    title="The advice that is off by two",
    chapter=8,
    kind="predict",
    prose=f"""A lesson says: with blocks of {LAUNCH.threads} threads, stay at {ON_PAPER} registers per thread and the SM
        is full. You compile to exactly {ON_PAPER} and launch on an Ada GPU.""",
    blanks=(
        Blank(
            "How many warps are resident?",
            GOT.warps,
            "warps",
            slips=(
                Slip(ADA.warps_per_sm, "So says the paper. The chip allocates registers in units, per warp."),
                Slip(GOT.blocks, "Those are blocks. How many warps has each?"),
            ),
        ),
        Blank(
            "What is the most registers per thread with which the SM really is full?",
            FULL,
            "registers",
            slips=(
                Slip(ON_PAPER, "That is the plain division. Round it to what the chip can hand out."),
                Slip(FULL - 8, "That works too, but it is one unit less than you may take."),
            ),
        ),
    ),
    hints=(
        f"One warp’s registers are rounded up to a multiple of {ADA.allocation.register_unit}.",
        f"Per thread, that is a multiple of {ADA.allocation.register_unit // ADA.warp_size}.",
    ),
    because=f"""{ON_PAPER} registers are charged as the next multiple of {ADA.allocation.register_unit // ADA.warp_size}, and
        the last block no longer fits.""",
    working=plateaus(ADA.occupancy(LAUNCH), "The exact staircase, Ada"),
)
