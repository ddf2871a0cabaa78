"""Chapter 7, calculate: the knee moves as each warp keeps more loads in flight."""

from dataclasses import replace

from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.book.parts.html import Table
from occusite.littles_law import Supply

ONE = Supply(bandwidth=1600, latency=610, sms=125, access=128, loads=1)
KNEE = {loads: replace(ONE, loads=loads).warps for loads in (1, 2, 4, 8)}

exercise = Numbers(
    title="Moving the knee",
    chapter=7,
    kind="calculate",
    prose=f"""A GPU moves {ONE.bandwidth:g} GB/s with a latency of {ONE.latency:g} ns over {ONE.sms} SMs, in accesses of
        {ONE.access} bytes. With one load in flight per warp the knee lies at {KNEE[1]} warps per SM, more than an SM may
        have slots for.""",
    blanks=(
        Blank(
            "Where does it lie with four independent loads per warp?",
            KNEE[4],
            "warps",
            slips=(
                Slip(KNEE[1], "That is with one load. Each warp now stands for several."),
                Slip(KNEE[1] // 4, "Rounded down the supply falls just short. Round up."),
                Slip(KNEE[1] * 4, "More loads per warp ask for *fewer* warps."),
                Slip(KNEE[2], "That is with two loads per warp."),
            ),
        ),
        Blank(
            "And with eight?",
            KNEE[8],
            "warps",
            slips=(Slip(KNEE[4], "That is the knee with four. Twice the loads, half the warps."),),
        ),
    ),
    hints=(f"{ONE.accesses:g} accesses must be in flight per SM.", "Divide by the loads per warp, and round up."),
    because="Independent work within a warp and warps are the same currency. A kernel may pay in either.",
    working=Table(("loads in flight per warp", "warps at the knee"), list(KNEE.items()), "The knee, by loads per warp"),
)
