"""The arithmetic of one NVIDIA launch written out, line by line, as a teacher would put it on the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from occusite.model.answer import Step
from occusite.nvidia import limits
from occusite.nvidia.launch import Launch

if TYPE_CHECKING:
    from occusite.nvidia.device import Device


def working(device: Device, launch: Launch) -> tuple[Step, ...]:
    """Every line of the working: warps, then each budget's division, then the minimum."""
    answer = device.occupancy(launch)
    found = answer.limits
    warps = -(-launch.threads // device.warp_size)
    halves = bool(answer.allocated["partitioned_caching"])
    steps = [
        Step(
            "",
            f"⌈{launch.threads:,} threads ÷ {device.warp_size}⌉",
            warps,
            "warps per block",
            "a block is made of whole warps",
        ),
        *_registers(device, launch, warps, halves, found["registers"]),
        *_shared_memory(device, launch, found["shared_memory"]),
        _warps(device, launch, warps, halves, found["warps"]),
        Step("blocks", f"{device.rules.max_blocks} slots", found["blocks"], "blocks", "a block needs a slot"),
    ]
    if device.rules.barriers is not None:
        steps.append(_counted("barriers", "barriers", device.rules.barriers, launch.barriers, found["barriers"]))
    if launch.virtual:
        stock = device.rules.virtual
        steps.append(_counted("virtual", "virtual resources", stock, launch.virtual, found["virtual"]))
    if answer.reason:
        steps.append(Step("", answer.reason, 0, "resident blocks", "a launch runs only if one whole block fits"))
        return tuple(steps)
    least = ", ".join(f"{v:,}" for v in found.values() if v is not None)
    steps.append(Step("", f"min({least})", answer.blocks, "resident blocks", "blocks are resident whole"))
    steps.append(
        Step(
            "",
            f"{answer.blocks} blocks × {warps} warps, of {answer.slots} slots: {answer.percent:.4g} %",
            answer.warps,
            "resident warps",
            "occupancy is resident warps ÷ warp slots",
        )
    )
    return tuple(steps)


def _registers(device: Device, launch: Launch, warps: int, halves: bool, limit: int | None) -> list[Step]:
    rules, registers = device.rules, launch.registers
    if registers > rules.max_registers:
        text = f"{registers:,} registers per thread > {rules.max_registers}"
        return [Step("registers", text, 0, "blocks", "the largest register count a thread can have")]
    if registers == 0:
        return [Step("registers", "none used: no limit", None, "blocks", "an empty kernel takes no registers")]
    unit = rules.register_unit
    raw = registers * device.warp_size
    per_warp = limits.registers_per_warp(device, registers)
    steps = [
        Step(
            "registers",
            f"{registers} × {device.warp_size} threads = {raw:,}; ⌈{raw:,} ÷ {unit}⌉ × {unit}",
            per_warp,
            "registers per warp",
            f"registers are allocated per warp, in units of {unit}",
        )
    ]
    check = rules.must_fit_partitions or rules.partitions
    rounded = -(-warps // check) * check
    checked = limits.registers_checked(per_warp, warps, check)
    fits = checked <= device.registers_per_block
    steps.append(
        Step(
            "registers",
            f"⌈{warps} ÷ {check}⌉ × {check} = {rounded} warps × {per_warp:,} = {checked:,} "
            f"{'≤' if fits else '>'} {device.registers_per_block:,}",
            checked,
            "registers checked per block",
            f"the launch check counts a block's warps rounded up to {check} partitions, against registers per block",
        )
    )
    if not fits:
        text = "the check fails: the block cannot launch"
        return [*steps, Step("registers", text, 0, "blocks", "registers per block")]
    parts = rules.partitions
    share = device.registers_per_sm // parts
    fit = limits.warps_in_register_file(device, per_warp, parts)
    steps.append(
        Step(
            "registers",
            f"⌊{device.registers_per_sm:,} ÷ {parts} partitions = {share:,}, ÷ {per_warp:,}⌋ = {share // per_warp} "
            f"× {parts} partitions",
            fit,
            "warps",
            "a warp's registers lie in one partition of the register file",
        )
    )
    if halves:
        text = f"2 × ⌊{fit // 2} ÷ {warps}⌋"
        rule = "partitioned caching keeps a block in half an SM"
    elif limit == 0 and fit // warps:
        text = f"⌊{limits.warps_in_register_file(device, per_warp, check)} ÷ {warps}⌋ with {check} partitions"
        rule = f"a kernel must also fit the {check} partitions of its sibling chips"
    else:
        text = f"⌊{fit} warps ÷ {warps}⌋"
        rule = "blocks are resident whole"
    return [*steps, Step("registers", text, limit, "blocks", rule)]


def _shared_memory(device: Device, launch: Launch, limit: int | None) -> list[Step]:
    asked, reserve, unit = launch.shared_memory, device.reserved_shared_memory, device.rules.shared_unit
    allocated = limits.shared_allocation(device, asked)
    if allocated == 0:
        return [Step("shared_memory", "none used: no limit", None, "blocks", "no shared memory, no limit")]
    total = f"{launch.static_shared:,} static + {launch.dynamic_shared:,} dynamic"
    total += f" + {reserve:,} reserved" if reserve else ""
    steps = [
        Step(
            "shared_memory",
            f"{total} = {asked + reserve:,}; ⌈{asked + reserve:,} ÷ {unit}⌉ × {unit}",
            allocated,
            "bytes per block",
            f"allocated in units of {unit} bytes"
            + (", with the part the system reserves in every block" if reserve else ""),
        )
    ]
    cap = device.max_dynamic_shared(launch)
    if launch.opt_in and launch.dynamic_shared > cap:
        text = f"{launch.dynamic_shared:,} > {cap:,}"
        return [
            *steps,
            Step("shared_memory", text, 0, "blocks", "the most dynamic shared memory the kernel may ask for"),
        ]
    most = limits.shared_block_limit(device, launch.static_shared + reserve + cap, launch.opt_in)
    if allocated > most:
        text = f"{allocated:,} > {most:,}"
        return [*steps, Step("shared_memory", text, 0, "blocks", "the most shared memory one block may take")]
    preferred = limits.preferred_pool(device, launch.carveout, launch.cache_preference)
    pool = limits.shared_pool(device, allocated, preferred)
    if device.rules.shared_steps:
        kib = ", ".join(str(step // 1024) for step in device.rules.shared_steps)
        asked_for = "driver's default" if launch.carveout is None else f"{launch.carveout} % carve-out"
        text = f"{asked_for}: {preferred:,}" + (
            f" < {allocated:,}, so the next step up" if pool != preferred else " bytes"
        )
        rule = f"the SM's shared memory is set to one of {kib} KiB, and to what one block needs"
        steps.append(Step("shared_memory", text, pool, "bytes per SM", rule))
    rule = "each block keeps its shared memory while it is resident"
    return [*steps, Step("shared_memory", f"⌊{pool:,} B ÷ {allocated:,} B⌋", limit, "blocks", rule)]


def _warps(device: Device, launch: Launch, warps: int, halves: bool, limit: int | None) -> Step:
    if launch.threads > device.max_threads_per_block:
        text = f"{launch.threads:,} threads > {device.max_threads_per_block:,}"
        return Step("warps", text, 0, "blocks", "the most threads one block may have")
    if halves:
        text = f"2 × ⌊{device.warps_per_sm // 2} slots ÷ {warps}⌋"
        return Step("warps", text, limit, "blocks", "partitioned caching keeps a block in half an SM")
    return Step("warps", f"⌊{device.warps_per_sm} slots ÷ {warps}⌋", limit, "blocks", "a warp needs a slot")


def _counted(budget: str, noun: str, stock: int | None, each: int, limit: int | None) -> Step:
    if limit is None:
        return Step(
            budget, "no limit", None, "blocks", f"this launch uses no {noun}, or the device does not limit them"
        )
    return Step(budget, f"⌊{stock} {noun} ÷ {each}⌋", limit, "blocks", f"each block keeps its {noun}")
