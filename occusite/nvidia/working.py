"""The arithmetic of one NVIDIA launch written out, line by line, as a teacher would put it on the board."""

from __future__ import annotations

from occusite.model.answer import Occupancy
from occusite.model.terms import Step
from occusite.nvidia import limits
from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties


def steps(device: Properties, answer: Occupancy) -> tuple[Step, ...]:
    """Every line of the working: warps, then each budget's division, then the minimum."""
    launch: Launch = answer.launch
    limit = {key: both.blocks for key, both in answer.limits.items()}
    warps = device.warps_per_block(launch)
    halves = bool(answer.allocated["partitioned_caching"])
    lines = [
        Step(
            "",
            "⌈{} threads ÷ {}⌉",
            (launch.threads, device.warp_size),
            warps,
            "warps per block",
            "a block is made of whole warps",
        ),
        *_registers(device, launch, warps, halves, limit["registers"]),
        *_shared_memory(device, launch, limit["shared_memory"]),
        _warps(device, launch, warps, halves, limit["warps"]),
        Step("blocks", "{} slots", (device.allocation.max_blocks,), limit["blocks"], "blocks", "a block needs a slot"),
    ]
    if device.allocation.barriers is not None:
        lines.append(_counted("barriers", "barriers", device.allocation.barriers, launch.barriers, limit["barriers"]))
    if launch.virtual:
        stock = device.allocation.virtual
        lines.append(_counted("virtual", "virtual resources", stock, launch.virtual, limit["virtual"]))
    if answer.causes:
        shape = "; ".join(cause.shape for cause in answer.causes)
        numbers = tuple(number for cause in answer.causes for number in cause.numbers)
        rule = "a launch runs only if one whole block fits"
        return (*lines, Step("", shape, numbers, 0, "resident blocks", rule))
    least = tuple(v for v in limit.values() if v is not None)
    shape = f"min({', '.join('{}' for _ in least)})"
    lines.append(Step("", shape, least, answer.blocks, "resident blocks", "blocks are resident whole"))
    share = f"{answer.percent:.4g}"
    lines.append(
        Step(
            "",
            f"{{}} blocks × {{}} warps, of {{}} slots: {share} %",
            (answer.blocks, warps, answer.slots),
            answer.warps,
            "resident warps",
            "occupancy is resident warps ÷ warp slots",
        )
    )
    return tuple(lines)


def _registers(device: Properties, launch: Launch, warps: int, halves: bool, limit: int | None) -> list[Step]:
    allocation, registers = device.allocation, launch.registers
    if registers > allocation.max_registers:
        shape, numbers = "{} registers per thread > {}", (registers, allocation.max_registers)
        return [Step("registers", shape, numbers, 0, "blocks", "the largest register count a thread can have")]
    if registers == 0:
        return [Step("registers", "none used: no limit", (), None, "blocks", "an empty kernel takes no registers")]
    unit = allocation.register_unit
    raw = registers * device.warp_size
    per_warp = limits.registers_per_warp(device, registers)
    lines = [
        Step(
            "registers",
            "{} × {} threads = {}; ⌈{} ÷ {}⌉ × {}",
            (registers, device.warp_size, raw, raw, unit, unit),
            per_warp,
            "registers per warp",
            f"registers are allocated per warp, in units of {unit}",
        )
    ]
    check = allocation.must_fit_partitions or allocation.partitions
    rounded = -(-warps // check) * check
    checked = limits.registers_checked(per_warp, warps, check)
    fits = checked <= device.registers_per_block
    lines.append(
        Step(
            "registers",
            f"⌈{{}} ÷ {{}}⌉ × {{}} = {{}} warps × {{}} = {{}} {'≤' if fits else '>'} {{}}",
            (warps, check, check, rounded, per_warp, checked, device.registers_per_block),
            checked,
            "registers checked per block",
            f"the launch check counts a block's warps rounded up to {check} partitions, against registers per block",
        )
    )
    if not fits:
        shape = "the check fails: the block cannot launch"
        return [*lines, Step("registers", shape, (), 0, "blocks", "registers per block")]
    parts = allocation.partitions
    share = device.registers_per_sm // parts
    fit = limits.warps_in_register_file(device, per_warp, parts)
    lines.append(
        Step(
            "registers",
            "⌊{} ÷ {} partitions = {}, ÷ {}⌋ = {} × {} partitions",
            (device.registers_per_sm, parts, share, per_warp, share // per_warp, parts),
            fit,
            "warps",
            "a warp's registers lie in one partition of the register file",
        )
    )
    if halves:
        shape, numbers = "2 × ⌊{} ÷ {}⌋", (fit // 2, warps)
        rule = "partitioned caching keeps a block in half an SM"
    elif limit == 0 and fit // warps:
        shape = f"⌊{{}} ÷ {{}}⌋ with {check} partitions"
        numbers = (limits.warps_in_register_file(device, per_warp, check), warps)
        rule = f"a kernel must also fit the {check} partitions of its sibling chips"
    else:
        shape, numbers = "⌊{} warps ÷ {}⌋", (fit, warps)
        rule = "blocks are resident whole"
    return [*lines, Step("registers", shape, numbers, limit, "blocks", rule)]


def _shared_memory(device: Properties, launch: Launch, limit: int | None) -> list[Step]:
    key = "shared_memory"
    asked, reserve, unit = launch.shared_memory, device.reserved_shared_memory, device.allocation.shared_unit
    allocated = limits.shared_allocation(device, asked)
    if allocated == 0:
        return [Step(key, "none used: no limit", (), None, "blocks", "no shared memory, no limit")]
    total = "{} static + {} dynamic" + (" + {} reserved" if reserve else "")
    parts = (launch.static_shared, launch.dynamic_shared, *((reserve,) if reserve else ()))
    lines = [
        Step(
            key,
            f"{total} = {{}}; ⌈{{}} ÷ {{}}⌉ × {{}}",
            (*parts, asked + reserve, asked + reserve, unit, unit),
            allocated,
            "bytes per block",
            f"allocated in units of {unit} bytes"
            + (", with the part the system reserves in every block" if reserve else ""),
        )
    ]
    if limits.too_much_static(device, launch.static_shared):
        rule = "the most static shared memory the compiler allows"
        compiled = (launch.static_shared, device.max_static_shared or 0)
        return [*lines, Step(key, "{} static > {}", compiled, 0, "blocks", rule)]
    cap = device.max_dynamic_shared(launch)
    if launch.opt_in and launch.dynamic_shared > cap:
        rule = "the most dynamic shared memory the kernel may ask for"
        return [*lines, Step(key, "{} > {}", (launch.dynamic_shared, cap), 0, "blocks", rule)]
    most = limits.shared_block_limit(device, launch.static_shared + reserve + cap, launch.opt_in)
    if allocated > most:
        rule = "the most shared memory one block may take"
        return [*lines, Step(key, "{} > {}", (allocated, most), 0, "blocks", rule)]
    preferred = limits.preferred_pool(device, launch.carveout, launch.cache_preference)
    pool = limits.shared_pool(device, allocated, preferred)
    if device.allocation.shared_steps:
        kib = ", ".join(str(step // 1024) for step in device.allocation.shared_steps)
        whose = "driver's default" if launch.carveout is None else f"{launch.carveout} % carve-out"
        rises = pool != preferred
        shape = f"{whose}: {{}} < {{}}, so the next step up" if rises else f"{whose}: {{}} bytes"
        numbers = (preferred, allocated) if rises else (preferred,)
        rule = f"the SM's shared memory is set to one of {kib} KiB, and to what one block needs"
        lines.append(Step(key, shape, numbers, pool, "bytes per SM", rule))
    rule = "each block keeps its shared memory while it is resident"
    return [*lines, Step(key, "⌊{} B ÷ {} B⌋", (pool, allocated), limit, "blocks", rule)]


def _warps(device: Properties, launch: Launch, warps: int, halves: bool, limit: int | None) -> Step:
    if launch.threads > device.max_threads_per_block:
        numbers = (launch.threads, device.max_threads_per_block)
        return Step("warps", "{} threads > {}", numbers, 0, "blocks", "the most threads one block may have")
    if halves:
        rule = "partitioned caching keeps a block in half an SM"
        return Step("warps", "2 × ⌊{} slots ÷ {}⌋", (device.warps_per_sm // 2, warps), limit, "blocks", rule)
    return Step("warps", "⌊{} slots ÷ {}⌋", (device.warps_per_sm, warps), limit, "blocks", "a warp needs a slot")


def _counted(budget: str, noun: str, stock: int | None, each: int, limit: int | None) -> Step:
    if limit is None or stock is None:
        rule = f"this launch uses no {noun}, or the device does not limit them"
        return Step(budget, "no limit", (), None, "blocks", rule)
    return Step(budget, f"⌊{{}} {noun} ÷ {{}}⌋", (stock, each), limit, "blocks", f"each block keeps its {noun}")
