"""Chapter 10, write the function: the register cap behind a launch bound."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases

ADA = nvidia.device("8.9")
MOST = 255
HEAD = '''\
def register_cap(threads, blocks):
    """The most registers per thread with which `blocks` blocks stay resident on an Ada SM."""
'''
BODY = """\
    warps = blocks * ((threads + 31) // 32)
    in_one_part = (warps + 3) // 4
    per_warp = 16_384 // in_one_part // 256 * 256
    return min(per_warp // 32, 255)
"""


def expected(threads: int, blocks: int) -> int:
    return max(r for r in range(1, MOST + 1) if ADA.occupancy(nvidia.Launch(threads, r)).blocks >= blocks)


exercise = Code(
    title="The cap behind the promise",
    chapter=10,
    kind="write",
    prose=f"""Turn the rule behind launch bounds into a function: given threads per block and the blocks that are to be
        resident, how many registers may each thread use on Ada, at most? The file has {ADA.allocation.partitions} parts of
        {ADA.registers_per_sm // ADA.allocation.partitions:,} registers, a warp lives in one of them and takes a multiple of
        {ADA.allocation.register_unit}; no thread has more than {MOST}.""",
    function="register_cap",
    starter=HEAD + "    ...\n",
    solution=HEAD + BODY,
    cases=[
        {"threads": 256, "blocks": 3},
        *(
            c
            for c in cases(threads=(32, 64, 100, 128, 192, 256, 288, 384, 512, 768), blocks=(1, 2, 3, 4, 5, 6))
            if -(-c["threads"] // 32) * c["blocks"] <= 48
        ),
    ],
    expected=expected,
    slips=(
        Slip(
            HEAD + "    return min(65_536 // (threads * blocks), 255)\n",
            "The plain division, as on paper. Parts and units of the file are missing.",
        ),
        Slip(
            HEAD + BODY.replace(" // 256 * 256", ""),
            "The parts are there. Registers of a warp come in units: round them down to a multiple.",
        ),
        Slip(
            HEAD
            + BODY.replace("    in_one_part = (warps + 3) // 4\n", "").replace(
                "16_384 // in_one_part", "65_536 // warps"
            ),
            "The unit is there. But the file is not one piece: how many warps share one part of it?",
        ),
        Slip(HEAD + BODY.replace("min(per_warp // 32, 255)", "per_warp // 32"), "No thread may have that many."),
    ),
    hints=(
        "How many warps are resident, and how many of them share one part of the file? Round up.",
        "What may one of them have? Round down to the unit, then divide by the threads of a warp.",
    ),
    because="A compiler that is to keep the second number of `__launch_bounds__` has to stay at or below this.",
)
