"""Chapter 10, calculate: what a launch bound lets the compiler use."""

from occusite import nvidia
from occusite.book.parts.exercise import Blank, Numbers, Slip

ADA = nvidia.device("8.9")
THREADS, BLOCKS, MORE = 256, 3, 5


def most(blocks: int) -> int:
    """The most registers per thread with which `blocks` blocks fit."""
    return max(r for r in range(1, 256) if ADA.occupancy(nvidia.Launch(THREADS, r)).blocks >= blocks)


exercise = Numbers(
    title="A promise to the compiler",
    chapter=10,
    kind="calculate",
    prose=f"""A kernel is declared with `__launch_bounds__({THREADS}, {BLOCKS})`: never more than {THREADS} threads per
        block, and at least {BLOCKS} blocks resident on each SM. You compile for Ada.""",
    blanks=(
        Blank(
            "How many registers per thread may the compiler use at most?",
            most(BLOCKS),
            "registers",
            slips=(
                Slip(
                    ADA.registers_per_sm // (THREADS * BLOCKS),
                    "The plain division. With that many, the chip’s rounding would push the last block out.",
                ),
                Slip(
                    ADA.registers_per_sm // THREADS - 1,
                    "That is for a single block. How many were promised?",
                ),
                Slip(most(BLOCKS) - 8, "Too careful by one unit."),
            ),
        ),
        Blank(
            f"And if the second number were {MORE}?",
            most(MORE),
            "registers",
            slips=(
                Slip(ADA.registers_per_sm // (THREADS * MORE), "Again the plain division, without the chip’s unit."),
                Slip(most(MORE + 1), f"That is for {MORE + 1} blocks, a whole SM."),
            ),
        ),
    ),
    hints=(
        f"{BLOCKS} blocks are {BLOCKS * THREADS // 32} warps, spread over {ADA.allocation.partitions} parts of the file.",
        f"The registers of one warp are a multiple of {ADA.allocation.register_unit}: round *down* to it.",
    ),
    because="""If the kernel wants more than that, the compiler gives something up: loads in flight, or spills. Without the second number, it promises nothing
        about residency.""",
)
