"""Chapter 8, find the bug: the register file divided as if it were one piece."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases

A100 = nvidia.device("8.0")
CASE = nvidia.Launch(224, 92)
PER_WARP = A100.occupancy(CASE).allocated["registers_per_block"] // A100.warps_per_block(CASE)

STARTER = '''\
def blocks_by_registers(threads, registers):
    """Blocks that fit the register file of an A100: 65,536 registers in four parts."""
    warps = (threads + 31) // 32
    per_warp = (32 * registers + 255) // 256 * 256
    return 65_536 // (warps * per_warp)
'''
SOLUTION = STARTER.replace("65_536 // (warps * per_warp)", "16_384 // per_warp * 4 // warps")


def expected(threads: int, registers: int) -> int | None:
    return A100.occupancy(nvidia.Launch(threads, registers)).limits["registers"].blocks


exercise = Code(
    title="Four files, not one",
    chapter=8,
    kind="bug",
    prose=f"""The rounding is right, and still this calculator finds
        {A100.registers_per_sm // (A100.warps_per_block(CASE) * PER_WARP)} blocks of {CASE.threads} threads with {CASE.registers}
        registers, where an A100 holds {expected(CASE.threads, CASE.registers)}. Its register file is split into
        {A100.allocation.partitions} parts of {A100.registers_per_sm // A100.allocation.partitions:,}; a warp lives in one part and
        cannot use a remnant of another.""",
    function="blocks_by_registers",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"threads": 224, "registers": 92},
        *(c for c in cases(threads=range(32, 1025, 96), registers=range(20, 256, 12)) if expected(**c)),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER,
            "The division uses the whole file at once. First ask how many warps fit in *one* part, then multiply by the"
            " parts.",
        ),
        Slip(
            SOLUTION.replace("16_384 // per_warp * 4 // warps", "16_384 // (per_warp * warps) * 4"),
            "A block need not live in one part: its *warps* are spread over all of them. Only a warp stays whole.",
        ),
        Slip(
            SOLUTION.replace("16_384 // per_warp * 4 // warps", "16_384 // per_warp // warps"),
            "That is what one part holds. There are four.",
        ),
    ),
    hints=(
        "How many warps fit in one part, in whole numbers?",
        "All parts together hold four times as many warps; how many blocks are that?",
    ),
    because="The remnant of each part is lost: together they may be as large as a warp, but no warp can use them.",
)
