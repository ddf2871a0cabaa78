"""Chapter 4, calculate: how far a plateau reaches in both directions."""

from occusite import paper
from occusite.book.content.tables import plateaus
from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.questions import staircase

KIB = paper.KIB
SM = paper.SM()
LAUNCH = paper.Launch(256, 53, 12 * KIB)
STAIRS = staircase.plateaus(SM.occupancy(LAUNCH))
STEP = next(p for p in STAIRS if p.first <= LAUNCH.registers <= p.last)
ABOVE = next(p for p in STAIRS if p.last == STEP.first - 1)

exercise = Numbers(
    title="Free registers",
    chapter=4,
    kind="calculate",
    prose=f"""On the paper SM a kernel takes {LAUNCH.registers} registers per thread, with {LAUNCH.threads} threads and
        {LAUNCH.shared_memory // KIB} KiB per block.""",
    blanks=(
        Blank(
            "How many *more* registers may each thread use before a block is lost?",
            STEP.last - LAUNCH.registers,
            "registers",
            slips=(
                Slip(STEP.last, "That is where the plateau ends. How far away is it from where the kernel stands?"),
                Slip(
                    STEP.last + 1 - LAUNCH.registers,
                    "One too many: that step is already over the edge.",
                ),
            ),
        ),
        Blank(
            "And how many must it *save* to bring one more block in?",
            LAUNCH.registers - ABOVE.last,
            "registers",
            slips=(
                Slip(ABOVE.last, "That is the count to reach. How many registers below the present one is it?"),
                Slip(
                    LAUNCH.registers - STEP.first,
                    "That leads to the near edge of the same plateau, where nothing changes yet. Go one further.",
                ),
            ),
        ),
    ),
    hints=(
        f"{STEP.blocks} blocks are resident. What is the most each thread may take so that {STEP.blocks} still fit?",
        f"For {ABOVE.blocks} blocks, divide {SM.registers:,} by the threads of {ABOVE.blocks} blocks.",
    ),
    because=f"""The kernel stands on the plateau from {STEP.first} to {STEP.last} registers. Within it registers are
        free: spend them on a larger tile or on more independent loads.""",
    working=plateaus(SM.occupancy(LAUNCH), "The staircase the kernel stands on"),
)
