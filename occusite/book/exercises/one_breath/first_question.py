"""Chapter 14, choose the trade: four kernels, and the one that occupancy will help."""

from dataclasses import dataclass

from occusite import nvidia
from occusite.book.parts.exercise import Choose, Option
from occusite.littles_law import Supply
from occusite.questions.grid import waves as waves_of

ADA = nvidia.device("8.9")
THREADS = 256


@dataclass(frozen=True)
class Kernel:
    what: str
    registers: int
    loads: int
    eligible: float
    grid: int

    @property
    def warps(self) -> int:
        return ADA.occupancy(nvidia.Launch(THREADS, self.registers)).warps

    @property
    def helped(self) -> bool:
        """Enough blocks to fill the chip, a scheduler that runs dry, and a memory that asks for more warps."""
        need = Supply(bandwidth=1000, latency=600, sms=128, access=128, loads=self.loads)
        fills = self.grid >= waves_of(ADA.occupancy(nvidia.Launch(THREADS, self.registers)), self.grid).per_wave
        return fills and self.eligible < 1 and self.warps < need.warps


KERNELS = (
    Kernel("multiplies large matrices", 128, 8, 1.9, 4096),
    Kernel("sums a short array", 32, 1, 0.1, 40),
    Kernel("walks a linked structure", 128, 1, 0.2, 8192),
    Kernel("copies a large array", 40, 4, 0.3, 65_536),
)


def label(k: Kernel) -> str:
    return f"It {k.what}: {k.warps} warps resident, {k.eligible:g} eligible per cycle, {k.grid:,} blocks in the grid"


def reason(k: Kernel) -> str:
    if k.eligible >= 1:
        return "The scheduler has something to issue in every cycle. More to choose from changes nothing."
    if k.grid < ADA.sms:
        return "The grid does not even give every SM a block. More room on each SM stays empty."
    if k.helped:
        return "The scheduler runs dry, each warp waits for one load at a time, and registers keep other warps out."
    return "Enough is in flight: the memory itself is at its limit. Fewer bytes would help, more warps will not."


exercise = Choose(
    title="Where occupancy is the answer",
    chapter=14,
    kind="choose",
    prose=f"""Four kernels in blocks of {THREADS} threads on an RTX&nbsp;4090 with {ADA.sms} SMs. For which one would
        you look for more resident warps?""",
    options=tuple(Option(label(k), reason(k), k.helped) for k in KERNELS),
    hints=(
        "Does the scheduler ever run dry? “Eligible” counts warps that could issue.",
        "If it does: for lack of blocks, for lack of bandwidth, or for lack of resident warps?",
    ),
    because="Low occupancy was no sign of trouble in one of them, and high occupancy no help in two. The scheduler tells.",
)
