"""The arithmetic of one AMD launch written out, line by line, and why a launch cannot run."""

from __future__ import annotations

from occusite.amd import compiler, hardware
from occusite.amd.launch import Launch
from occusite.amd.rules import MOST_WORK_ITEMS, SIMDS, TRAP_SGPRS, Target, up, vgprs_counted
from occusite.model.answer import Occupancy
from occusite.model.terms import Budget, Phrase, Step

_WHOLE = "a work-group is resident whole"


def causes(target: Target, launch: Launch, wave_size: int) -> tuple[tuple[str, Phrase], ...]:
    """What one work-group overruns: a budget's key ("" for a mode) and a phrase each; empty when it can run."""
    if wave_size not in target.files:
        return (("", Phrase("the target has no waves of {} work-items", (wave_size,))),)
    registers = vgprs_counted(target, launch.vgprs, launch.agprs)
    most = min(target.addressable, target.files[wave_size][0])
    if (
        registers <= most
        and launch.work_items <= MOST_WORK_ITEMS
        and launch.lds <= target.lds_most
        and launch.sgprs <= target.sgprs_most
        and (not launch.agprs or target.agprs)
    ):
        return ()
    asked = [
        ("vgprs", "{} VGPRs per work-item, the limit is {}", registers, most),
        ("sgprs", "{} SGPRs per wave, the limit is {}", launch.sgprs, target.sgprs_most),
        ("lds", "{} bytes of LDS, a work-group may take {}", launch.lds, target.lds_most),
        ("waves", "{} work-items, a work-group may have {}", launch.work_items, MOST_WORK_ITEMS),
    ]
    over = [(budget, Phrase(shape, (value, limit))) for budget, shape, value, limit in asked if value > limit]
    if launch.agprs and not target.agprs:
        none = Phrase("{} AGPRs, the target has none", (launch.agprs,))
        over = [("vgprs", none), *((budget, phrase) for budget, phrase in over if budget != "vgprs")]
    return tuple(over)


def with_unfit(
    budgets: tuple[Budget, ...], over: tuple[tuple[str, Phrase], ...], limiters: tuple[str, ...], waves: int
) -> tuple[tuple[str, Phrase], ...]:
    """The causes `over`, and one for each other limiter: a work-group whose `waves` together are more than it allows."""
    known = {key for key, _ in over}
    names = {b.key: b.name for b in budgets}
    shape = "one work-group does not fit: its {} waves are more than the %s allow"
    return (*over, *((key, Phrase(shape % names[key], (waves,))) for key in limiters if key not in known))


def steps(target: Target, answer: Occupancy, wave_size: int) -> tuple[Step, ...]:
    """Every line of the working."""
    launch: Launch = answer.launch
    waves = -(-launch.work_items // wave_size)
    rule = "a work-group is made of whole waves"
    shape = "⌈{} work-items ÷ {}⌉"
    lines = [Step("", shape, (launch.work_items, wave_size), waves, "waves per work-group", rule)]
    if answer.causes:
        text = "; ".join(cause.shape for cause in answer.causes)
        numbers = tuple(n for cause in answer.causes for n in cause.numbers)
        return (*lines, Step("", text, numbers, 0, "resident work-groups", "one whole work-group must fit"))
    if answer.rules.whole_blocks:
        lines += _hardware(target, answer, wave_size, waves)
    else:
        lines += _compiler(target, answer, wave_size)
    share = f"{answer.percent:.4g}"
    shape = f"{{}} waves, of {{}} slots: {share} %"
    rule = "occupancy is resident waves ÷ wave slots"
    lines.append(Step("", shape, (answer.warps, answer.slots), answer.warps, "resident waves", rule))
    return tuple(lines)


def _counted(target: Target, launch: Launch) -> list[Step]:
    if not launch.agprs:
        return []
    numbers = (launch.vgprs, launch.agprs)
    total = vgprs_counted(target, *numbers)
    if target.agprs == "unified":
        rule = "AGPRs lie behind the VGPRs in one file, from a multiple of 4 on"
        return [Step("vgprs", "⌈{} ÷ 4⌉ × 4 + {}", numbers, total, "VGPRs per work-item", rule)]
    rule = "AGPRs have a file of the same size of their own"
    return [Step("vgprs", "max({}, {})", numbers, total, "VGPRs per work-item", rule)]


def _hardware(target: Target, answer: Occupancy, wave_size: int, waves: int) -> list[Step]:
    launch: Launch = answer.launch
    hip = answer.rules.name == "hip"
    places = target.cus if launch.cu_mode else 1
    simds, cus = SIMDS // places, target.cus // places
    each = f"{places} CUs × " if places > 1 else ""
    limit = {key: both.blocks for key, both in answer.limits.items()}
    total, unit = target.files[wave_size]
    registers = max(vgprs_counted(target, launch.vgprs, launch.agprs), 1)
    allocated = up(registers, unit)
    fit = total // allocated
    lines = _counted(target, launch)
    rule = f"VGPRs are allocated in units of {unit}"
    numbers: tuple[int, ...] = (total, registers, unit, unit)
    lines.append(Step("vgprs", "⌊{} ÷ (⌈{} ÷ {}⌉ × {})⌋", numbers, fit, "waves per SIMD", rule))
    lines.append(
        Step("vgprs", f"{each}⌊{{}} × {{}} SIMDs ÷ {{}}⌋", (fit, simds, waves), limit["vgprs"], "work-groups", _WHOLE)
    )
    by_sgprs = hardware.waves_by_sgprs(target, launch.sgprs, hip)
    if by_sgprs is None:
        rule = "every wave has the same SGPRs, whatever it uses"
        lines.append(Step("sgprs", "no limit", (), None, "work-groups", rule))
    else:
        unit, trap = target.sgpr_unit, 0 if hip else TRAP_SGPRS
        numbers = (target.sgprs, max(launch.sgprs, 1), unit, unit, trap)
        rule = f"SGPRs are allocated in units of {unit}" + (f", {trap} more for the trap handler" if trap else "")
        lines.append(Step("sgprs", "⌊{} ÷ (⌈{} ÷ {}⌉ × {} + {})⌋", numbers, by_sgprs, "waves per SIMD", rule))
        numbers = (by_sgprs, simds, waves)
        lines.append(Step("sgprs", f"{each}⌊{{}} × {{}} SIMDs ÷ {{}}⌋", numbers, limit["sgprs"], "work-groups", _WHOLE))
    lds = hardware.lds_allocated(target, launch.lds)
    if lds:
        numbers = (cus * target.pool, launch.lds, target.lds_unit, target.lds_unit)
        rule = f"LDS is allocated in units of {target.lds_unit} bytes"
        shape = f"{each}⌊{{}} B ÷ (⌈{{}} ÷ {{}}⌉ × {{}})⌋"
        lines.append(Step("lds", shape, numbers, limit["lds"], "work-groups", rule))
    else:
        lines.append(Step("lds", "none used: no limit", (), None, "work-groups", "no LDS, no limit"))
    numbers = (simds * hardware.wave_slots(target, hip), waves)
    lines.append(
        Step("waves", f"{each}⌊{{}} slots ÷ {{}}⌋", numbers, limit["waves"], "work-groups", "a wave needs a slot")
    )
    if limit["groups"] is None:
        rule = "a work-group of one wave needs no barrier"
        lines.append(Step("groups", "no limit", (), None, "work-groups", rule))
    else:
        rule = "a work-group of several waves needs a barrier"
        lines.append(
            Step("groups", f"{each}{{}} barriers", (cus * target.groups,), limit["groups"], "work-groups", rule)
        )
    return lines


def _compiler(target: Target, answer: Occupancy, wave_size: int) -> list[Step]:
    launch: Launch = answer.launch
    counted = compiler.count(target, launch, wave_size, answer.rules.name == "llvm-24")
    lines = _counted(target, launch)
    own = max(vgprs_counted(target, launch.vgprs, launch.agprs), 1)
    if counted.vgprs_raised > own:
        rule = f"the compiler raises the count to the least for {counted.aim} waves"
        lines.append(Step("vgprs", "{} → {}", (own, counted.vgprs_raised), counted.vgprs_raised, "VGPRs", rule))
    total, unit = target.files[wave_size]
    numbers: tuple[int, ...] = (total, counted.vgprs_raised, unit, unit)
    rule = f"VGPRs are allocated in units of {unit}"
    lines.append(Step("vgprs", "⌊{} ÷ (⌈{} ÷ {}⌉ × {})⌋", numbers, counted.vgprs, "waves per SIMD", rule))
    rule = "SGPRs as this version of the compiler counts them"
    shape, numbers = ("{} SGPRs", (counted.sgprs_raised,)) if counted.sgprs is not None else ("no limit", ())
    lines.append(Step("sgprs", shape, numbers, counted.sgprs, "waves per SIMD", rule))
    rule = "LDS, best case over the range of work-group sizes"
    shape, numbers = ("{} bytes per work-group", (launch.lds,)) if counted.lds is not None else ("no limit", ())
    lines.append(Step("lds", shape, numbers, counted.lds, "waves per SIMD", rule))
    least = launch.least_work_items or launch.work_items
    rule = "wave slots and barriers, best case over the range of work-group sizes"
    numbers = (min(least, launch.work_items), launch.work_items)
    lines.append(Step("waves", "{} to {} work-items", numbers, counted.waves, "waves per SIMD", rule))
    rule = "the compiler counts waves, not whole work-groups"
    lines.append(Step("", "{} waves × {} SIMDs", (counted.occupancy, SIMDS), answer.warps, "waves", rule))
    return lines
