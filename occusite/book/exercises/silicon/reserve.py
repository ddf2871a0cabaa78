"""Chapter 8, find the bug: the system's reserve and the unit of shared memory forgotten."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip

KIB = 1024
A100 = nvidia.device("8.0")
CASE = 5 * KIB

STARTER = '''\
def blocks_by_shared_memory(size):
    """Blocks whose shared memory fits an A100's 164 KiB; `size` in bytes per block."""
    return 164 * 1024 // size if size else None
'''
SOLUTION = '''\
def blocks_by_shared_memory(size):
    """Blocks whose shared memory fits an A100's 164 KiB; `size` in bytes per block."""
    taken = (size + 1024 + 127) // 128 * 128
    return 164 * 1024 // taken
'''


def expected(size: int) -> int | None:
    return A100.occupancy(nvidia.Launch(128, 32, dynamic_shared=size)).limits["shared_memory"].blocks


exercise = Code(
    title="The forgotten kibibyte",
    chapter=8,
    kind="bug",
    prose=f"""Blocks that ask for {CASE // KIB} KiB of shared memory: this calculator fits
        {A100.shared_memory_per_sm // CASE} of them into an A100, the chip {expected(CASE)}. The system keeps
        {A100.reserved_shared_memory:,} bytes of every block’s share for itself, and the sum is rounded up to a multiple
        of {A100.allocation.shared_unit}. Even a block that asks for nothing pays the reserve.""",
    function="blocks_by_shared_memory",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"size": CASE},
        *({"size": s} for s in (0, 1, 100, 128, 129, 1000, 3000)),
        *({"size": s} for s in range(512, 163 * KIB, 1111)),
    ],
    expected=expected,
    slips=(
        Slip(STARTER, "The reserve is missing, and so is the unit. What does one block really take?"),
        Slip(
            SOLUTION.replace("(size + 1024 + 127) // 128 * 128", "size + 1024"),
            "The reserve is there. Sizes that are no multiple of the unit are rounded up as well.",
        ),
        Slip(
            SOLUTION.replace("(size + 1024 + 127)", "(size + 127)").replace("// taken", "// taken if taken else None"),
            "The unit is there; the reserve of each block is missing.",
        ),
        Slip(
            SOLUTION.replace("size + 1024 + 127", "size + 127").replace(
                "164 * 1024 // taken", "163 * 1024 // taken if taken else None"
            ),
            "The reserve is taken off the pool, once. Every resident block pays it: add it to the block’s size.",
        ),
        Slip(
            SOLUTION.replace("// 128 * 128", "// 256 * 256").replace("+ 127", "+ 255"),
            "That unit belongs to older chips; here it is half as large.",
        ),
    ),
    hints=("First work out what one block takes, then divide.", "`(n + 127) // 128 * 128` rounds up to the unit."),
    because="The smaller the blocks’ own share, the more the reserve weighs.",
)
