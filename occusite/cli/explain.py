"""`occusite explain`: the working of one launch, written out line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from occusite.cli import options
from occusite.cli.output import Cell, show, show_json

if TYPE_CHECKING:
    from occusite.model.answer import Occupancy, Step


def explain(
    context: typer.Context,
    device: options.Device = None,
    threads: options.Threads = None,
    registers: options.Registers = None,
    static_shared: options.StaticShared = None,
    dynamic_shared: options.DynamicShared = None,
    max_dynamic_shared: options.MaxDynamicShared = None,
    opt_in: options.OptIn = True,
    carveout: options.Carveout = None,
    barriers: options.Barriers = 1,
    partitioned_caching: options.PartitionedCaching = "off",
    cluster: options.Cluster = 1,
    header: options.Header = None,
    json: options.Json = False,
) -> None:
    """The working, written out: every rounding, and why.

    Exits with 1 when the launch cannot run.
    """
    gpu, launch = options.device(device, header), options.launch(context)
    answer = gpu.occupancy(launch)
    if json:
        from occusite.cli import records

        steps = [step._asdict() for step in answer.steps]
        show_json({**records.question(gpu, launch), **records.record(answer), "steps": steps})
    else:
        show(*lesson(answer))
    if not answer.runs:
        raise typer.Exit(1)


def lesson(answer: Occupancy) -> list[object]:
    """The steps under a heading for each budget, then what follows from them."""
    from occusite.cli.occupancy import described
    from occusite.model.answer import BUDGET_NAMES
    from occusite.questions import staircase

    lines: list[object] = [f"{described(answer.launch)}, on {answer.device.name}"]
    heading = None
    for step in answer.steps:
        if step.budget != heading:
            last = step.budget == "" and heading is not None
            title = BUDGET_NAMES.get(step.budget, "all together" if last else "the block").capitalize()
            binds = " – this binds" if step.budget in answer.binding and answer.runs else ""
            lines += ["", Cell(title + binds, step.budget)]
            heading = step.budget
        lines += _written(step)
    lines += ["", f"Limited by {answer.limiter}." if answer.runs else "The launch cannot run."]
    if answer.runs:
        lines.append(staircase.advice(answer.device, answer.launch).sentence)
    return lines


def _written(step: Step) -> list[object]:
    """One step: the arithmetic with what it comes to, then the rule it follows."""
    comes_to = "" if step.value is None else f" → {step.value:,} {step.unit}"
    return [f"  {step.text}{comes_to}", f"      {step.rule}"] if step.rule else [f"  {step.text}{comes_to}"]
