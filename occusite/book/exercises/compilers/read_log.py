"""Chapter 10, calculate: from two lines of a build log to resident warps."""

from occusite import nvidia, reports
from occusite.book.content.tables import working_table
from occusite.book.parts.exercise import Blank, Numbers, Slip, log

LOG = """\
ptxas info    : Compiling entry function '_Z9histogramPKjPji' for 'sm_89'
ptxas info    : Function properties for _Z9histogramPKjPji
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 58 registers, used 1 barriers, 12288 bytes smem, 372 bytes cmem[0]
"""
(KERNEL,) = reports.read(LOG)
ADA = nvidia.device("8.9")
THREADS = 192
FOUND = ADA.occupancy(KERNEL.launch(threads=THREADS))
REGISTERS = FOUND.limits["registers"].blocks or 0
SLOTS = FOUND.limits["warps"].blocks or 0

exercise = Numbers(
    title="What the log says, and what it cannot",
    chapter=10,
    kind="calculate",
    prose=f"""The compiler printed this:{log(LOG)}The kernel is launched on an RTX&nbsp;4090 with {THREADS} threads per
        block and no dynamic shared memory: two things no log knows.""",
    blanks=(
        Blank(
            "How many blocks are resident on each SM?",
            FOUND.blocks,
            "blocks",
            slips=(
                Slip(FOUND.warps, "Those are warps. How many blocks are they?"),
                *(
                    Slip(n, f"That is what {what} alone would allow. What else does a block take?")
                    for n, what in ((SLOTS, "the warp slots"), (REGISTERS, "the register file"))
                    if n not in (FOUND.blocks, FOUND.warps) and (n != SLOTS or what == "the warp slots")
                ),
            ),
        ),
        Blank(
            "How many warps is that?",
            FOUND.warps,
            "warps",
            slips=(Slip(FOUND.blocks, f"Each of these blocks has {FOUND.warps_per_block} warps."),),
        ),
    ),
    hints=(
        "“Used … registers” is per thread, “bytes smem” is static shared memory per block.",
        "The chip rounds both, and each block pays the reserve.",
    ),
    because="`occusite read build.log --threads …` does the same for every kernel of a log.",
    working=working_table(FOUND, "The launch, computed from the log"),
)
