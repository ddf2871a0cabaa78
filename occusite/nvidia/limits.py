"""NVIDIA's occupancy rules as short pure functions: each gives the blocks one budget allows (None: unlimited).

Theory of operation. An SM's register file is split in partitions; a warp lives in one of them and takes its registers
there, in units. Shared memory is handed out per block, in units, out of the part of the SM's memory which the
carve-out sets aside for it, and from CC 8.0 on the system keeps a kibibyte of each block's share. Warp slots, block
slots, barriers and virtual resources are plain divisions. The rules are those of `cuda_occupancy.h` (see
`rules.HEADER`), and the tests compare every output with it.
"""

from __future__ import annotations

from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties
from occusite.nvidia.rules import KIB


def registers_per_warp(device: Properties, registers: int) -> int:
    """Registers one warp is allocated: its threads' registers, rounded up to the unit."""
    unit = device.allocation.register_unit
    return -(-registers * device.warp_size // unit) * unit


def registers_checked(per_warp: int, warps: int, partitions: int) -> int:
    """Registers the launch check counts for one block: its warps rounded up to the partitions."""
    return per_warp * (-(-warps // partitions) * partitions)


def warps_in_register_file(device: Properties, per_warp: int, partitions: int) -> int:
    """Warps whose registers fit the SM: whole warps in each partition."""
    return device.registers_per_sm // partitions // per_warp * partitions


def register_limit(device: Properties, warps: int, registers: int, caching: str = "off") -> tuple[int | None, bool]:
    """Blocks the register file allows, and whether partitioned caching stays in effect.

    With partitioned caching a block lives in half an SM; where it cannot, the device turns the caching off, unless
    it is "strict". A CC 6.0 launch must also fit the four partitions of its 6.x siblings.
    """
    allocation = device.allocation
    halves = caching != "off" and allocation.partitioned_caching
    per_warp = registers_per_warp(device, registers)
    partitions = allocation.must_fit_partitions or allocation.partitions
    if (
        registers > allocation.max_registers
        or registers_checked(per_warp, warps, partitions) > device.registers_per_block
    ):
        return 0, halves
    if registers == 0:
        return None, halves
    fit = warps_in_register_file(device, per_warp, allocation.partitions)
    if halves:
        blocks = fit // 2 // warps * 2
        if blocks or caching == "strict":
            return blocks, True
    if allocation.must_fit_partitions and warps > warps_in_register_file(device, per_warp, partitions):
        return 0, False
    return fit // warps, False


def warp_limit(device: Properties, threads: int, halves: bool = False) -> int:
    """Blocks the warp slots allow; `halves`: partitioned caching keeps a block in half an SM."""
    if threads > device.max_threads_per_block:
        return 0
    warps = -(-threads // device.warp_size)
    return device.warps_per_sm // 2 // warps * 2 if halves else device.warps_per_sm // warps


def shared_step(device: Properties, size: int) -> int:
    """The smallest size of at least `size` bytes that the SM's shared memory can be set to (CC ≥ 7.0).

    Raises `ValueError` when no setting is that large, which only a made-up device can ask for.
    """
    for step in device.allocation.shared_steps:
        if size <= step:
            return step
    most = max(device.allocation.shared_steps, default=0)
    raise ValueError(
        f"shared_memory_per_sm: {size!r} bytes are not allowed; compute capability {device.compute_capability} "
        f"can set at most {most:,} bytes aside"
    )


def preferred_pool(device: Properties, carveout: int | None, cache_preference: str = "none") -> int:
    """Bytes of shared memory the SM is set to before a block's need is looked at."""
    whole = device.shared_memory_per_sm
    if device.allocation.shared_steps:
        if carveout is None:
            carveout = {"l1": 0, "shared": 100, "equal": 50}.get(cache_preference)
        return shared_step(device, whole if carveout is None else carveout * whole // 100)
    if device.allocation.kepler_split:
        least = whole + 16 * KIB - 48 * KIB
        return {"l1": least, "equal": (whole + least) // 2}.get(cache_preference, whole)
    return whole


def shared_allocation(device: Properties, shared: int) -> int:
    """Bytes one block is allocated: what it asks for and the reserve, rounded up to the unit."""
    unit = device.allocation.shared_unit
    return -(-(shared + device.reserved_shared_memory) // unit) * unit


def shared_block_limit(device: Properties, most: int, opt_in: bool) -> int:
    """Bytes one block may be allocated; `most`: what the kernel's attributes let it ask for, reserve included."""
    limit = device.shared_memory_per_block
    if opt_in and most > limit and device.allocation.shared_steps:
        limit = device.shared_memory_per_block_opt_in
    return limit + device.reserved_shared_memory if device.reserves else limit


def too_much_static(device: Properties, static: int) -> bool:
    """Whether the compiler refuses that much static shared memory in code for this device."""
    most = device.max_static_shared
    return most is not None and static > most


def shared_pool(device: Properties, allocated: int, preferred: int) -> int:
    """Bytes of shared memory the SM is set to for blocks of `allocated` bytes: the preference, or what one needs."""
    if preferred >= allocated:
        return preferred
    return shared_step(device, allocated) if device.allocation.shared_steps else device.shared_memory_per_sm


def pool_turns(device: Properties, preferred: int) -> tuple[int, ...]:
    """Bytes of one block's allocation beyond which the SM is set to a pool so much larger that more blocks fit.

    Kepler alone has them: its next pool after 16 KiB is 48 KiB, where later architectures at most double.
    """
    unit = device.allocation.shared_unit
    full = {step // unit * unit for step in (preferred, *device.allocation.shared_steps) if step >= preferred}
    most = max((device.shared_memory_per_sm, *device.allocation.shared_steps))
    return tuple(
        size
        for size in sorted(full)
        if size > 0
        and size + unit <= most
        and shared_pool(device, size + unit, preferred) // (size + unit) > shared_pool(device, size, preferred) // size
    )


def shared_limit(
    device: Properties, static: int, dynamic: int, max_dynamic: int, opt_in: bool, preferred: int
) -> tuple[int | None, int]:
    """Blocks shared memory allows, and the bytes one block is allocated."""
    allocated = shared_allocation(device, static + dynamic)
    most = static + device.reserved_shared_memory + max_dynamic
    too_much = (opt_in and dynamic > max_dynamic) or allocated > shared_block_limit(device, most, opt_in)
    if too_much or too_much_static(device, static):
        return 0, allocated
    if allocated == 0:
        return None, 0
    return shared_pool(device, allocated, preferred) // allocated, allocated


def count_limit(stock: int | None, each: int) -> int | None:
    """Blocks a counted stock (barriers, virtual resources) allows."""
    return stock // each if stock is not None and each else None


def each_limit(device: Properties, launch: Launch, dynamic_shared: int) -> tuple[dict[str, int | None], int, bool]:
    """Blocks each budget allows with `dynamic_shared` bytes in place of the launch's own, the bytes of shared
    memory one block is allocated, and whether partitioned caching is in effect."""
    allocation = device.allocation
    warps = -(-launch.threads // device.warp_size)
    registers, halves = register_limit(device, warps, launch.registers, launch.partitioned_caching)
    shared, allocated = shared_limit(
        device,
        launch.static_shared,
        dynamic_shared,
        device.max_dynamic_shared(launch),
        launch.opt_in,
        preferred_pool(device, launch.carveout, launch.cache_preference),
    )
    blocks = {
        "registers": registers,
        "shared_memory": shared,
        "warps": warp_limit(device, launch.threads, halves),
        "blocks": allocation.max_blocks,
        "barriers": count_limit(allocation.barriers, launch.barriers),
        "virtual": count_limit(allocation.virtual, launch.virtual),
    }
    return blocks, allocated, halves
