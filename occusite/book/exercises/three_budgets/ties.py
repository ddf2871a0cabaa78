"""Chapter 2, find the bug: the first limiter is named where two tie."""

from occusite import paper
from occusite.book.parts.exercise import Code, Slip, cases

KIB = paper.KIB
SM = paper.SM()
TIED = SM.occupancy(paper.Launch(256, 64, 24 * KIB))

STARTER = '''\
def binding(threads, registers, shared_memory):
    """The set of budgets that bind on the paper SM."""
    warps = (threads + 31) // 32
    blocks = {
        "registers": 65_536 // (warps * 32 * registers),
        "shared memory": 98_304 // shared_memory,
        "warp slots": 48 // warps,
        "block slots": 16,
    }
    return {min(blocks, key=blocks.get)}
'''


def expected(threads: int, registers: int, shared_memory: int) -> set[str]:
    names = {"registers": "registers", "shared_memory": "shared memory", "warps": "warp slots", "blocks": "block slots"}
    return {names[b] for b in SM.occupancy(paper.Launch(threads, registers, shared_memory)).limiters}


exercise = Code(
    title="Name every tied budget",
    chapter=2,
    kind="bug",
    prose=f"""This calculator names the budget to ease. With {TIED.launch.threads} threads, {TIED.launch.registers}
        registers and {TIED.launch.shared_memory // KIB} KiB it says “registers”, so a reader spends an afternoon
        saving registers, and gains nothing: shared memory allows the same {TIED.blocks} blocks.

        Make `binding` return the set of *every* budget that allows the fewest blocks.""",
    function="binding",
    starter=STARTER,
    solution=STARTER.replace(
        "    return {min(blocks, key=blocks.get)}\n",
        "    fewest = min(blocks.values())\n    return {name for name, value in blocks.items() if value == fewest}\n",
    ),
    cases=[
        {"threads": 256, "registers": 64, "shared_memory": 24 * KIB},
        *cases(
            threads=(32, 96, 128, 256, 384, 512),
            registers=(24, 32, 42, 49, 64, 96),
            shared_memory=[k * KIB for k in (2, 6, 12, 19, 24)],
        ),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER,
            "`min` stops at the first budget that has the smallest value. Keep the smallest value, then collect every"
            " budget that has it.",
        ),
        Slip(
            STARTER.replace("min(blocks, key=blocks.get)", "sorted(blocks, key=blocks.get, reverse=True)[-1]"),
            "Sorting the other way round names the last of the tied budgets instead of the first: still only one.",
        ),
        Slip(
            STARTER.replace("{min(blocks, key=blocks.get)}", "set(sorted(blocks, key=blocks.get)[:2])"),
            "Always naming two budgets invents a tie where there is none, and hides a tie of three.",
        ),
    ),
    hints=(
        "How many blocks does the scarcest budget allow? Give that number a name.",
        "A set comprehension over `blocks.items()` can keep each name whose value equals it.",
    ),
    because="Easing one of several tied budgets changes nothing: a calculator that hides the tie sends its reader the wrong way.",
)
