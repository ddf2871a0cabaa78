"""Chapter 5, write the function: a register sweep on the paper SM."""

from occusite import paper
from occusite.book.parts.exercise import Code, Slip, cases

KIB = paper.KIB
SM = paper.SM()
HEAD = '''\
def sweep(registers, threads, shared_memory):
    """Occupancy on the paper SM, in whole percent, for each register count in the list."""
'''
BODY = """\
    warps = (threads + 31) // 32
    found = []
    for count in registers:
        blocks = min(
            65_536 // (warps * 32 * count),
            98_304 // shared_memory if shared_memory else 16,
            48 // warps,
            16,
        )
        found.append(round(100 * blocks * warps / 48))
    return found
"""


def expected(registers: list[int], threads: int, shared_memory: int) -> list[int]:
    return [round(SM.occupancy(paper.Launch(threads, r, shared_memory)).percent or 0) for r in registers]


exercise = Code(
    title="A sweep of your own",
    chapter=5,
    kind="write",
    prose="""Write the sweep of this chapter as a function: for each register count in a list, the occupancy in whole
        percent. Let shared memory be zero without a complaint: a budget nobody draws on sets no limit.""",
    function="sweep",
    starter=HEAD + "    ...\n",
    solution=HEAD + BODY,
    cases=[
        {"registers": [32, 48, 64], "threads": 256, "shared_memory": 12 * KIB},
        *cases(
            registers=[[32], [40, 42, 43], list(range(24, 129, 8))],
            threads=(64, 256, 320),
            shared_memory=(24 * KIB, 4 * KIB, 0),
        ),
    ],
    expected=expected,
    slips=(
        Slip(
            HEAD + BODY.replace(" if shared_memory else 16", ""),
            "Right whenever shared memory is used. A kernel that uses none divides by zero: what limit does it set?",
        ),
        Slip(
            HEAD + BODY.replace(" if shared_memory else 16", " if shared_memory else 0"),
            "A kernel without shared memory came out as one that cannot run. An appetite of zero sets no limit at all.",
        ),
        Slip(
            HEAD + BODY.replace("100 * blocks * warps / 48", "100 * blocks / 16"),
            "You divided blocks by block slots. Occupancy is resident *warps* over warp slots.",
        ),
        Slip(
            HEAD + BODY.replace("100 * blocks * warps / 48", "blocks * warps / 48"),
            "Those are fractions, rounded to nothing or one. The question asks for percent.",
        ),
        Slip(
            HEAD
            + BODY.replace("            16,\n        )", "        )").replace(
                " if shared_memory else 16", " if shared_memory else 99"
            ),
            "Small blocks show what is missing: the SM has a limited number of block slots too.",
        ),
    ),
    hints=(
        "Start from the dozen lines of this chapter’s calculator, and put them into a loop.",
        "`min` takes any number of arguments; leave shared memory out, or give it a harmless limit, when it is zero.",
    ),
    because="Each row is the same minimum. What changes along a sweep is which budget gives it.",
)
