"""`occusite why`: why a launch fails, with the error CUDA gives, and each change that alone lets it run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from occusite.cli import options
from occusite.cli.output import Table, percent, show, show_json
from occusite.cli.parser import Exit

if TYPE_CHECKING:
    from occusite.model import Occupancy
    from occusite.nvidia.errors import LaunchError
    from occusite.questions.refusal import Refusal


@options.with_launch
def why(
    fields: dict[str, Any],
    device: options.Device = None,
    rules: options.Rules = None,
    json: options.Json = False,
) -> None:
    """Why a launch fails, and the nearest launch that runs.

    Names the error CUDA or Triton gives, such as 701, "too many resources requested for launch".
    Exits with 1 when the launch cannot run.
    """
    from occusite.nvidia.errors import launch_error
    from occusite.questions import records
    from occusite.questions.refusal import refusal

    gpu, launch = options.question(device, rules, fields)
    answer = gpu.occupancy(launch)
    error = launch_error(answer)
    found = None if answer.runs else refusal(answer)
    if json:
        made = {**records.question(answer), **records.record(answer)}
        made["error"] = error._asdict() if error else None
        if found:
            made["ways"] = [{**way._asdict(), "then": records.record(way.then)} for way in found.ways]
            nearest = found.nearest
            made["nearest"] = nearest and {**records.question(nearest), **records.record(nearest)}
        show_json(made)
    else:
        show(*_parts(answer, error, found))
    if found:
        raise Exit(1)


def _parts(answer: Occupancy, error: LaunchError | None, found: Refusal | None) -> list[object]:
    from occusite.cli.occupancy import described, headline

    lines = headline(answer)
    if found is None:
        return [*lines, "It runs. Nothing in its resources lets it fail."]
    if error:
        lines.append(f"error:      {_error(error)}")
    if not found.ways:
        told = f"together: {described(found.nearest.launch)}" if found.nearest else "no change of its fields"
        return [*lines, "", f"No single change lets it run; {told}."]
    terms = answer.device.terms
    table = Table(
        ["change of", "from", "to", f"{terms.block}s", f"{terms.warp}s", "occupancy"], right=frozenset({1, 2, 3, 4, 5})
    )
    for way in found.ways:
        share = percent(way.then.warps, way.then.slots)
        ends = (_value(way.before), _value(way.after))
        table.rows.append([way.field.replace("_", " "), *ends, way.then.blocks, way.then.warps, share])
    return [*lines, "", "Each of these alone lets it run, the smallest change first:", "", table]


def _error(error: LaunchError) -> str:
    if error.code is None:
        return f"no launch comes to be: {error.text}"
    triton = f'; Triton: "{error.triton}"' if error.triton else ""
    return f'{error.name} ({error.code}), "{error.text}"{triton}'


def _value(value: object) -> str:
    if value is None:
        return "default"
    return (
        {True: "yes", False: "no"}[value]
        if isinstance(value, bool)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
