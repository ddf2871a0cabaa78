"""Chapter 3, choose: the block size that fills an Ada SM, where warps per block decide what is left over."""

from occusite import nvidia
from occusite.book.parts.exercise import Choose, Option

ADA = nvidia.device("8.9")
REGISTERS = 40
SIZES = (32, 384, 640, 1024)
FOUND = {threads: ADA.occupancy(nvidia.Launch(threads, REGISTERS)) for threads in SIZES}
BEST = max(FOUND, key=lambda threads: FOUND[threads].warps)


def reason(threads: int) -> str:
    answer = FOUND[threads]
    each = "one warp" if answer.warps_per_block == 1 else f"{answer.warps_per_block} warps"
    fits = f"{answer.blocks} blocks of {each}: {answer.warps} of {answer.slots} slots"
    if answer.blocks == 1:
        fits = f"one block of {answer.warps_per_block} warps, of {answer.slots}"
    if answer.warps == answer.slots:
        return f"They divide the SM without a remainder: {fits}."
    if answer.limiters == ("blocks",):
        return f"Blocks so small run out of block slots first: {fits}."
    left = answer.slots - answer.warps
    return f"Blocks so large leave a remainder: {fits}. The {left} slots left over are too few for another block."


exercise = Choose(
    title="A size that leaves nothing over",
    chapter=3,
    kind="choose",
    prose=f"""A kernel takes {REGISTERS} registers per thread and no shared memory. Any block size would do for its
        algorithm. Which keeps the most warps resident on the Ada SM?""",
    options=tuple(Option(f"{threads} threads per block", reason(threads), threads == BEST) for threads in SIZES),
    hints=(
        f"The SM has {ADA.warps_per_sm} warp slots. How many warps does each block take of them?",
        f"It also has {ADA.allocation.max_blocks} block slots, which only small blocks ever exhaust.",
    ),
    because="A block size is a divisor in every budget’s division. Small ones meet the block slots, large ones remainders.",
)
