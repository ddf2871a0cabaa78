"""Chapter 8, find the bug: the carve-out ignored."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases

KIB = 1024
H100 = nvidia.device("9.0")
SIZE, WISH = 4 * KIB, 25
STEPS = ", ".join(str(s // KIB) for s in H100.allocation.shared_steps)

STARTER = f'''\
STEPS = [{STEPS}]  # KiB


def blocks_by_shared_memory(size, carveout):
    """Blocks whose shared memory fits an H100; `size` in bytes per block, `carveout` in percent."""
    taken = (size + 1024 + 127) // 128 * 128
    pool = 228 * 1024
    return pool // taken
'''
SOLUTION = STARTER.replace(
    "    pool = 228 * 1024\n",
    "    wanted = max(taken, 228 * 1024 * carveout // 100)\n"
    "    pool = next(step * 1024 for step in STEPS if step * 1024 >= wanted)\n",
)


def expected(size: int, carveout: int) -> int | None:
    return H100.occupancy(nvidia.Launch(128, 32, dynamic_shared=size, carveout=carveout)).limits["shared_memory"].blocks


exercise = Code(
    title="A border that moves",
    chapter=8,
    kind="bug",
    prose=f"""L1 cache and shared memory share one array. A program may ask for a *carve-out*: the percentage to be
        shared memory. With {SIZE // KIB} KiB per block and a carve-out of {WISH} % an H100 has room for
        {expected(SIZE, WISH)} blocks; this calculator says {expected(SIZE, 100)} whatever was asked.

        The driver rounds the wish up to one of the steps in the list, and never goes below what one block takes.""",
    function="blocks_by_shared_memory",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"size": SIZE, "carveout": WISH},
        *cases(
            size=[k * KIB for k in (0, 4, 9, 20, 47, 64, 100, 163, 227)], carveout=(0, 3, 10, 25, 50, 57, 58, 75, 100)
        ),
    ],
    expected=expected,
    slips=(
        Slip(STARTER, "The carve-out changes nothing yet: it sets the pool."),
        Slip(
            SOLUTION.replace(
                "    pool = next(step * 1024 for step in STEPS if step * 1024 >= wanted)\n", "    pool = wanted\n"
            ),
            "The hardware has only a few settings: the wish is rounded *up* to the next step.",
        ),
        Slip(
            SOLUTION.replace("max(taken, 228 * 1024 * carveout // 100)", "228 * 1024 * carveout // 100"),
            "A carve-out is a wish, not a cap. A block that needs more gets the next step that holds it.",
        ),
        Slip(
            SOLUTION.replace(
                "next(step * 1024 for step in STEPS if step * 1024 >= wanted)",
                "max(step * 1024 for step in STEPS if step * 1024 <= wanted)",
            ),
            "Rounded down, the pool may be smaller than one block.",
        ),
    ),
    hints=(
        "How many bytes does the percentage ask for? And one block? Take the larger.",
        "`next(step for step in STEPS if …)` finds the first step that is large enough.",
    ),
    because="With no carve-out given, the driver chooses for the kernel, and shared memory has the whole pool.",
)
