"""Chapter 3, find the bug: a percentage for a block that cannot launch."""

from occusite import paper
from occusite.book.parts.exercise import Code, Slip, cases

KIB = paper.KIB
SM = paper.SM()
HUGE = paper.Launch(1024, 80)

STARTER = '''\
def describe(threads, registers, shared_memory):
    """Occupancy on the paper SM, in words."""
    warps = (threads + 31) // 32
    blocks = max(1, min(
        65_536 // (warps * 32 * registers),
        98_304 // shared_memory if shared_memory else 16,
        48 // warps,
        16,
    ))
    return f"{100 * blocks * warps / 48:.0f} %"
'''
NO_MAX = STARTER.replace("max(1, min(", "min(").replace("    ))\n", "    )\n")
SOLUTION = NO_MAX.replace("    return f", '    if blocks == 0:\n        return "cannot launch"\n    return f')


def expected(threads: int, registers: int, shared_memory: int) -> str:
    answer = SM.occupancy(paper.Launch(threads, registers, shared_memory))
    return f"{answer.percent:.0f} %" if answer.runs else "cannot launch"


exercise = Code(
    title="No block, no percentage",
    chapter=3,
    kind="bug",
    prose=f"""This calculator promises a percentage to a launch of {HUGE.threads} threads with {HUGE.registers} registers
        each: {HUGE.threads * HUGE.registers:,} registers for one block, where the paper SM stocks {SM.registers:,}.
        The GPU would refuse it.

        When not even one block fits, `describe` should return the text `"cannot launch"`.""",
    function="describe",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"threads": 1024, "registers": 80, "shared_memory": 0},
        *cases(
            threads=(64, 256, 512, 1024),
            registers=(32, 64, 65, 128, 200),
            shared_memory=(0, 12 * KIB, 96 * KIB, 100 * KIB),
        ),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER,
            "`max` turns a block that does not fit into one that does. An answer of no blocks is an answer: let it"
            " through, and say so in words.",
        ),
        Slip(
            NO_MAX,
            "The count is honest now. But a percentage of nothing reads like a slow launch, where there is none: return"
            ' `"cannot launch"` instead.',
        ),
        Slip(
            SOLUTION.replace("if blocks == 0", "if registers * threads > 65_536"),
            "Right for registers. Shared memory can refuse a block too: ask whether *any* budget allows none.",
        ),
    ),
    hints=(
        "Which line makes sure that there is always a block?",
        "Take `max` away, and look at what remains when a budget allows no block.",
    ),
    because="A launch that cannot run is not a slow one: the driver returns an error. A good calculator says so, and why.",
)
