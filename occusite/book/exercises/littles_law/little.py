"""Chapter 6, predict: from bandwidth and latency to warps per SM."""

from occusite.book.content.tables import little
from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.littles_law import Supply

NEED = Supply(bandwidth=1000, latency=500, sms=50, access=128, loads=2)
ONE = Supply(NEED.bandwidth, NEED.latency, NEED.sms, NEED.access, 1)

exercise = Numbers(
    title="How many warps keep the memory busy?",
    chapter=6,
    kind="predict",
    prose=f"""A GPU moves {NEED.bandwidth:g} GB/s, and a load takes {NEED.latency:g} ns. It has {NEED.sms} SMs; each
        warp access brings {NEED.access} bytes, and each warp keeps {NEED.loads} loads in flight.""",
    blanks=(
        Blank(
            "How many bytes must be in flight on each SM?",
            int(NEED.per_sm),
            "bytes",
            slips=(
                Slip(NEED.total, "That is for the whole GPU. Its SMs share the work."),
                Slip(NEED.accesses, "Those are warp accesses. How many bytes does each of them bring?"),
            ),
        ),
        Blank(
            "How many resident warps does that ask for, per SM?",
            NEED.warps,
            "warps",
            slips=(
                Slip(ONE.warps, f"That many loads must be in flight. But each warp keeps {NEED.loads} of them going."),
                Slip(
                    int(NEED.accesses / NEED.loads),
                    "Rounded down, the memory waits a little each time. Round up.",
                ),
                Slip(ONE.warps * NEED.loads, "Loads in flight per warp *divide* the need for warps."),
            ),
        ),
    ),
    hints=(
        "Bytes in flight are bandwidth × latency; GB/s × ns is plain bytes.",
        "Divide by the SMs, by the bytes per access, by the loads per warp; round up at the very end.",
    ),
    because="Fewer warps leave the memory idle part of the time; more find it busy already.",
    working=little(NEED.bandwidth, NEED.latency, NEED.sms, NEED.access, NEED.loads),
)
