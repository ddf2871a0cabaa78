"""`occusite occupancy`: resident blocks and warps of one launch, every limit, and the nearest steps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import options
from occusite.cli.output import Cell, Table, bar, in_terminal, percent, show, show_json
from occusite.cli.parser import Exit, option
from occusite.model.terms import counted

if TYPE_CHECKING:
    from occusite.model import Occupancy
    from occusite.questions.grid import Waves


@options.with_launch
def occupancy(
    fields: dict[str, Any],
    device: options.Device = None,
    grid: Annotated[
        str | None, option("--grid", metavar="N", help="Blocks of the whole grid: adds waves and tail.")
    ] = None,
    rules: options.Rules = None,
    json: options.Json = False,
    jsonl: Annotated[
        bool,
        option("--jsonl", help="Read launches as JSON Lines, write one answer a line. Ignores other options."),
    ] = False,
) -> None:
    """Resident blocks and warps of a launch, and every limit.

    Exits with 1 when the launch cannot run.
    """
    if jsonl:
        from occusite.cli import jsonl as lines

        lines.run(sys.stdin.buffer, sys.stdout.buffer)
        return
    gpu, launch = options.question(device, rules, fields)
    answer = gpu.occupancy(launch)
    size = options.grid(grid)
    waves = None
    if size is not None and answer.runs:
        from occusite.questions.grid import waves as waves_of

        waves = waves_of(answer, size)
    if json:
        show_json(_record(answer, waves))
    else:
        show(*_parts(answer, waves))
    if not answer.runs:
        raise Exit(1)


def headline(answer: Occupancy) -> list[object]:
    """The answer in a few lines."""
    device = answer.device
    lines: list[object] = [f"device:     {device.name}"]
    if device.cores is None and (why := getattr(device, "note", "")):
        lines.append(f"{f'{device.terms.core}s:':11} not known: {why}")
    lines += [f"launch:     {described(answer.launch)}", f"rules:      {device.rules.source}"]
    if not answer.runs:
        return [*lines, f"cannot run: {answer.reason}"]
    share = percent(answer.warps, answer.slots)
    blocks = counted(answer.blocks, f"{device.terms.block}s")
    lines.append(f"occupancy:  {share} ({answer.warps} of {answer.slots} {device.terms.warp}s, {blocks})")
    if in_terminal():
        slot = answer.budget(answer.limiters[0]).slot
        lines.append(Cell(f"            {bar(answer.warps, answer.slots, 48)}", slot))
    return [*lines, f"limited by: {answer.limiter}"]


def described(launch: Any) -> str:
    """The launch in words, what it leaves at its default left out."""
    from occusite.model.fields import changed

    fields = {f.name: f for f in launch.FIELDS}
    parts = []
    for name, value in changed(launch).items():
        field = fields[name]
        if field.kind in ("count", "bytes"):
            words, plain = counted(value, field.unit), name.replace("_", " ")
            # "256 threads" says what it is by its unit; "48 bytes" or "2 blocks" would not.
            own = field.default is ... or field.unit.removesuffix("s") in name
            more = f"{words} {plain}" if field.kind == "bytes" else f"{plain} of {words}"
            parts.append(words if own else more)
        elif field.kind == "flag":
            parts.append(f"{'' if value else 'no '}{name.replace('_', '-')}")
        else:
            parts.append(f"{name.replace('_', ' ')} {value}{' %' if field.kind == 'percent' else ''}")
    return ", ".join(parts)


def _parts(answer: Occupancy, waves: Waves | None) -> list[object]:
    from occusite.questions import steps

    device, launch = answer.device, answer.launch
    terms = device.terms
    columns = ["budget", f"{terms.block}s it allows", f"{terms.warp}s"] + [""] * in_terminal()
    limits = Table(columns, right=frozenset({1, 2}))
    for index, budget in enumerate(device.budgets):
        limit = answer.limits[budget.key]
        allowed = ["any number" if limit.warps is None else "–" if n is None else n for n in limit]
        row: list[object] = [Cell(budget.name, budget.slot), *allowed]
        if in_terminal():
            most = limit.warps
            row.append(Cell("" if most is None else bar(min(most, answer.slots), answer.slots), budget.slot))
        limits.rows.append(row)
        if budget.key in answer.limiters:
            limits.marked.add(index)
    changes = Table(["change of", "next step up", "next step down"])
    for key, nearest in steps.by_budget(answer).items():
        budget = answer.budget(key)
        label = Cell(f"{terms.block} size" if budget.slot == "warps" else budget.name, budget.slot)
        changes.rows.append([label, steps.words(device, nearest.better), steps.words(device, nearest.worse)])
    parts = [*headline(answer), "", limits, "", changes]
    if answer.runs:
        parts += ["", steps.advice(answer).sentence]
    if waves:
        from occusite.cli.grid import waves_lines
        from occusite.questions.grid import achieved

        parts += ["", *waves_lines(answer, waves, achieved(answer, waves.grid))]
    if getattr(launch, "cluster", 1) > 1 and answer.runs:
        clusters = device.clusters(launch)  # type: ignore[attr-defined]
        known = clusters.at_most is not None
        active = f"At most {counted(clusters.at_most or 0, 'clusters')} active; " if known else "Clusters: "
        parts += ["", f"{active}{clusters.note}."]
    return parts


def _record(answer: Occupancy, waves: Waves | None) -> dict[str, object]:
    from occusite.questions import records, steps

    made: dict[str, object] = {**records.question(answer), **records.record(answer)}
    made["next"] = {key: nearest.record() for key, nearest in steps.by_budget(answer).items()}
    if waves:
        made["waves"] = records.waves(waves)
    if (clusters := records.clusters(answer)) is not None:
        made["clusters"] = clusters
    return made
