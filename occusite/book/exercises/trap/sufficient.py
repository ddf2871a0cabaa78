"""Chapter 9, choose the trade: sufficient occupancy against the maximum."""

from dataclasses import dataclass

from occusite import nvidia
from occusite.book.parts.exercise import Choose, Option
from occusite.littles_law import Supply

ADA = nvidia.device("8.9")
THREADS = 256
MEMORY = Supply(bandwidth=1000, latency=500, sms=125, access=128, loads=2)


@dataclass(frozen=True)
class Cap:
    registers: int
    spills: int

    @property
    def warps(self) -> int:
        return ADA.occupancy(nvidia.Launch(THREADS, self.registers)).warps

    @property
    def time(self) -> float:
        """Relative to an unspilled kernel at the roof; each spilled word is one more access beside ten."""
        share = MEMORY.throughput(self.warps) * MEMORY.sms / MEMORY.bandwidth
        return (1 + self.spills / 40) / share


CAPS = (Cap(40, 160), Cap(64, 60), Cap(80, 0), Cap(168, 0))
BEST = min(CAPS, key=lambda c: c.time)


def label(cap: Cap) -> str:
    spills = f"{cap.spills} bytes spilled per thread" if cap.spills else "no spills"
    return f"{cap.registers} registers: {cap.warps} warps, {spills}"


def reason(cap: Cap) -> str:
    supply = f"Little’s law asks for {MEMORY.warps} warps"
    if cap.warps < MEMORY.warps:
        return f"{supply}; {cap.warps} leave the memory idle part of the time, whatever the registers are good for."
    if cap.spills:
        return f"{supply}; {cap.warps} are no faster than that, but all of them pay for the spills."
    return f"{supply}, {cap.warps} are there, and nothing is spilled: enough, and no more than enough."


exercise = Choose(
    title="Sufficient, not maximal",
    chapter=9,
    kind="choose",
    prose=f"""A kernel bound by memory, in blocks of {THREADS} threads on Ada, keeps {MEMORY.loads} loads in flight per
        warp. The memory moves {MEMORY.bandwidth:g} GB/s with {MEMORY.latency:g} ns over {MEMORY.sms} SMs, in accesses of
        {MEMORY.access} bytes. Which register cap would you compile with?""",
    options=tuple(Option(label(c), reason(c), c is BEST) for c in CAPS),
    hints=("How many warps does the memory ask for?", "Among the caps that give as many, which costs the least?"),
    because="Occupancy is a means. The number to reach is what keeps the scheduler supplied, not the highest there is.",
)
