"""Chapter 5, write the function: the calculator itself, on the paper SM."""

from occusite import paper
from occusite.book.parts.exercise import Code, Slip, cases

KIB = paper.KIB
SM = paper.SM()
HEAD = '''\
def occupancy(threads, registers, shared_memory):
    """Resident warps divided by warp slots, on the paper SM."""
'''
BODY = """\
    warps = (threads + 31) // 32
    limits = [65_536 // (warps * 32 * registers), 48 // warps, 16]
    if shared_memory:
        limits.append(98_304 // shared_memory)
    return min(limits) * warps / 48
"""


def expected(threads: int, registers: int, shared_memory: int) -> float:
    return float(SM.occupancy(paper.Launch(threads, registers, shared_memory)).occupancy or 0)


exercise = Code(
    title="The calculator from memory",
    chapter=5,
    kind="write",
    prose=f"""Close the page’s calculator and write your own: `occupancy` of a launch on the paper SM
        ({SM.registers:,} registers, {SM.shared_memory:,} bytes of shared memory, {SM.warps} warp slots, {SM.blocks}
        block slots), as a fraction of one. Shared memory is in bytes, and zero of it sets no limit.""",
    function="occupancy",
    starter=HEAD + "    ...\n",
    solution=HEAD + BODY,
    cases=[
        {"threads": 256, "registers": 64, "shared_memory": 12 * KIB},
        *cases(
            threads=(256, 512, 1024, 96, 100, 32),
            registers=(32, 49, 64, 128),
            shared_memory=(12 * KIB, 24 * KIB, 2 * KIB, 0),
        ),
    ],
    expected=expected,
    slips=(
        Slip(
            HEAD + BODY.replace("    if shared_memory:\n        limits", "    limits"),
            "Right whenever shared memory is used. Without it, `limits` divides by zero: a budget nobody draws on is"
            " left out of the minimum.",
        ),
        Slip(
            HEAD + BODY.replace(" * warps / 48", ""),
            "That is the number of resident blocks. Turn it into warps, and divide by the slots.",
        ),
        Slip(
            HEAD + BODY.replace("(threads + 31) // 32", "threads // 32"),
            "A part of a warp is a whole warp to the hardware: round up. A block smaller than a warp came out as none.",
        ),
        Slip(
            HEAD + BODY.replace("(threads + 31) // 32", "threads / 32"),
            "Warps are counted in whole ones: a block whose last warp is part full still takes all of it.",
        ),
        Slip(
            HEAD + BODY.replace("return min(limits) * warps / 48", "return min(1, 65_536 / (32 * registers) / 48)"),
            "That spreads the registers over warps. Blocks come whole, and the other budgets have a say.",
        ),
        Slip(
            HEAD + BODY.replace(", 16]", "]"),
            "The smallest blocks come out too well: the SM has block slots, too.",
        ),
    ),
    hints=(
        "First warps per block, rounded up. Then one division for each budget, rounded down.",
        "The smallest quotient is the number of blocks; multiply by warps per block, divide by the slots.",
    ),
    because="Three divisions and a minimum: everything after this is about what real chips round before they divide.",
)
