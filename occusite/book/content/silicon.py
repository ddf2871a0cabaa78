"""What each hardware rule is worth: the share of launches a calculator gets wrong without it (chapter 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from occusite import nvidia, paper
from occusite.book.parts.html import THIN, Table, budget, count, text
from occusite.model import Occupancy

REGISTERS = range(16, 256)
BLOCK_SIZES = range(32, 1025, 32)
SHARED_STEP = 512

# The device with the most shared memory for a block: its range serves the controls of a widget on any device.
LARGEST = max(map(nvidia.device, nvidia.CHIPS), key=lambda d: d.shared_memory_per_block_opt_in)

Count = Callable[..., int]


def without(device: nvidia.Device, reserve: bool = False, **rules: Any) -> nvidia.Device:
    """`device` as a calculator sees it that ignores some rules: `rules` replace its own, `reserve` drops the reserve."""
    variant = replace(device, reserved_shared_memory=0) if reserve else replace(device)
    object.__setattr__(variant, "allocation", device.allocation._replace(**rules))
    return variant


def _launches() -> Iterator[tuple[int, int]]:
    return ((threads, registers) for threads in BLOCK_SIZES for registers in REGISTERS)


def _wrong(exact: Count, naive: Count, calls: list[tuple[int, ...]]) -> float:
    return 100 * sum(exact(*call) != naive(*call) for call in calls) / len(calls)


@cache
def ignored(capability: str) -> dict[str, float]:
    """Percentage of launches answered wrongly on one compute capability, by the rule ignored.

    The registers' rules are tried on every register count from 16 to 255 and every whole-warp block size; those of
    shared memory on every 512 bytes a block may have, at 32 registers per thread.
    """
    device = nvidia.device(capability)
    plain_launch = nvidia.Launch(1, 0)
    exact = device.block_counter(plain_launch)
    launches: list[tuple[int, ...]] = list(_launches())
    most = device.max_dynamic_shared(nvidia.Launch(32, 32))
    shared: list[tuple[int, ...]] = [
        (threads, 32, size) for threads in BLOCK_SIZES for size in range(SHARED_STEP, most + 1, SHARED_STEP)
    ]
    plain: dict[str, Any] = {"partitions": 1, "must_fit_partitions": None}
    return {
        "register unit": _wrong(exact, without(device, register_unit=1).block_counter(plain_launch), launches),
        "partitions": _wrong(exact, without(device, **plain).block_counter(plain_launch), launches),
        "both": _wrong(exact, without(device, register_unit=1, **plain).block_counter(plain_launch), launches),
        "shared memory’s reserve and unit": _wrong(
            exact, without(device, reserve=True, shared_unit=1).block_counter(plain_launch), shared
        ),
        "block slots": _wrong(exact, without(device, max_blocks=32).block_counter(plain_launch), launches),
    }


def rules_ignored() -> Table:
    """One row a compute capability: the share of launches a calculator gets wrong that ignores one rule."""
    rows = []
    for capability, chip in nvidia.CHIPS.items():
        if chip.family == "Kepler":
            continue
        shares = ignored(capability)
        rows.append((capability, chip.family, *(f"{share:.1f}{THIN}%" if share else "0" for share in shares.values())))
    columns = (
        "CC",
        "family",
        "register unit",
        "partitions",
        "both of these",
        "shared memory’s reserve and unit",
        "block slots (32 for all)",
    )
    return Table(columns, rows, "Launches answered wrongly when a rule is ignored")


def share(capability: str, rule: str) -> str:
    """One cell of the table, rounded for a sentence."""
    return f"{ignored(capability)[rule]:.0f}{THIN}%"


def working(answer: Occupancy) -> Table:
    """Every step of an exact answer, as a table: what it is about, the arithmetic, what it comes to, why."""
    steps = answer.steps
    rows = [
        (
            budget(answer.budget(s.budget)) if s.budget else "",
            _typeset(s.text(count)),
            f"{text(s.value)} {s.unit}" if s.value is not None else f"no limit ({s.unit})",
            _typeset(s.rule),
        )
        for s in steps
    ]
    marked = frozenset(i for i, s in enumerate(steps) if s.budget in answer.limiters and s.unit == "blocks")
    return Table(("budget", "arithmetic", "comes to", "why"), rows, "The working, step by step", marked)


def _typeset(words: str) -> str:
    """Words of the package with the book's apostrophes."""
    return words.replace("'", "’")


def on_chip(capability: str, threads: int, registers: int, shared_kib: int = 0) -> Table:
    """The exact working of one launch."""
    launch = nvidia.Launch(threads, registers, dynamic_shared=shared_kib * paper.KIB)
    return working(nvidia.device(capability).occupancy(launch))


def limits_by_architecture() -> Table:
    """What one SM has, for each compute capability."""
    rows = [
        (
            capability,
            chip.family,
            chip.threads // 32,
            nvidia.device(capability).allocation.max_blocks,
            chip.registers,
            chip.shared // paper.KIB,
            chip.opt_in // paper.KIB,
            chip.reserved,
        )
        for capability, chip in nvidia.CHIPS.items()
        if chip.family != "Kepler"
    ]
    columns = (
        "CC",
        "family",
        "warp slots",
        "block slots",
        "registers",
        "shared (KiB)",
        "most per block (KiB)",
        "reserve (bytes)",
    )
    return Table(columns, rows, "What one SM has")
