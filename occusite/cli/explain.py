"""`occusite explain`: the working of one launch, written out line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from occusite.cli import options
from occusite.cli.output import Cell, show, show_json
from occusite.cli.parser import Exit

if TYPE_CHECKING:
    from occusite.model import Occupancy, Step


@options.with_launch
def explain(
    fields: dict[str, Any],
    device: options.Device = None,
    rules: options.Rules = None,
    json: options.Json = False,
) -> None:
    """The working, written out: every rounding, and why.

    Exits with 1 when the launch cannot run.
    """
    gpu, launch = options.question(device, rules, fields)
    answer = gpu.occupancy(launch)
    if json:
        from occusite.questions import records

        steps = [{"text": step.text(), **step._asdict()} for step in answer.steps]
        show_json({**records.question(answer), **records.record(answer), "steps": steps})
    else:
        show(*lesson(answer))
    if not answer.runs:
        raise Exit(1)


def lesson(answer: Occupancy) -> list[object]:
    """The steps under a heading for each budget, then what follows from them."""
    from occusite.cli.occupancy import described
    from occusite.questions import steps

    lines: list[object] = [f"{described(answer.launch)}, on {answer.device.name}"]
    heading = None
    for step in answer.steps:
        if step.budget != heading:
            last = step.budget == "" and heading is not None
            budget = answer.budget(step.budget) if step.budget else None
            title = budget.name if budget else "all together" if last else f"the {answer.device.terms.block}"
            limits = " – this binds" if step.budget in answer.limiters and answer.runs else ""
            lines += ["", Cell(title[0].upper() + title[1:] + limits, budget.slot if budget else "")]
            heading = step.budget
        lines += _written(step)
    lines += ["", f"Limited by {answer.limiter}." if answer.runs else "The launch cannot run."]
    if answer.runs:
        lines.append(steps.advice(answer).sentence)
    return lines


def _written(step: Step) -> list[object]:
    """One step: the arithmetic with what it comes to, then the rule it follows."""
    comes_to = "" if step.value is None else f" → {step.value:,} {step.unit}"
    text = f"  {step.text()}{comes_to}"
    return [text, f"      {step.rule}"] if step.rule else [text]
