"""The fast path: resident blocks alone, from tables which the rule functions fill as they are asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from occusite.nvidia import limits
from occusite.nvidia.clusters import cluster_reason

if TYPE_CHECKING:
    from occusite.nvidia.device import Device
    from occusite.nvidia.launch import Launch


class Rules:
    """The two rules a sweep needs, for the options of `launch`: all but its threads, registers and dynamic memory.

    `fixed`: bytes of shared memory each block has before the dynamic part, the reserve included; `most_dynamic`:
    bytes beyond which a launch is refused; `most_threads`: the same for threads, 0 where every launch is.
    """

    def __init__(self, device: Device, launch: Launch) -> None:
        rules = device.rules
        cap = device.max_dynamic_shared(launch)
        self.device, self.caching = device, launch.partitioned_caching
        self.unit, self.warp_size = rules.shared_unit, device.warp_size
        self.most_threads = 0 if cluster_reason(device, launch) else device.max_threads_per_block
        self.most_dynamic = float(cap) if launch.opt_in else float("inf")
        self.fixed = launch.static_shared + device.reserved_shared_memory
        self.block_limit = limits.shared_block_limit(device, self.fixed + cap, launch.opt_in)
        self.preferred = limits.preferred_pool(device, launch.carveout, launch.cache_preference)
        counted = (
            rules.max_blocks,
            limits.count_limit(rules.barriers, launch.barriers),
            limits.count_limit(rules.virtual, launch.virtual),
        )
        self.least = min(limit for limit in counted if limit is not None)

    def without_shared(self, key: tuple[int, int]) -> int:
        """Blocks all budgets but shared memory allow, for (warps per block, registers per thread)."""
        warps, registers = key
        device = self.device
        by_registers, halves = limits.register_limit(device, warps, registers, self.caching)
        threads = min(warps * self.warp_size, device.max_threads_per_block)
        found = min(self.least, limits.warp_limit(device, threads, halves))
        return found if by_registers is None else min(found, by_registers)

    def shared(self, units: int) -> int:
        """Blocks shared memory allows when each takes `units` units; no more than any budget ever allows."""
        allocated = units * self.unit
        if allocated == 0:
            return self.device.rules.max_blocks
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


def counter(device: Device, launch: Launch) -> Callable[..., int]:
    """`(threads, registers, dynamic_shared=0) -> resident blocks` with the options of `launch`, unchecked."""
    rules = Rules(device, launch)
    cells, pools = Remembered(rules.without_shared), Remembered(rules.shared)
    most_threads, most_dynamic = rules.most_threads, rules.most_dynamic
    warp, unit, fixed = rules.warp_size, rules.unit, rules.fixed

    def blocks(threads: int, registers: int, dynamic_shared: int = 0) -> int:
        if threads > most_threads or dynamic_shared > most_dynamic:
            return 0
        found = cells[-(-threads // warp), registers]
        shared = pools[-(-(fixed + dynamic_shared) // unit)]
        return found if found < shared else shared

    return blocks
