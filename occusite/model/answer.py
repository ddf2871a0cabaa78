"""The answer's types: what one launch gets on one device, with every limit and the working behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

# The order in which every table, bar chart and listing shows the budgets.
BUDGETS = ("registers", "shared_memory", "warps", "blocks", "barriers", "virtual")

# How prose names a budget, on a vendor-neutral page.
BUDGET_NAMES = {
    "registers": "registers",
    "shared_memory": "shared memory",
    "warps": "warp slots",
    "blocks": "block slots",
    "barriers": "barriers",
    "virtual": "virtual resources",
}


class Step(NamedTuple):
    """One line of the working: `text` is the arithmetic with its numbers, `value` what it comes to.

    `budget` is one of `BUDGETS`, or "" for a line about the whole launch; `rule` says in a few words why this
    line is there (its name, and where the vendor states it).
    """

    budget: str
    text: str
    value: int | None
    unit: str
    rule: str = ""


class Device(Protocol):
    """What every device offers, whoever made it: `paper.SM`, `nvidia.Device`, …"""

    @property
    def name(self) -> str: ...

    def occupancy(self, launch: Any) -> Occupancy: ...

    def working(self, launch: Any) -> tuple[Step, ...]: ...


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Residency of one launch on one SM (compute unit, Xe-core) of `device`.

    `blocks`: resident blocks; `warps`: resident warps; `slots`: the SM's warp slots.
    `limits`: blocks each budget alone would allow; None is unlimited. Keys from `BUDGETS`.
    `binding`: **every** budget whose limit equals `blocks`; empty when the launch is refused for another reason.
    `allocated`: what one block takes after the hardware's rounding, by name (`registers_per_block` in registers,
    `shared_memory_per_block` in bytes, …).
    `reason`: why the launch cannot run ("" when it can). A launch that cannot run has `blocks == 0`.
    """

    device: Device
    launch: Any
    blocks: int
    warps: int
    slots: int
    limits: Mapping[str, int | None]
    binding: tuple[str, ...]
    allocated: Mapping[str, int]
    reason: str = ""

    @property
    def occupancy(self) -> Fraction:
        """Resident warps ÷ warp slots, exactly."""
        return Fraction(self.warps, self.slots)

    @property
    def percent(self) -> float:
        """Resident warps as a percentage of the warp slots."""
        return 100 * self.warps / self.slots

    @property
    def runs(self) -> bool:
        """Whether at least one block fits."""
        return self.blocks > 0

    @property
    def steps(self) -> tuple[Step, ...]:
        """The arithmetic, line by line, as data (computed when asked for: sweeps never pay for it)."""
        return self.device.working(self.launch)

    @property
    def limiter(self) -> str:
        """The binding budgets in words: "registers + shared memory"; "cannot launch" when nothing fits."""
        return " + ".join(BUDGET_NAMES[b] for b in self.binding) if self.runs else "cannot launch"
