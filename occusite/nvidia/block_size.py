"""Block sizes and room: the vendor's suggestion, the smallest size as good, and dynamic shared memory left."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from occusite.model.checks import integer
from occusite.nvidia import limits
from occusite.nvidia.clusters import cluster_cause
from occusite.nvidia.fast import block_counter
from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties
from occusite.nvidia.rules import ROOM_LEAVES_RESERVE_OUT

Shared = int | Callable[[int], int]


class BlockSize(NamedTuple):
    """A suggested block size: `threads` per block (0: no size runs), `blocks` resident per SM, `warps` resident per
    SM, and `min_grid`, the blocks that fill every SM of the device once (None: its SMs are not known)."""

    threads: int
    blocks: int
    warps: int
    min_grid: int | None


def potential_block_size(
    device: Properties, launch: Launch, dynamic_shared: Shared | None = None, max_threads: int | None = None
) -> BlockSize:
    """The block size the vendor's API suggests: most resident threads, the largest block among equals.

    All of `launch` but its threads is kept. `dynamic_shared`: bytes per block, or a function from the block size to
    them (default: the launch's own). `max_threads`: the kernel's own limit (its launch bounds). Sizes tried are whole
    warps, and the limit itself. Source: `cudaOccMaxPotentialOccupancyBlockSize` in `cuda_occupancy.h`.

    Raises `ValueError` for a limit below 1 or a function that returns no legal size.
    """
    tried = _sizes(device, max_threads)
    return _first_best(device, launch, dynamic_shared, reversed(tried))


def smallest_block_size(
    device: Properties, launch: Launch, dynamic_shared: Shared | None = None, max_threads: int | None = None
) -> BlockSize:
    """The smallest block size of whole warps with as many threads resident as the vendor's suggestion.

    Smaller blocks leave less of the device idle at a grid's tail and wait less at barriers. Arguments and errors as
    in `potential_block_size`.
    """
    return _first_best(device, launch, dynamic_shared, _sizes(device, max_threads))


def available_dynamic_shared(device: Properties, launch: Launch, blocks: int) -> int:
    """The most dynamic shared memory per block, in bytes, with which `blocks` blocks still are resident on an SM.

    The launch's own dynamic shared memory is left out of account. Source: `cudaOccAvailableDynamicSMemPerBlock` in
    `cuda_occupancy.h`, which from CUDA 13.1 on takes the system's reserve off.

    Raises `ValueError` when that many blocks are not resident even without dynamic shared memory.
    """
    blocks = integer("blocks", blocks, 1, None, "blocks per SM")
    resident = min(limit for limit in limits.each_limit(device, launch, 0)[0].values() if limit is not None)
    if cluster_cause(device, launch):
        resident = 0
    if blocks > resident:
        allowed = f"1–{resident}" if resident else "nothing: this launch cannot run"
        raise ValueError(f"blocks: {blocks!r} is not allowed; give {allowed} (resident without dynamic shared memory)")
    limit = limits.shared_block_limit(device, device.shared_memory_per_sm, launch.opt_in)
    pool = limit
    if blocks > 1:
        preferred = limits.preferred_pool(device, launch.carveout, launch.cache_preference)
        pool = preferred or limits.shared_step(device, 1)
    unit = device.allocation.shared_unit
    share = min(pool // blocks // unit * unit, limit)
    leaves_out = device.reserves and device.header >= ROOM_LEAVES_RESERVE_OUT
    reserve = device.reserved_shared_memory if leaves_out else 0
    return max(min(share - launch.static_shared - reserve, device.max_dynamic_shared(launch)), 0)


def _sizes(device: Properties, max_threads: int | None) -> list[int]:
    if max_threads is not None:
        max_threads = integer("max_threads", max_threads, 1, None, "threads per block")
    most = device.max_threads_per_block if max_threads is None else min(max_threads, device.max_threads_per_block)
    return [min(size, most) for size in range(device.warp_size, most + device.warp_size, device.warp_size)]


def _first_best(device: Properties, launch: Launch, dynamic_shared: Shared | None, sizes: Iterable[int]) -> BlockSize:
    resident = block_counter(device, launch)
    registers = launch.registers
    best = threads = blocks = 0
    for size in sizes:
        if dynamic_shared is None:
            shared = launch.dynamic_shared
        else:
            shared = dynamic_shared(size) if callable(dynamic_shared) else dynamic_shared
            shared = integer("dynamic_shared", shared, 0, None, "bytes per block")
        count = resident(size, registers, shared)
        if count * size > best:
            best, threads, blocks = count * size, size, count
            if best == device.threads_per_sm:
                break
    warps = -(-threads // device.warp_size)
    sms = device.sm_count
    return BlockSize(threads, blocks, blocks * warps, None if sms is None else blocks * sms)
