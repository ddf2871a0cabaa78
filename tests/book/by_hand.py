"""Residency once more, in plain lines, from limits typed off the CUDA Programming Guide: the judge of pictures and tables.

`tests/book/test_by_hand.py` holds it to the vendor header's own answers.
"""

from __future__ import annotations

from typing import NamedTuple

KIB = 1024


class Chip(NamedTuple):
    """Slots, shared memory (KiB an SM, KiB a block, bytes of reserve, bytes a unit, KiB it can be set to), barriers."""

    warps: int
    blocks: int
    shared: int
    most: int
    reserve: int = 1024
    unit: int = 128
    barriers: int | None = None
    parts: int = 4


CHIPS = {
    "5.0": Chip(64, 32, 64, 48, 0, 256),
    "6.0": Chip(64, 32, 64, 48, 0, 256, parts=2),
    "7.0": Chip(64, 32, 96, 96, 0, 256),
    "7.5": Chip(32, 16, 64, 64, 0, 256),
    "8.0": Chip(64, 32, 164, 163),
    "8.6": Chip(48, 16, 100, 99),
    "8.9": Chip(48, 24, 100, 99),
    "9.0": Chip(64, 32, 228, 227, barriers=64),
    "10.0": Chip(64, 32, 228, 227, barriers=64),
    "12.0": Chip(48, 24, 100, 99, barriers=24),
}


def up(value: int, unit: int) -> int:
    """The next multiple of a unit."""
    return -(-value // unit) * unit


def limits(
    capability: str,
    threads: int,
    registers: int,
    shared: int = 0,
    *,
    unit: int = 256,
    parts: int | None = None,
    reserve: int | None = None,
    shared_unit: int | None = None,
    blocks: int | None = None,
) -> dict[str, int | None]:
    """Blocks each budget allows of a launch with `shared` bytes of dynamic memory; the named arguments replace a rule.

    A kernel of compute capability 6.0 has two parts to live in and must fit four all the same.
    """
    chip = CHIPS[capability]
    warps = up(threads, 32) // 32
    mine, must = (parts, parts) if parts else (chip.parts, 4)
    per_warp = up(32 * registers, unit)
    fit = mine * (65_536 // mine // per_warp)
    also = must * (65_536 // must // per_warp)
    checked = per_warp * up(warps, must)
    by_registers = 0 if checked > 65_536 or warps > also else fit // warps
    kept = chip.reserve if reserve is None else reserve
    size = up(shared + kept, shared_unit or chip.unit)
    by_shared = None if not size else 0 if shared > chip.most * KIB else chip.shared * KIB // size
    return {
        "registers": by_registers,
        "shared_memory": by_shared,
        "warps": chip.warps // warps if threads <= 1024 else 0,
        "blocks": chip.blocks if blocks is None else blocks,
        "barriers": chip.barriers,
    }


def resident(capability: str, threads: int, registers: int, shared: int = 0, **rules: int) -> int:
    """Resident blocks of that launch."""
    return min(v for v in limits(capability, threads, registers, shared, **rules).values() if v is not None)


def paper_limits(threads: int, registers: int, kib: int, *, shared: int = 96, blocks: int = 16) -> list[int | None]:
    """Blocks by registers, shared memory, warp slots and block slots of the paper SM: chapter 2's four divisions."""
    warps = up(threads, 32) // 32
    return [65_536 // (32 * warps * registers), shared // kib if kib else None, 48 // warps, blocks]
