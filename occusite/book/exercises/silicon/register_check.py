"""Chapter 8, find the bug: the launch check counts more registers than the block has."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases

H100 = nvidia.device("9.0")
CASE = nvidia.Launch(288, 224)

STARTER = '''\
def launches(threads, registers):
    """Whether an H100 accepts a block, going by its registers: 65,536 at most."""
    return threads * registers <= 65_536
'''
SOLUTION = '''\
def launches(threads, registers):
    """Whether an H100 accepts a block, going by its registers: 65,536 at most."""
    warps = (threads + 31) // 32
    per_warp = (32 * registers + 255) // 256 * 256
    counted = (warps + 3) // 4 * 4
    return counted * per_warp <= 65_536
'''


def expected(threads: int, registers: int) -> bool:
    return H100.occupancy(nvidia.Launch(threads, registers)).limits["registers"].blocks != 0


assert CASE.threads * CASE.registers <= H100.registers_per_block and not expected(CASE.threads, CASE.registers)

exercise = Code(
    title="Too many resources requested",
    chapter=8,
    kind="bug",
    prose=f"""{CASE.threads} threads × {CASE.registers} registers are {CASE.threads * CASE.registers:,}, and a block may
        have {H100.registers_per_block:,}. Yet an H100 refuses the launch. For this check it rounds the registers of a
        warp up to its unit of {H100.allocation.register_unit}, and the *warps* of the block up to a multiple of its
        {H100.allocation.partitions} partitions.""",
    function="launches",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"threads": 288, "registers": 224},
        *cases(threads=(32, 128, 160, 256, 288, 320, 416, 512, 544, 672, 1000, 1024), registers=range(32, 256, 8)),
        *cases(threads=(384, 640, 610), registers=(97, 100, 102, 103, 168, 169, 170)),
        *cases(threads=(1024, 512, 400), registers=(63, 64, 65, 121, 127, 129, 153, 161)),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER,
            "Neither warps nor registers are rounded yet; the chip rounds both before it compares.",
        ),
        Slip(
            SOLUTION.replace("(warps + 3) // 4 * 4", "warps"),
            "The unit is right. But the check assumes that each partition gets equally many warps: round the warps up,"
            " too.",
        ),
        Slip(
            SOLUTION.replace("(32 * registers + 255) // 256 * 256", "32 * registers"),
            "The warps are right. Their registers come in units: round these as well.",
        ),
        Slip(
            SOLUTION.replace("<= 65_536", "< 65_536"),
            "A block that takes exactly all the registers is still allowed.",
        ),
    ),
    hints=(
        f"{CASE.threads} threads are {H100.warps_per_block(CASE)} warps. What is the next multiple of {H100.allocation.partitions}?",
        "Multiply by the registers of one warp, rounded up to the unit.",
    ),
    because="The launch fails with an error, at run time. A calculator that shows a percentage here helps nobody.",
)
