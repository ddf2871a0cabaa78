"""Chapter 6, write the function: Little's law, from bandwidth and latency to resident warps."""

from occusite.book.parts.exercise import Code, Slip, cases
from occusite.littles_law import Supply

HEAD = '''\
def warps_needed(bandwidth, latency, sms, access, loads):
    """Resident warps each SM needs: GB/s, ns, SMs, bytes per warp access, loads in flight per warp."""
'''
BODY = """\
    in_flight = bandwidth * latency
    per_warp = access * loads
    return math.ceil(in_flight / (sms * per_warp))
"""
TOP = "import math\n\n\n"


def expected(bandwidth: int, latency: int, sms: int, access: int, loads: int) -> int:
    return Supply(bandwidth, latency, sms, access, loads).warps


exercise = Code(
    title="How many warps does the memory ask for?",
    chapter=6,
    kind="write",
    prose="""Write Little’s law as a function. It takes the bandwidth of the whole GPU in GB/s, the latency of a load in
        ns, the number of SMs, the bytes of one warp access and the loads each warp keeps in flight; it gives the
        resident warps each SM needs, as a whole number.""",
    function="warps_needed",
    starter=TOP + HEAD + "    ...\n",
    solution=TOP + HEAD + BODY,
    cases=[
        {"bandwidth": 2000, "latency": 400, "sms": 100, "access": 128, "loads": 2},
        *cases(bandwidth=(300, 960, 3350), latency=(350, 610), sms=(20, 128), access=(32, 128, 512), loads=(1, 2, 4)),
    ],
    expected=expected,
    slips=(
        Slip(
            TOP + HEAD + BODY.replace("math.ceil(in_flight / (sms * per_warp))", "in_flight // (sms * per_warp)"),
            "Rounded down, the supply falls short by a part of a warp, and the memory waits. Round up.",
        ),
        Slip(
            TOP + HEAD + BODY.replace("math.ceil(in_flight / (sms * per_warp))", "in_flight / (sms * per_warp)"),
            "The quantity is right; but warps come whole. Round up.",
        ),
        Slip(
            TOP + HEAD + BODY.replace("access * loads", "access"),
            "That counts loads in flight. A warp that keeps several of them going stands for as many.",
        ),
        Slip(
            TOP + HEAD + BODY.replace("(sms * per_warp)", "per_warp"),
            "That many warps serve the whole GPU. Its SMs share them.",
        ),
        Slip(
            TOP + HEAD + BODY.replace("bandwidth * latency", "bandwidth * 2**30 / 1e9 * latency"),
            "You took a GB for a power of two. Bandwidth is given in billions of bytes per second, so GB/s × ns is plain"
            " bytes.",
        ),
        Slip(
            TOP + HEAD + BODY.replace("access * loads", "32 * loads"),
            "A warp access need not bring one byte per lane: how many it brings is given, as `access`.",
        ),
    ),
    hints=(
        "What must be in flight over the whole GPU? One multiplication, and the units cancel.",
        "What does one warp keep in flight? Divide by that and by the SMs, then `math.ceil`.",
    ),
    because="The function knows nothing of registers or slots. Whether that many warps fit is the other half of the book.",
)
