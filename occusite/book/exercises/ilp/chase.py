"""Chapter 7, predict: loads that wait for each other against loads that do not."""

from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.scheduler import Kernel, simulate, warps_to_saturate

LOADS = 4
FREE = Kernel(loads=LOADS, arithmetic=0, latency=480, interval=30)
CHAIN = Kernel(loads=1, arithmetic=0, latency=480, rounds=LOADS, interval=30)
NEED_FREE, NEED_CHAIN = warps_to_saturate(FREE), warps_to_saturate(CHAIN)
assert NEED_FREE
assert NEED_CHAIN
WARPS = 2

exercise = Numbers(
    title="A list and an array",
    chapter=7,
    kind="predict",
    prose=f"""A memory answers a load after {FREE.latency} cycles and can start one for this scheduler every
        {FREE.interval} cycles. Two kernels do nothing but load. One walks an array and keeps {LOADS} independent loads
        in flight per warp. The other walks linked lists, one per thread: the compiler unrolled it {LOADS} times, but
        each address is in the element before.""",
    blanks=(
        Blank(
            "How many warps of the array kernel saturate the memory?",
            NEED_FREE,
            "warps",
            slips=(
                Slip(NEED_CHAIN, f"That many loads must be in flight. Each warp has {LOADS} of them going."),
                Slip(NEED_CHAIN * LOADS, "Loads in flight per warp *divide* the need for warps."),
            ),
        ),
        Blank(
            "How many warps of the list kernel?",
            NEED_CHAIN,
            "warps",
            slips=(
                Slip(NEED_FREE, "That would need independent loads. In a list each waits for the one before."),
                Slip(
                    NEED_CHAIN * LOADS,
                    "Unrolling a chain does not make it worse: one load in flight is one load in flight.",
                ),
            ),
        ),
        Blank(
            f"With {WARPS} warps of the list kernel, what share of the bandwidth is reached, in per cent?",
            float(100 * simulate(CHAIN, WARPS).loads_per_cycle * CHAIN.interval),
            "%",
            tolerance=1,
            slips=(
                Slip(
                    float(100 * simulate(FREE, WARPS).loads_per_cycle * FREE.interval),
                    f"With {LOADS} loads in flight per warp it would be. The list has one.",
                ),
            ),
        ),
    ),
    hints=(
        "Loads that must be in flight: latency ÷ interval.",
        "How many of them does one warp of each kernel keep going at the same moment?",
    ),
    because="""Unrolling gives the compiler the chance to overlap. It cannot overlap what depends on itself: that takes
        several lists per thread, or more warps.""",
)
