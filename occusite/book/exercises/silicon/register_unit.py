"""Chapter 8, find the bug: registers not rounded to the allocation unit of a warp."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases

A100 = nvidia.device("8.0")
CASE = nvidia.Launch(256, 41)
TAKEN = A100.occupancy(CASE).allocated["registers_per_block"]

STARTER = '''\
def registers_taken(threads, registers):
    """Registers that one block occupies in the register file."""
    warps = (threads + 31) // 32
    return warps * 32 * registers
'''
SOLUTION = '''\
def registers_taken(threads, registers):
    """Registers that one block occupies in the register file."""
    warps = (threads + 31) // 32
    per_warp = (32 * registers + 255) // 256 * 256
    return warps * per_warp
'''


def expected(threads: int, registers: int) -> int:
    return A100.occupancy(nvidia.Launch(threads, registers)).allocated["registers_per_block"]


exercise = Code(
    title="Registers come in units",
    chapter=8,
    kind="bug",
    prose=f"""A block of {CASE.threads} threads with {CASE.registers} registers each occupies {TAKEN:,} registers of an
        A100, and not {CASE.threads * CASE.registers:,} as this calculator says. The chip gives registers to a warp at
        a time, rounded up to a multiple of {A100.allocation.register_unit}.""",
    function="registers_taken",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"threads": 256, "registers": 41},
        *cases(
            threads=(32, 64, 96, 100, 256, 288, 1024), registers=(16, 17, 24, 32, 40, 43, 48, 49, 64, 65, 127, 200, 255)
        ),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER,
            "Nothing is rounded yet. Work out the registers of one *warp*, round them up to the unit, then multiply.",
        ),
        Slip(
            STARTER.replace("warps * 32 * registers", "(warps * 32 * registers + 255) // 256 * 256"),
            "The whole block is rounded here, once. Each warp is rounded on its own, so the loss counts for every warp.",
        ),
        Slip(
            SOLUTION.replace("(32 * registers + 255)", "(32 * registers)"),
            "Rounded down: a warp would get fewer registers than it needs.",
        ),
        Slip(
            SOLUTION.replace("+ 255) // 256 * 256", "+ 511) // 512 * 512"),
            "That unit is too coarse: the rule here is a smaller one.",
        ),
        Slip(
            SOLUTION.replace("(32 * registers + 255) // 256 * 256", "32 * (registers + (registers & 1))"),
            "Even counts are not enough: the unit per thread is larger than two.",
        ),
    ),
    hints=(
        "How many registers do the threads of one warp need together?",
        "`(n + 255) // 256 * 256` rounds up to a multiple of the unit.",
    ),
    because="Ignoring the unit is the most frequent error of occupancy calculators: it is always too hopeful.",
)
