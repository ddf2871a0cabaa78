"""Registers moved between warp groups by `setmaxnreg` (CC ≥ 9.0): does 24/240/240 fit the block's pool?

Source: PTX ISA, setmaxnreg: a block keeps the registers it was launched with as its pool; a warp group (four warps) may
give some back or take more, in multiples of 8 from 24 to 256 a thread; taking waits until the pool has enough, so what
never fits never ends. Code must be compiled for an architecture with the suffix "a", with a fixed count of registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from occusite.model.checks import integer
from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties

WARPS = 4
UNIT, LEAST, MOST = 8, 24, 256


class WarpGroups(NamedTuple):
    """`groups`: registers per thread that each warp group wants. All else in registers per block, or per thread.

    `launched`: per thread, as compiled; `pool`: what the block was launched with; `wanted`: what the groups want
    together; `fits`: whether they all get it; `spare`: per thread, that one group could take on top (negative: that
    is missing); `launch`: the launch whose occupancy counts, before any move.
    """

    groups: tuple[int, ...]
    launched: int
    pool: int
    wanted: int
    fits: bool
    spare: int
    launch: Launch


def warp_groups(device: Properties, launch: Launch, groups: Sequence[int]) -> WarpGroups:
    """Whether the warp groups of a block can hold `groups` registers per thread at the same time.

    `launch` gives the registers per thread the kernel is compiled for; its threads are those of the groups, 128 each.
    Raises `ValueError` for a device before CC 9.0, no group, a count that `setmaxnreg` does not take, and launched
    registers that are no multiple of 8.
    """
    if device.major < 9:
        raise ValueError(f"device: {device.name!r} is not allowed; setmaxnreg needs compute capability 9.0")
    if not groups:
        raise ValueError("groups: missing; give the registers per thread of each warp group, like 24/240/240")
    asked = tuple(_count("groups", count) for count in groups)
    launched = _count("registers", launch.registers)
    threads = WARPS * device.warp_size
    pool, wanted = launched * threads * len(asked), sum(asked) * threads
    made = replace(launch, threads=threads * len(asked))
    return WarpGroups(asked, launched, pool, wanted, wanted <= pool, (pool - wanted) // threads, made)


def _count(field: str, value: int) -> int:
    number = integer(field, value, LEAST, MOST, "registers per thread, a multiple of 8")
    if number % UNIT:
        raise ValueError(f"{field}: {number} is not allowed; give a multiple of {UNIT}, {LEAST}–{MOST}")
    return number
