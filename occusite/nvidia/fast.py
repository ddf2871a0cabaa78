"""The fast path: resident blocks alone, from tables which the rule functions fill as they are asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from occusite.nvidia import limits
from occusite.nvidia.clusters import cluster_cause
from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties

# The fields whose values the tables are made over; all others are options of a sweep.
SWEPT = ("threads", "registers", "dynamic_shared")
_OPTIONS = tuple(f.name for f in Launch.FIELDS if f.name not in SWEPT)


class Tables:
    """The two rules a sweep needs, for the options of `launch`: all but its threads, registers and dynamic memory.

    `fixed`: bytes of shared memory each block has before the dynamic part, the reserve included; `most_dynamic`:
    bytes beyond which a launch is refused; `most_threads`: the same for threads, 0 where every launch is.
    """

    def __init__(self, device: Properties, launch: Launch) -> None:
        allocation = device.allocation
        cap = device.max_dynamic_shared(launch)
        self.device, self.caching = device, launch.partitioned_caching
        self.unit, self.warp_size = allocation.shared_unit, device.warp_size
        never = cluster_cause(device, launch) or limits.too_much_static(device, launch.static_shared)
        self.most_threads = 0 if never else device.max_threads_per_block
        self.most_dynamic = float(cap) if launch.opt_in else float("inf")
        self.fixed = launch.static_shared + device.reserved_shared_memory
        self.block_limit = limits.shared_block_limit(device, self.fixed + cap, launch.opt_in)
        self.preferred = limits.preferred_pool(device, launch.carveout, launch.cache_preference)
        counted = (
            allocation.max_blocks,
            limits.count_limit(allocation.barriers, launch.barriers),
            limits.count_limit(allocation.virtual, launch.virtual),
        )
        self.least = min(limit for limit in counted if limit is not None)

    def without_shared(self, key: tuple[int, int]) -> int:
        """Blocks all budgets but shared memory allow, for (warps per block, registers per thread)."""
        warps, registers = key
        device = self.device
        by_registers, halves = limits.register_limit(device, warps, registers, self.caching)
        threads = min(warps * self.warp_size, device.max_threads_per_block)
        blocks = min(self.least, limits.warp_limit(device, threads, halves))
        return blocks if by_registers is None else min(blocks, by_registers)

    def shared(self, units: int) -> int:
        """Blocks shared memory allows when each takes `units` units; no more than any budget ever allows."""
        allocated = units * self.unit
        if allocated == 0:
            return self.device.allocation.max_blocks
        if allocated > self.block_limit:
            return 0
        return limits.shared_pool(self.device, allocated, self.preferred) // allocated


class Remembered(dict[Any, int]):
    """A table whose missing entries are filled in by a rule."""

    def __init__(self, rule: Callable[[Any], int]) -> None:
        self.rule = rule

    def __missing__(self, key: Any) -> int:
        self[key] = value = self.rule(key)
        return value


def block_counter(device: Properties, launch: Launch) -> Callable[..., int]:
    """`(threads, registers, dynamic_shared=0) -> resident blocks` with the options of `launch`, unchecked.

    Sweeps of the same options share their tables.
    """
    return _block_counter(device, tuple(getattr(launch, name) for name in _OPTIONS))


@lru_cache(maxsize=256)
def _block_counter(device: Properties, options: tuple[Any, ...]) -> Callable[..., int]:
    tables = Tables(device, Launch(1, 0, **dict(zip(_OPTIONS, options, strict=True))))
    cells, pools = Remembered(tables.without_shared), Remembered(tables.shared)
    most_threads, most_dynamic = tables.most_threads, tables.most_dynamic
    warp, unit, fixed = tables.warp_size, tables.unit, tables.fixed

    def blocks(threads: int, registers: int, dynamic_shared: int = 0) -> int:
        if threads > most_threads or dynamic_shared > most_dynamic:
            return 0
        others = cells[-(-threads // warp), registers]
        shared = pools[-(-(fixed + dynamic_shared) // unit)]
        return others if others < shared else shared

    return blocks


def counter(device: Properties, launch: Launch, names: tuple[str, ...]) -> Callable[..., tuple[int, int]] | None:
    """A function of the values of the fields `names` to (blocks, warps); None for fields outside the tables."""
    if not set(names) <= set(SWEPT):
        return None
    count, warp = block_counter(device, launch), device.warp_size
    threads, registers, shared = launch.threads, launch.registers, launch.dynamic_shared
    warps = -(-threads // warp)
    if names == ("registers",):
        return lambda v: ((blocks := count(threads, v, shared)), blocks * warps)
    if names == ("dynamic_shared",):
        return lambda v: ((blocks := count(threads, registers, v)), blocks * warps)
    if names == ("threads",):
        return lambda v: ((blocks := count(v, registers, shared)), blocks * -(-v // warp))
    if names == ("threads", "registers"):
        return lambda t, r: ((blocks := count(t, r, shared)), blocks * -(-t // warp))
    order = [names.index(name) if name in names else None for name in SWEPT]
    own = (threads, registers, shared)

    def residency(*values: int) -> tuple[int, int]:
        t, r, s = (values[at] if at is not None else o for at, o in zip(order, own, strict=True))
        blocks = count(t, r, s)
        return blocks, blocks * -(-t // warp)

    return residency
