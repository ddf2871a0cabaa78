"""Chapter 14, calculate: the whole chain, from a launch to the question whether its warps are enough."""

from occusite import nvidia
from occusite.book.content.tables import working_table
from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.littles_law import Supply

KIB = 1024
ADA = nvidia.device("8.9")
LAUNCH = nvidia.Launch(128, 72, static_shared=10 * KIB)
FOUND = ADA.occupancy(LAUNCH)
NEED = Supply(bandwidth=1000, latency=600, sms=128, access=128, loads=2)
LIMITS = {b: v.warps for b, v in FOUND.limits.items() if v.warps is not None}
SPARE = FOUND.warps - NEED.warps
assert SPARE > 0 and FOUND.limiters == ("registers",)

exercise = Numbers(
    title="From a launch to a verdict",
    chapter=14,
    kind="calculate",
    prose=f"""An Ada GPU with {NEED.sms} SMs moves {NEED.bandwidth:g} GB/s at {NEED.latency:g} ns. A kernel takes
        {LAUNCH.threads} threads per block, {LAUNCH.registers} registers per thread and
        {LAUNCH.static_shared // KIB} KiB of shared memory; each warp keeps {NEED.loads} loads of {NEED.access} bytes in
        flight.""",
    blanks=(
        Blank(
            "How many warps are resident per SM?",
            FOUND.warps,
            "warps",
            slips=(
                Slip(FOUND.blocks, "Those are blocks. How many warps has each?"),
                Slip(LIMITS["shared_memory"], "That is what shared memory allows. Registers allow fewer."),
                Slip(ADA.warps_per_sm, "Those are the slots. Registers allow fewer."),
            ),
        ),
        Blank(
            "How many does the memory ask for?",
            NEED.warps,
            "warps",
            slips=(
                Slip(-(-int(NEED.accesses * 8) // 8), "That many *loads* must be in flight; a warp has several."),
                Slip(NEED.warps - 1, "Rounded down, the supply falls just short."),
            ),
        ),
    ),
    hints=(
        "First the minimum over the budgets, in whole blocks, with the chip’s units.",
        "Then bandwidth × latency ÷ SMs ÷ bytes in flight per warp.",
    ),
    because=f"""More are resident than the memory asks for: {SPARE} to spare. The kernel can afford more registers, for
        more work per thread. Occupancy of {FOUND.percent:.0f} % is plenty here.""",
    working=working_table(FOUND, "Why so many are resident"),
)
