"""Chapter 8, find the bug: one SM's limits used for every GPU."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases

CHIPS = ("7.5", "8.0", "8.6", "8.9", "9.0", "12.0")
TABLE = "".join(
    f'    "{c}": ({nvidia.device(c).threads_per_sm}, {nvidia.device(c).allocation.max_blocks}),\n' for c in CHIPS
)
STARTER = f'''\
# Threads and blocks per SM, by compute capability.
SM = {{
{TABLE}}}


def blocks_by_slots(chip, threads):
    """Blocks that fit the slots of one SM; `chip` is a compute capability such as "8.9"."""
    max_threads, max_blocks = SM["8.0"]
    warps = (threads + 31) // 32
    return min(max_threads // 32 // warps, max_blocks)
'''
SOLUTION = STARTER.replace('SM["8.0"]', "SM[chip]")
ADA = nvidia.device("8.9")
SMALL = 64


def expected(chip: str, threads: int) -> int:
    limits = nvidia.device(chip).occupancy(nvidia.Launch(threads, 16)).limits
    return min(limit for key in ("warps", "blocks") if (limit := limits[key].blocks) is not None)


exercise = Code(
    title="One table for all",
    chapter=8,
    kind="bug",
    prose=f"""This calculator was written for an A100 and has been answering for every GPU since. For blocks of {SMALL}
        threads on Ada it says {expected("8.0", SMALL)}; the chip holds {expected("8.9", SMALL)}. The right numbers
        are in its table already.""",
    function="blocks_by_slots",
    starter=STARTER,
    solution=SOLUTION,
    cases=[{"chip": "8.9", "threads": SMALL}, *cases(chip=CHIPS, threads=(32, 48, 64, 128, 256, 512, 640, 768, 1024))],
    expected=expected,
    slips=(
        Slip(STARTER, "Every chip still gets the same row. Which one was asked about?"),
        Slip(
            SOLUTION.replace("max_threads, max_blocks = SM[chip]", "max_threads, max_blocks = SM[chip][0], 32"),
            "The threads follow the chip now; the block slots do not.",
        ),
        Slip(
            SOLUTION.replace("max_threads, max_blocks = SM[chip]", "max_threads, max_blocks = 2048, SM[chip][1]"),
            "The block slots follow the chip now; the threads do not.",
        ),
        Slip(
            SOLUTION.replace("max_threads, max_blocks = SM[chip]", "max_threads, max_blocks = SM['8.9']"),
            "Another single row for all. The next chip will be wrong again.",
        ),
    ),
    hints=("The argument `chip` is not used anywhere.",),
    because=f"""Slots belong to a chip, not to a vendor: {ADA.allocation.max_blocks} blocks on Ada, but
        {nvidia.device("8.6").allocation.max_blocks} on the consumer chips one generation before, and
        {nvidia.device("8.0").allocation.max_blocks} on that generation’s A100.""",
)
