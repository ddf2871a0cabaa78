"""Chapter 4, write the function: where the next step of the staircase is."""

from occusite import paper
from occusite.book.parts.exercise import Code, Slip, cases

SM = paper.SM()
HEAD = '''\
def registers_for(blocks, threads):
    """The most registers per thread at which `blocks` blocks of `threads` threads fit the register file."""
'''
SOLUTION = HEAD + "    warps = (threads + 31) // 32\n    return 65_536 // (blocks * warps * 32)\n"


def expected(blocks: int, threads: int) -> int:
    return max(r for r in range(1, 256) if SM.limits(paper.Launch(threads, r))["registers"] >= blocks)  # type: ignore[operator]


exercise = Code(
    title="Where the next step is",
    chapter=4,
    kind="write",
    prose=f"""The edges of the staircase need no search: one division finds each. Write `registers_for`, which gives
        the most registers per thread at which a number of blocks still fits into the {SM.registers:,} registers of
        the paper SM. A part of a warp takes a whole one.""",
    function="registers_for",
    starter=HEAD + "    ...\n",
    solution=SOLUTION,
    cases=[{"blocks": 4, "threads": 256}, *cases(blocks=(3, 5, 6, 7), threads=(128, 200, 256, 300, 384, 512))],
    expected=expected,
    slips=(
        Slip(
            SOLUTION.replace("warps * 32", "threads").replace("    warps = (threads + 31) // 32\n", ""),
            "Right for blocks of whole warps. A block whose last warp is only part full still pays for all its lanes.",
        ),
        Slip(
            SOLUTION.replace("65_536 // (", "round(65_536 / (").replace("* 32)", "* 32))"),
            "Rounding to nearest sometimes rounds up, and then the last block no longer fits. Round down.",
        ),
        Slip(SOLUTION.replace("blocks * ", ""), "That fits one block. How many are to share the file?"),
        Slip(
            SOLUTION.replace("65_536 // (blocks * warps * 32)", "65_536 // (blocks * warps * 32) + 1"),
            "One over: that is the first count at which a block is lost.",
        ),
    ),
    hints=(
        "All the threads of all the blocks share the file. How many threads is that, counted in whole warps?",
        "`65_536 // (number of threads)` is the largest share that everyone can have.",
    ),
    because="The plateaus of this chapter’s table are this function at each number of blocks.",
)
