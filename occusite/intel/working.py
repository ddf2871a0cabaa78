"""The arithmetic of one Intel launch written out, line by line, and why a launch cannot run."""

from __future__ import annotations

from occusite.intel.launch import Launch
from occusite.intel.rules import Architecture, slm_allocated, threads_free, threads_per_group
from occusite.model.answer import Occupancy
from occusite.model.terms import Phrase, Step, joined


def causes(architecture: Architecture, launch: Launch) -> tuple[tuple[str, Phrase], ...]:
    """What one work-group overruns: a budget's key and a phrase each; empty when it can run.

    A mode that the device does not have (key "") stands alone: no budget's change would help.
    """
    refusals: list[tuple[str, Phrase]] = []
    if launch.sub_group not in architecture.sub_groups:
        sizes = joined([str(size) for size in architecture.sub_groups])
        refusals.append(("", Phrase(f"sub-groups of {{}} work-items, the device has {sizes}", (launch.sub_group,))))
    if launch.large_grf and not architecture.large_grf:
        refusals.append(("", Phrase("large GRF, the device has none")))
    if refusals:
        return tuple(refusals)
    threads, free = threads_per_group(launch), threads_free(architecture, launch.large_grf)
    if launch.work_items > architecture.work_items:
        shape = "{} work-items, a work-group may have {}"
        refusals.append(("threads", Phrase(shape, (launch.work_items, architecture.work_items))))
    elif threads > free:
        grf = " with large GRF" if launch.large_grf else ""
        shape = f"a work-group of {{}} threads, the core has {{}}{grf}"
        refusals.append(("threads", Phrase(shape, (threads, free))))
    if launch.slm > architecture.slm_most:
        shape = "{} bytes of SLM, a work-group may take {}"
        refusals.append(("slm", Phrase(shape, (launch.slm, architecture.slm_most))))
    return tuple(refusals)


def steps(architecture: Architecture, answer: Occupancy) -> tuple[Step, ...]:
    """Every line of the working."""
    launch: Launch = answer.launch
    threads = threads_per_group(launch)
    rule = "one hardware thread runs one sub-group"
    shape = "⌈{} work-items ÷ {}⌉"
    lines = [Step("", shape, (launch.work_items, launch.sub_group), threads, "threads per work-group", rule)]
    if answer.causes:
        text = "; ".join(cause.shape for cause in answer.causes)
        numbers = tuple(n for cause in answer.causes for n in cause.numbers)
        return (*lines, Step("", text, numbers, 0, "resident work-groups", "one whole work-group must fit"))
    limit = {key: both.blocks for key, both in answer.limits.items()}
    free = threads_free(architecture, launch.large_grf)
    rule = "large GRF leaves half of the threads" if launch.large_grf else "a sub-group needs a thread"
    lines.append(Step("threads", "⌊{} threads ÷ {}⌋", (free, threads), limit["threads"], "work-groups", rule))
    slm = slm_allocated(architecture, launch.slm)
    if slm:
        steps = ", ".join(str(step // 1024) for step in architecture.slm_steps if step)
        rule = f"SLM is allocated in steps of {steps} KiB"
        lines.append(Step("slm", "{} → {}", (launch.slm, slm), slm, "bytes per work-group", rule))
        rule = "each work-group keeps its SLM while it is resident"
        lines.append(Step("slm", "⌊{} B ÷ {} B⌋", (architecture.slm, slm), limit["slm"], "work-groups", rule))
    else:
        lines.append(Step("slm", "none used: no limit", (), None, "work-groups", "no SLM, no limit"))
    if launch.barrier:
        rule = "a work-group with a barrier needs a barrier register"
        lines.append(Step("barriers", "{} registers", (architecture.barriers,), limit["barriers"], "work-groups", rule))
    else:
        rule = "a work-group needs a slot"
        lines.append(Step("groups", "{} slots", (architecture.groups,), limit["groups"], "work-groups", rule))
    share = f"{answer.percent:.4g}"
    shape = f"{{}} work-groups × {{}} threads, of {{}}: {share} %"
    rule = "occupancy is resident threads ÷ all threads of the core, with large GRF too"
    lines.append(Step("", shape, (answer.blocks, threads, answer.slots), answer.warps, "resident threads", rule))
    return tuple(lines)
