"""Chapter 9, calculate: the three numbers of a spill: space, code and traffic."""

from occusite.book.content import spills
from occusite.book.parts.exercise import Blank, Numbers, Slip

KIB = 1024
CAP, K = 48, 4096
BUILD = spills.build(CAP)
FOUND = BUILD.occupancy()
RESIDENT = FOUND.blocks * BUILD.threads
LOOP = spills.inside(CAP).loop_stores
TRIPS = K // spills.STRIDE

exercise = Numbers(
    title="Where spilled registers live",
    chapter=9,
    kind="calculate",
    prose=f"""The SGEMM kernel in blocks of {BUILD.threads} threads is capped at {CAP} registers. On an RTX&nbsp;3090
        {FOUND.blocks} blocks are resident on each SM. The compiler reports a stack frame of {BUILD.stack} bytes and
        {BUILD.spill_stores} bytes of spill stores; {LOOP} of these stand in the loop over K, which goes on
        {spills.STRIDE} columns a trip.""",
    blanks=(
        Blank(
            "How many KiB of local memory do the resident threads of an SM keep?",
            RESIDENT * BUILD.stack / KIB,
            "KiB",
            tolerance=0.5,
            slips=(
                Slip(BUILD.threads * BUILD.stack / KIB, "That is one block. How many are resident?"),
                Slip(
                    RESIDENT * BUILD.spill_stores / KIB,
                    "You took the bytes of spill stores. Those are code; the space is the stack frame.",
                ),
                Slip(
                    FOUND.warps * BUILD.stack / KIB,
                    "You counted warps. Each of their threads has a frame of its own.",
                ),
            ),
        ),
        Blank(
            f"For K = {K}, how many bytes does one thread store as spills in that loop?",
            LOOP * TRIPS,
            "bytes",
            slips=(
                Slip(LOOP, "That is one trip. How many does the loop make?"),
                Slip(LOOP * K, f"One trip takes {spills.STRIDE} columns: fewer trips than K."),
                Slip(BUILD.spill_stores * TRIPS, "Some of the stores stand before or after the loop and run once."),
            ),
        ),
    ),
    hints=(
        "Space: blocks × threads per block × bytes of the frame.",
        "Traffic: bytes in the loop × trips.",
    ),
    because="""Local memory lies behind the same L1 cache that the kernel’s own data wants. What does not fit there goes to
        L2 and back at each use. Three numbers: the frame is space, the spill bytes are code, and bytes × trips are
        traffic.""",
)
