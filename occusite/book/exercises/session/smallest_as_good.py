"""Chapter 12, calculate: the suggested block size, and the smallest one as good."""

from occusite import nvidia
from occusite.book.parts.exercise import Blank, Numbers, Slip

ADA = nvidia.device("8.9")
LAUNCH = nvidia.Launch(256, 56)
SUGGESTED = ADA.potential_block_size(LAUNCH)
SMALLEST = ADA.smallest_block_size(LAUNCH)
assert SMALLEST.threads < SUGGESTED.threads

exercise = Numbers(
    title="Suggested is not fastest",
    chapter=12,
    kind="calculate",
    prose=f"""`cudaOccupancyMaxPotentialBlockSize` is asked about a kernel with {LAUNCH.registers} registers per thread and no
        shared memory, on Ada. It looks for the block size with the most resident threads, and among equals it takes
        the largest: {SUGGESTED.threads} threads. It says nothing of speed.""",
    blanks=(
        Blank(
            "How many warps are resident with its suggestion?",
            SUGGESTED.warps,
            "warps",
            slips=(
                Slip(ADA.warps_per_sm, "The registers do not allow that many."),
                Slip(SUGGESTED.blocks, "Those are blocks."),
            ),
        ),
        Blank(
            "What is the smallest block size, in whole warps, with as many?",
            SMALLEST.threads,
            "threads",
            slips=(
                Slip(SMALLEST.threads - 32, "One warp less per block, and the block slots run out first."),
                Slip(SUGGESTED.threads, "That is the suggestion. Smaller ones do as well."),
            ),
        ),
    ),
    hints=(
        f"At {LAUNCH.registers} registers, how many warps fit in one of the {ADA.allocation.partitions} parts of the file?",
        f"There are {ADA.allocation.max_blocks} block slots. How many warps must each block bring?",
    ),
    because="""Small blocks finish and are replaced one by one, and wait for fewer neighbours at a barrier. Large ones share
        more data. Only a measurement says which matters: occupancy is equal.""",
)
