"""Chapter 5, calculate: reading a register sweep at two sizes of shared memory."""

from occusite import paper
from occusite.book.content.tables import compare
from occusite.book.parts.exercise import Blank, Numbers, Slip

KIB = paper.KIB
SM = paper.SM()
THREADS = 256
SMALL, LARGE = 12, 40
LOW, HIGH = 32, 80
WARPS = {(r, k): SM.occupancy(paper.Launch(THREADS, r, k * KIB)).warps for r in (LOW, HIGH) for k in (SMALL, LARGE)}
GAIN = {k: WARPS[LOW, k] - WARPS[HIGH, k] for k in (SMALL, LARGE)}

exercise = Numbers(
    title="When a knob stops mattering",
    chapter=5,
    kind="calculate",
    prose=f"""On the paper SM, with blocks of {THREADS} threads, a rewrite brings a kernel from {HIGH} registers per thread
        down to {LOW}.""",
    blanks=(
        Blank(
            f"How many warps does it gain at {SMALL} KiB of shared memory per block?",
            GAIN[SMALL],
            "warps",
            slips=(
                Slip(WARPS[LOW, SMALL], "That is how many are resident afterwards. How many were there before?"),
                Slip(GAIN[SMALL] // 8, "Those are blocks. Each of them brings several warps."),
            ),
        ),
        Blank(
            f"And at {LARGE} KiB?",
            GAIN[LARGE],
            "warps",
            slips=(
                Slip(GAIN[SMALL], "That is what the registers alone would allow. Something else has become scarcer."),
                Slip(WARPS[LOW, LARGE], "That is how many are resident afterwards. How many were there before?"),
            ),
        ),
    ),
    hints=(
        "Two divisions for each question: registers and shared memory, before and after.",
        f"At {LARGE} KiB per block, how many blocks fit into {SM.shared_memory // KIB} KiB?",
    ),
    because=f"""At {LARGE} KiB shared memory binds before and after, so the registers saved buy nothing: spend them
        again.""",
    working=compare(*((THREADS, r, k) for k in (SMALL, LARGE) for r in (HIGH, LOW)), caption="Before and after, twice"),
)
