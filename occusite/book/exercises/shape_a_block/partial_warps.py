"""Chapter 3, find the bug: a part of a warp counted as a fraction."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip

ADA = nvidia.device("8.9")
CASE = 100

STARTER = '''\
def blocks_by_slots(threads):
    """Blocks that fit the slots of an Ada SM: 1536 threads, at most 24 blocks."""
    return min(1536 // threads, 24)
'''
SOLUTION = '''\
def blocks_by_slots(threads):
    """Blocks that fit the slots of an Ada SM: 48 warps, at most 24 blocks."""
    warps = (threads + 31) // 32
    return min(48 // warps, 24)
'''


def expected(threads: int) -> int:
    limits = ADA.occupancy(nvidia.Launch(threads, 16)).limits
    return min(limit for key in ("warps", "blocks") if (limit := limits[key].blocks) is not None)


exercise = Code(
    title="No half warps",
    chapter=3,
    kind="bug",
    prose=f"""An Ada SM runs {ADA.threads_per_sm:,} threads at once, so this calculator divides by the threads of a block.
        For {CASE} threads it promises {ADA.threads_per_sm // CASE} blocks. The SM holds {expected(CASE)}: it has
        {ADA.warps_per_sm} slots for *warps*, and a warp with a few threads takes a whole one.""",
    function="blocks_by_slots",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"threads": CASE},
        *({"threads": t} for t in range(1, 1025, 7)),
        *({"threads": t} for t in range(32, 1025, 32)),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER, "Threads that do not fill their last warp still take its slot. Count in whole warps, then divide."
        ),
        Slip(
            SOLUTION.replace("(threads + 31) // 32", "max(1, threads // 32)"),
            "Rounding down loses the last, part-full warp. It takes a slot like any other: round up.",
        ),
        Slip(
            SOLUTION.replace("(threads + 31) // 32", "threads // 32 + 1"),
            "One too many for blocks that fill their warps exactly.",
        ),
        Slip(
            SOLUTION.replace("(threads + 31) // 32", "max(1, round(threads / 32))"),
            "Rounding to nearest drops a warp that is less than half full.",
        ),
        Slip(SOLUTION.replace("min(48 // warps, 24)", "48 // warps"), "Small blocks run out of block slots first."),
    ),
    hints=(
        "How many warps does a block of that size have? Round up.",
        "`(threads + 31) // 32` rounds up with whole numbers alone.",
    ),
    because="Block sizes that are multiples of a warp waste no lanes and no slots.",
)
