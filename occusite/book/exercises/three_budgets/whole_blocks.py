"""Chapter 2, find the bug: limits compared in warps instead of whole blocks name the wrong budget."""

from occusite import paper
from occusite.book.parts.exercise import Code, Slip, cases

KIB = paper.KIB
SM = paper.SM()
CASE = SM.occupancy(paper.Launch(256, 49, 19 * KIB))
IN_WARPS = SM.registers // (paper.WARP * CASE.launch.registers)

STARTER = '''\
def resident_warps(threads, registers, shared_memory):
    """Resident warps on the paper SM, and the set of budgets that bind."""
    warps = (threads + 31) // 32
    limits = {
        "registers": 65_536 // (32 * registers),
        "shared memory": 98_304 // shared_memory * warps,
        "warp slots": 48,
        "block slots": 16 * warps,
    }
    fewest = min(limits.values())
    return fewest, {name for name, value in limits.items() if value == fewest}
'''

SOLUTION = '''\
def resident_warps(threads, registers, shared_memory):
    """Resident warps on the paper SM, and the set of budgets that bind."""
    warps = (threads + 31) // 32
    blocks = {
        "registers": 65_536 // (32 * registers * warps),
        "shared memory": 98_304 // shared_memory,
        "warp slots": 48 // warps,
        "block slots": 16,
    }
    fewest = min(blocks.values())
    return fewest * warps, {name for name, value in blocks.items() if value == fewest}
'''


def expected(threads: int, registers: int, shared_memory: int) -> tuple[int, set[str]]:
    answer = SM.occupancy(paper.Launch(threads, registers, shared_memory))
    names = {"registers": "registers", "shared_memory": "shared memory", "warps": "warp slots", "blocks": "block slots"}
    return answer.warps, {names[b] for b in answer.limiters}


exercise = Code(
    title="Blocks come whole",
    chapter=2,
    kind="bug",
    prose=f"""Ask this calculator about {CASE.launch.threads} threads, {CASE.launch.registers} registers and
        {CASE.launch.shared_memory // KIB} KiB. It finds room for {IN_WARPS} warps of registers and {CASE.warps} warps
        of shared memory, and blames shared memory. Yet with less shared memory the kernel still has {CASE.warps}
        warps: the odd warp of registers is a part of a block, and parts of blocks do not run.

        Make it compare whole blocks, so that it names every budget that really binds.""",
    function="resident_warps",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"threads": 256, "registers": 49, "shared_memory": 19 * KIB},
        *cases(
            threads=(32, 64, 160, 256, 320, 512, 768),
            registers=(20, 33, 40, 49, 64, 100),
            shared_memory=[k * KIB for k in (4, 12, 16, 19, 33)],
        ),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER,
            "The limits are still compared in warps. Turn each into whole blocks first; take the minimum after that.",
        ),
        Slip(
            STARTER.replace(
                "    return fewest, {name for name, value in limits.items() if value == fewest}\n",
                "    return fewest // warps * warps, {name for name, value in limits.items() if value == fewest}\n",
            ),
            "The number of warps is right now, the blame is not: you rounded after choosing the budget. Round each"
            " limit down to whole blocks before you compare them.",
        ),
        Slip(
            SOLUTION.replace("return fewest * warps", "return fewest"),
            "That is the number of blocks. The question asks for warps.",
        ),
    ),
    hints=(
        f"How many whole blocks of {CASE.warps_per_block} warps fit into {IN_WARPS} warps’ worth of registers?",
        "Divide each stock by what one *block* takes; multiply by warps per block only at the end.",
    ),
    because=f"""In blocks both budgets allow {CASE.blocks}: a tie. Only spending less of both would bring another
        block in.""",
)
