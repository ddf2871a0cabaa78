"""Chapter 12, calculate: a small grid mistaken for low occupancy."""

from occusite import nvidia
from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.questions.grid import waves as waves_of

GPU = nvidia.device("8.9")
LAUNCH = nvidia.Launch(256, 40)
GRID = 96
FOUND = GPU.occupancy(LAUNCH)
WAVES = waves_of(FOUND, GRID)

exercise = Numbers(
    title="Low occupancy, or a small grid?",
    chapter=12,
    kind="calculate",
    prose=f"""A profiler reports few active warps for a kernel on an RTX&nbsp;4090 with {GPU.sms} SMs. It was launched
        with {GRID} blocks of {LAUNCH.threads} threads, {LAUNCH.registers} registers per thread, no shared memory.""",
    blanks=(
        Blank(
            "How many blocks could be resident on one SM?",
            FOUND.blocks,
            "blocks",
            slips=(
                Slip(1, "That is what each SM got. How many *fit*?"),
                Slip(FOUND.warps, "Those are warps."),
            ),
        ),
        Blank(
            "How many SMs get no block at all?",
            WAVES.idle_cores,
            "SMs",
            slips=(
                Slip(
                    GPU.sms - -(-GRID // FOUND.blocks),
                    "That would be so if each SM were filled before the next. Blocks are spread, one to an SM first.",
                ),
                Slip(GRID, "That many SMs have one block each. The others?"),
            ),
        ),
        Blank(
            "How many blocks would fill every SM once?",
            WAVES.per_wave,
            "blocks",
            slips=(
                Slip(GPU.sms, "That gives every SM one block. How many does each hold?"),
                Slip(GRID * FOUND.blocks, "Multiply the blocks that fit by the number of SMs, not of blocks."),
            ),
        ),
    ),
    hints=("Residency is about one SM; the grid is about all of them.", "Compare the grid with SMs × blocks per SM."),
    because=f"""Occupancy in theory is {FOUND.percent:.0f} %: nothing is wrong with registers or block size. There is too
        little work for the chip. Split it finer, or run something else beside it.""",
)
