"""Chapter 8, find the bug: the opt-in limit of a block taken as the SM's pool."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip

KIB = 1024
H100 = nvidia.device("9.0")
CASE = 113 * KIB

STARTER = '''\
def blocks_by_shared_memory(size):
    """Blocks whose shared memory fits an H100; `size` in bytes per block, opted in."""
    taken = (size + 1024 + 127) // 128 * 128
    return 227 * 1024 // taken
'''
SOLUTION = STARTER.replace("227 * 1024", "228 * 1024")


def expected(size: int) -> int | None:
    return H100.occupancy(nvidia.Launch(128, 32, dynamic_shared=size)).limits["shared_memory"].blocks


assert expected(CASE) == 2

exercise = Code(
    title="Whose limit is it?",
    chapter=8,
    kind="bug",
    prose=f"""Blocks with {CASE // KIB} KiB each: this calculator fits {227 * KIB // (CASE + KIB)} into an H100, the chip
        holds {expected(CASE)}. Somebody took the most that *one block* may opt in to
        ({H100.shared_memory_per_block_opt_in // KIB} KiB) for what the *SM* has
        ({H100.shared_memory_per_sm // KIB} KiB), and so paid the reserve twice.""",
    function="blocks_by_shared_memory",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"size": CASE},
        *({"size": k * KIB} for k in (0, 1, 2, 5, 11, 18, 37, 56, 75, 112, 114, 227)),
        *({"size": s} for s in range(700, 227 * KIB, 1777)),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER,
            "The reserve of one block is already missing from the opt-in limit; adding it to each block counts it twice."
            " Divide the SM’s pool.",
        ),
        Slip(
            SOLUTION.replace("(size + 1024 + 127)", "(size + 127)").replace("// taken", "// taken if taken else None"),
            "The pool is right. But now no block pays its reserve.",
        ),
        Slip(
            SOLUTION.replace("228 * 1024", "48 * 1024"),
            "That is what a block gets without opting in. The pool is another number.",
        ),
        Slip(
            SOLUTION.replace("228 * 1024", "256 * 1024"),
            "That is the whole array; a part of it always stays with the L1 cache.",
        ),
    ),
    hints=("Three numbers look alike: the default of a block, its opt-in, and the pool of the SM. Which is divided?",),
    because="Default limit, opt-in limit, pool: only the pool is shared by the blocks that are resident together.",
)
