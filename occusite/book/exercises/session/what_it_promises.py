"""Chapter 12, choose: what full occupancy says about a kernel's speed."""

from dataclasses import replace

from occusite.book.parts.exercise import Choose, Option
from occusite.littles_law import Supply

MEMORY = Supply(bandwidth=2000, latency=480, sms=100, access=128, loads=1)
BEFORE, AFTER = (24, 2), (48, 1)


def share(warps: int, loads: int) -> float:
    need = replace(MEMORY, loads=loads)
    return round(100 * need.throughput(warps) * need.sms / need.bandwidth)


OLD, NEW = share(*BEFORE), share(*AFTER)

exercise = Choose(
    title="The percentage went up",
    chapter=12,
    kind="choose",
    prose=f"""A change takes a kernel from {BEFORE[0]} to {AFTER[0]} resident warps: full occupancy. To save registers it
        gave up its second load in flight. The memory moves {MEMORY.bandwidth:g} GB/s with {MEMORY.latency:g} ns over
        {MEMORY.sms} SMs, in accesses of {MEMORY.access} bytes. What do you expect?""",
    options=(
        Option(
            "It runs about twice as fast",
            "Twice the warps, but each keeps half as much in flight: the product is what the memory sees.",
            NEW > 1.5 * OLD,
        ),
        Option(
            "It runs as fast as before",
            f"{BEFORE[0]} × {BEFORE[1]} and {AFTER[0]} × {AFTER[1]} are equally many accesses in flight: {NEW} % of the"
            " memory’s speed, both times.",
            NEW == OLD,
        ),
        Option(
            "It runs at the full speed of the memory, as nothing is left to gain",
            f"Full occupancy is not full speed: {MEMORY.accesses:g} accesses must be in flight, and"
            f" {AFTER[0] * AFTER[1]} are.",
            NEW >= 100,
        ),
        Option(
            "It runs half as fast",
            "Each warp has half as much in flight, but there are twice as many of them.",
            NEW < 0.75 * OLD,
        ),
    ),
    hints=("Multiply warps by loads in flight, before and after.",),
    because="A higher percentage is a fact about residency. About speed it says nothing until the product is known.",
)
