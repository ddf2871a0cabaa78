"""Chapter 6, choose: which of four kernels gains from more warps, being below its knee."""

from occusite.book.parts.exercise import Choose, Option
from occusite.littles_law import Supply

# Loads in flight per warp, resident warps now.
KERNELS = ((1, 48), (2, 24), (4, 24), (8, 12))
SUPPLY = {k: Supply(bandwidth=2000, latency=500, sms=100, access=128, loads=k[0]) for k in KERNELS}
SUPPLY[KERNELS[0]] = Supply(bandwidth=1000, latency=500, sms=120, access=128, loads=1)


def share(kernel: tuple[int, int]) -> float:
    need = SUPPLY[kernel]
    return need.throughput(kernel[1]) / need.throughput(1000)


def label(kernel: tuple[int, int]) -> str:
    loads, warps = kernel
    need = SUPPLY[kernel]
    flying = "one load" if loads == 1 else f"{loads} loads"
    return f"{warps} warps, {flying} in flight each, on {need.bandwidth:g} GB/s over {need.sms} SMs"


def reason(kernel: tuple[int, int]) -> str:
    need, (_, warps) = SUPPLY[kernel], kernel
    if warps < need.warps:
        return (
            f"Little’s law asks for {need.warps} warps; with {warps} the memory runs at {100 * share(kernel):.0f} % of its"
            " speed, and every further warp adds to it."
        )
    return (
        f"Little’s law asks for {need.warps} warps, and {warps} are there: the roof is reached, more changes nothing."
    )


exercise = Choose(
    title="Below the knee",
    chapter=6,
    kind="choose",
    prose=f"""Four kernels read memory in accesses of {SUPPLY[KERNELS[1]].access} bytes with a latency of
        {SUPPLY[KERNELS[1]].latency:g} ns. Each could be given a few more resident warps. For which one is it worth the
        trouble?""",
    options=tuple(Option(label(k), reason(k), share(k) < 1) for k in KERNELS),
    hints=(
        "For each kernel, work out the warps that Little’s law asks for, and compare.",
        "The kernel with the fewest warps is not the one that wants more of them.",
    ),
    because="Occupancy alone does not say who is starving. Warps × loads in flight does.",
)
