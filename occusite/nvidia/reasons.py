"""Why a launch cannot run: one phrase for each budget a single block overruns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from occusite.model.terms import Phrase
from occusite.nvidia import limits
from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties


def causes(device: Properties, launch: Launch, blocks: Mapping[str, int | None]) -> tuple[Phrase, ...]:
    """The phrases for every budget that allows no block at all; `blocks`: what each budget allows."""
    phrases: dict[str, Callable[[Properties, Launch], Phrase]] = {
        "registers": _registers,
        "shared_memory": _shared_memory,
        "warps": _warps,
        "barriers": lambda d, x: _counted("barriers", x.barriers, d.allocation.barriers),
        "virtual": lambda d, x: _counted("virtual resources", x.virtual, d.allocation.virtual),
    }
    short = [phrases[budget](device, launch) for budget, limit in blocks.items() if limit == 0 and budget in phrases]
    first, *others = short
    return (first._replace(shape=f"one block does not fit: {first.shape}"), *others)


def _counted(noun: str, each: int, stock: int | None) -> Phrase:
    return Phrase(f"it uses {{}} {noun}, an SM has {{}}", (each, stock or 0))


def _registers(device: Properties, launch: Launch) -> Phrase:
    allocation = device.allocation
    if launch.registers > allocation.max_registers:
        return Phrase("{} registers per thread, the limit is {}", (launch.registers, allocation.max_registers))
    warps = device.warps_per_block(launch)
    per_warp = limits.registers_per_warp(device, launch.registers)
    partitions = allocation.must_fit_partitions or allocation.partitions
    checked = limits.registers_checked(per_warp, warps, partitions)
    if checked > device.registers_per_block:
        return Phrase(
            "it is checked as {} registers ({} warps rounded up to a multiple of {}), a block may have {}",
            (checked, warps, partitions, device.registers_per_block),
        )
    fit = limits.warps_in_register_file(device, per_warp, partitions)
    if allocation.partitioned_caching and launch.partitioned_caching == "strict":
        fit //= 2
    return Phrase("its {} warps of {} registers do not fit; there is room for {}", (warps, per_warp, fit))


def _shared_memory(device: Properties, launch: Launch) -> Phrase:
    if limits.too_much_static(device, launch.static_shared):
        code = f"code for sm_{device.major}{device.minor}{device.suffix}"
        shape = f"{{}} bytes of static shared memory cannot be compiled: {code} may have {{}}"
        return Phrase(shape, (launch.static_shared, device.max_static_shared or 0))
    cap = device.max_dynamic_shared(launch)
    if launch.opt_in and launch.dynamic_shared > cap:
        whose = "the device leaves" if launch.max_dynamic_shared is None else "its own maximum is"
        return Phrase(f"it asks for {{}} bytes of dynamic shared memory, {whose} {{}}", (launch.dynamic_shared, cap))
    allocated = limits.shared_allocation(device, launch.shared_memory)
    most = launch.static_shared + device.reserved_shared_memory + cap
    limit = limits.shared_block_limit(device, most, launch.opt_in)
    more = "" if launch.opt_in or not device.allocation.shared_steps else " without opt-in"
    return Phrase(f"it takes {{}} bytes of shared memory, a block may take {{}}{more}", (allocated, limit))


def _warps(device: Properties, launch: Launch) -> Phrase:
    if launch.threads > device.max_threads_per_block:
        return Phrase("{} threads, a block may have {}", (launch.threads, device.max_threads_per_block))
    return Phrase("its {} warps do not fit {} warp slots", (device.warps_per_block(launch), device.warps_per_sm))
