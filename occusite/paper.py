"""The paper model: three budgets compared in whole blocks, without the rounding real chips do (chapters 2, 4, 5)."""

from __future__ import annotations

from dataclasses import dataclass

from occusite.model.answer import Occupancy, Step
from occusite.model.checks import whole

KIB = 1024
WARP = 32


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel launch on paper: threads per block, registers per thread, bytes of shared memory per block.

    Raises `ValueError` for threads outside 1–1024, registers outside 1–255, or negative shared memory.
    Zero shared memory is legal: that budget is then unlimited.
    """

    threads: int
    registers: int
    shared_memory: int = 0

    def __post_init__(self) -> None:
        whole("threads", self.threads, 1, 1024, "threads per block")
        whole("registers", self.registers, 1, 255, "registers per thread")
        whole("shared_memory", self.shared_memory, 0, None, "bytes per block")

    @property
    def warps(self) -> int:
        """Warps per block; a part of a warp takes a whole one."""
        return -(-self.threads // WARP)


@dataclass(frozen=True, slots=True)
class SM:
    """A streaming multiprocessor as an inventory: `registers` in 32-bit registers, `shared_memory` in bytes,
    `warps` and `blocks` in slots. The defaults are the book's paper SM.

    Raises `ValueError` for a stock below 1.
    """

    registers: int = 65_536
    shared_memory: int = 96 * KIB
    warps: int = 48
    blocks: int = 16
    name: str = "paper SM"

    def __post_init__(self) -> None:
        for field in ("registers", "shared_memory", "warps", "blocks"):
            whole(field, getattr(self, field), 1)

    def limits(self, launch: Launch) -> dict[str, int | None]:
        """Blocks each budget alone would allow; None is unlimited."""
        shared = launch.shared_memory
        return {
            "registers": self.registers // (launch.warps * WARP * launch.registers),
            "shared_memory": self.shared_memory // shared if shared else None,
            "warps": self.warps // launch.warps,
            "blocks": self.blocks,
        }

    def resident_blocks(self, threads: int, registers: int, shared_memory: int = 0) -> int:
        """Resident blocks alone, for sweeps: plain integers in, unchecked, no objects made."""
        warps = -(-threads // WARP)
        blocks = min(self.registers // (warps * WARP * registers), self.warps // warps, self.blocks)
        return min(blocks, self.shared_memory // shared_memory) if shared_memory else blocks

    def occupancy(self, launch: Launch) -> Occupancy:
        """The minimum over the budgets, compared in whole blocks, with every tied budget named."""
        limits = self.limits(launch)
        blocks = min(v for v in limits.values() if v is not None)
        binding = tuple(b for b, v in limits.items() if v == blocks)
        return Occupancy(
            device=self,
            launch=launch,
            blocks=blocks,
            warps=blocks * launch.warps,
            slots=self.warps,
            limits=limits,
            binding=binding,
            allocated={
                "registers_per_block": launch.warps * WARP * launch.registers,
                "shared_memory_per_block": launch.shared_memory,
            },
            reason="" if blocks else self._reason(launch, limits),
        )

    def working(self, launch: Launch) -> tuple[Step, ...]:
        """One line a budget: the division, written out with its numbers."""
        limits = self.limits(launch)
        warps, per_block = launch.warps, launch.warps * WARP * launch.registers
        shared = launch.shared_memory
        return (
            Step(
                "", f"⌈{launch.threads} threads ÷ {WARP}⌉", warps, "warps per block", "a block is made of whole warps"
            ),
            Step(
                "registers",
                f"⌊{self.registers:,} ÷ ({warps * WARP} threads × {launch.registers})⌋ = ⌊{self.registers:,} ÷ {per_block:,}⌋",
                limits["registers"],
                "blocks",
                "the register file is shared by all resident threads",
            ),
            Step(
                "shared_memory",
                f"⌊{self.shared_memory:,} B ÷ {shared:,} B⌋" if shared else "none used: no limit",
                limits["shared_memory"],
                "blocks",
                "each block keeps its shared memory while it is resident",
            ),
            Step("warps", f"⌊{self.warps} slots ÷ {warps}⌋", limits["warps"], "blocks", "a warp needs a slot"),
            Step("blocks", f"{self.blocks} slots", self.blocks, "blocks", "a block needs a slot"),
        )

    def _reason(self, launch: Launch, limits: dict[str, int | None]) -> str:
        have = {"registers": self.registers, "shared_memory": self.shared_memory, "warps": self.warps}
        need = {
            "registers": launch.warps * WARP * launch.registers,
            "shared_memory": launch.shared_memory,
            "warps": launch.warps,
        }
        unit = {"registers": "registers", "shared_memory": "bytes of shared memory", "warps": "warp slots"}
        short = [b for b, v in limits.items() if v == 0]
        return "one block does not fit: " + "; ".join(
            f"it needs {need[b]:,} {unit[b]}, the SM has {have[b]:,}" for b in short
        )


# An Ada-class SM as the paper rule sees it.
ADA = SM(shared_memory=100 * KIB, blocks=24, name="Ada-class SM, paper rule")
