"""Why a launch cannot run, in words: one clause for each budget a single block overruns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from occusite.nvidia import limits
from occusite.nvidia.launch import Launch

if TYPE_CHECKING:
    from occusite.nvidia.device import Device


def reason_for(device: Device, launch: Launch, found: Mapping[str, int | None]) -> str:
    """The clauses for every budget that allows no block at all, joined."""
    clauses: dict[str, Callable[[Device, Launch], str]] = {
        "registers": _registers,
        "shared_memory": _shared_memory,
        "warps": _warps,
        "barriers": lambda d, x: f"it uses {x.barriers:,} barriers, an SM has {d.rules.barriers}",
        "virtual": lambda d, x: f"it uses {x.virtual:,} virtual resources, an SM has {d.rules.virtual}",
    }
    short = [clauses[budget](device, launch) for budget, limit in found.items() if limit == 0 and budget in clauses]
    return "one block does not fit: " + "; ".join(short)


def _registers(device: Device, launch: Launch) -> str:
    rules = device.rules
    if launch.registers > rules.max_registers:
        return f"{launch.registers:,} registers per thread, the limit is {rules.max_registers}"
    warps = -(-launch.threads // device.warp_size)
    per_warp = limits.registers_per_warp(device, launch.registers)
    partitions = rules.must_fit_partitions or rules.partitions
    checked = limits.registers_checked(per_warp, warps, partitions)
    if checked > device.registers_per_block:
        return (
            f"it is checked as {checked:,} registers ({warps} warps rounded up to a multiple of {partitions}), "
            f"a block may have {device.registers_per_block:,}"
        )
    fit = limits.warps_in_register_file(device, per_warp, partitions)
    if rules.partitioned_caching and launch.partitioned_caching == "strict":
        fit //= 2
    return f"its {warps} warps of {per_warp:,} registers do not fit; there is room for {fit}"


def _shared_memory(device: Device, launch: Launch) -> str:
    cap = device.max_dynamic_shared(launch)
    if launch.opt_in and launch.dynamic_shared > cap:
        whose = "the device leaves" if launch.max_dynamic_shared is None else "its own maximum is"
        return f"it asks for {launch.dynamic_shared:,} bytes of dynamic shared memory, {whose} {cap:,}"
    allocated = limits.shared_allocation(device, launch.shared_memory)
    most = launch.static_shared + device.reserved_shared_memory + cap
    limit = limits.shared_block_limit(device, most, launch.opt_in)
    more = "" if launch.opt_in or not device.rules.shared_steps else " without opt-in"
    return f"it takes {allocated:,} bytes of shared memory, a block may take {limit:,}{more}"


def _warps(device: Device, launch: Launch) -> str:
    if launch.threads > device.max_threads_per_block:
        return f"{launch.threads:,} threads, a block may have {device.max_threads_per_block:,}"
    return f"its {-(-launch.threads // device.warp_size)} warps do not fit {device.warps_per_sm} warp slots"
