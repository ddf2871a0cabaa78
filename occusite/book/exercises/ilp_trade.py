"""Chapter 7, choose the trade: registers for independent loads, or for more warps."""

from dataclasses import dataclass, replace

from occusite import nvidia
from occusite.book.exercise import Choose, Option
from occusite.littles_law import Supply

ADA = nvidia.device("8.9")
MEMORY = Supply(bandwidth=1000, latency=600, sms=80, access=128)


THREADS = 256


@dataclass(frozen=True)
class Version:
    loads: int
    registers: int

    @property
    def warps(self) -> int:
        return ADA.occupancy(nvidia.Launch(THREADS, self.registers)).warps

    @property
    def share(self) -> float:
        need = replace(MEMORY, loads=self.loads)
        return need.throughput(self.warps) * need.sms / need.bandwidth


VERSIONS = (Version(1, 32), Version(2, 72), Version(4, 96), Version(2, 168))
BEST = max(VERSIONS, key=lambda v: v.share)


def label(v: Version) -> str:
    loads = "one load" if v.loads == 1 else f"{v.loads} loads"
    return f"{loads} in flight per warp, {v.registers} registers per thread"


def reason(v: Version) -> str:
    occupancy = f"{v.warps} warps ({100 * v.warps / ADA.warps_per_sm:.0f} % occupancy)"
    return (
        f"{occupancy} × {v.loads} in flight are {v.warps * v.loads} accesses, of {MEMORY.accesses:g} that the memory asks"
        f" for: {100 * v.share:.0f} % of its speed."
    )


exercise = Choose(
    title="Two ways to pay",
    chapter=7,
    kind="choose",
    prose=f"""Four versions of one kernel, in blocks of {THREADS} threads, on an Ada SM. More loads in flight need more
        registers to land in. The memory moves {MEMORY.bandwidth:g} GB/s with {MEMORY.latency:g} ns over {MEMORY.sms}
        SMs, {MEMORY.access} bytes an access. Which version is the fastest?""",
    options=tuple(Option(label(v), reason(v), v is BEST) for v in VERSIONS),
    hints=(
        "For each version: how many warps do its registers leave room for?",
        "Warps × loads in flight is what counts.",
    ),
    because="The version with the highest occupancy is not the one that keeps most in flight.",
)
