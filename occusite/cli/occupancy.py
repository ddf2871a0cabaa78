"""`occusite occupancy`: resident blocks and warps of one launch, every limit, and the nearest steps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from occusite.cli import options
from occusite.cli.output import COLOURS, Cell, Table, bar, in_terminal, percent, show, show_json

if TYPE_CHECKING:
    from occusite import nvidia
    from occusite.model.answer import Occupancy
    from occusite.questions.grid import Waves


def occupancy(
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
    grid: Annotated[
        int | None, typer.Option("--grid", metavar="N", help="Blocks of the whole grid: adds waves and tail.")
    ] = None,
    header: options.Header = None,
    json: options.Json = False,
    jsonl: Annotated[
        bool,
        typer.Option("--jsonl", help="Read launches as JSON Lines, write one answer a line. Ignores other options."),
    ] = False,
) -> None:
    """Resident blocks and warps of a launch, and every limit.

    Exits with 1 when the launch cannot run.
    """
    if jsonl:
        from occusite.cli import jsonl as lines

        lines.run(sys.stdin.buffer, sys.stdout.buffer)
        return
    from occusite.questions.grid import waves as waves_of

    gpu, launch = options.device(device, header), options.launch(context)
    answer = gpu.occupancy(launch)
    waves = waves_of(gpu, launch, grid) if grid is not None and answer.runs else None
    if json:
        show_json(_record(gpu, launch, answer, waves))
    else:
        show(*_parts(gpu, launch, answer, waves))
    if not answer.runs:
        raise typer.Exit(1)


def headline(device: nvidia.Device, launch: nvidia.Launch, answer: Occupancy) -> list[object]:
    """The answer in a few lines."""
    lines: list[object] = [f"device:     {device.name}", f"launch:     {described(launch)}"]
    lines.append(f"rules:      cuda_occupancy.h of CUDA {device.header}")
    if not answer.runs:
        return [*lines, f"cannot run: {answer.reason}"]
    share = percent(answer.warps, answer.slots)
    lines.append(f"occupancy:  {share} ({answer.warps} of {answer.slots} warps, {count(answer.blocks, 'block')})")
    if in_terminal():
        lines.append(Cell(f"            {bar(answer.warps, answer.slots, 48)}", answer.binding[0]))
    return [*lines, f"limited by: {answer.limiter}"]


def described(launch: nvidia.Launch) -> str:
    """The launch in words, what it leaves at its default left out."""
    parts = [count(launch.threads, "thread"), count(launch.registers, "register")]
    if launch.shared_memory:
        parts.append(f"{launch.static_shared:,} + {launch.dynamic_shared:,} bytes shared (static + dynamic)")
    if launch.max_dynamic_shared is not None:
        parts.append(f"at most {launch.max_dynamic_shared:,} of it dynamic")
    if not launch.opt_in:
        parts.append("no opt-in")
    if launch.carveout is not None:
        parts.append(f"carve-out {launch.carveout} %")
    if launch.barriers != 1:
        parts.append(count(launch.barriers, "barrier"))
    if launch.partitioned_caching:
        parts.append("partitioned caching" + (", strict" if launch.partitioned_caching == "strict" else ""))
    if launch.cluster != 1:
        parts.append(f"clusters of {launch.cluster} blocks")
    return ", ".join(parts)


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 block", "4 blocks"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _parts(device: nvidia.Device, launch: nvidia.Launch, answer: Occupancy, waves: Waves | None) -> list[object]:
    from occusite.cli import cliffs
    from occusite.cli.records import LIMITS
    from occusite.model.answer import BUDGET_NAMES
    from occusite.questions import staircase

    columns = ["budget", "blocks it allows", "warps"]
    limits = Table(
        columns
        + [
            "",
        ]
        * in_terminal(),
        right=frozenset({1, 2}),
    )
    warps = -(-launch.threads // device.warp_size)
    for index, name in enumerate(LIMITS):
        limit = answer.limits[name]
        allowed = "any number" if limit is None else limit
        row: list[object] = [Cell(BUDGET_NAMES[name], name), allowed, "any number" if limit is None else limit * warps]
        if in_terminal():
            row.append(Cell(bar(min(limit * warps, answer.slots), answer.slots) if limit is not None else "", name))
        limits.rows.append(row)
        if name in answer.binding:
            limits.marked.add(index)
    steps = Table(["change of", "next step up", "next step down"])
    for knob, found in cliffs.by_knob(answer).items():
        label = Cell("block size" if knob == "threads" else BUDGET_NAMES[knob], knob if knob in COLOURS else "warps")
        steps.rows.append([label, cliffs.words(found.better), cliffs.words(found.worse)])
    parts = [*headline(device, launch, answer), "", limits, "", steps]
    if answer.runs:
        parts += ["", staircase.advice(device, launch).sentence]
    if waves:
        tail = f", the last of {waves.tail:,}" if waves.tail else ""
        number = waves.full + bool(waves.tail)
        parts += [
            "",
            f"A grid of {count(waves.grid, 'block')}: {count(number, 'wave')} of {waves.per_wave:,}{tail}; "
            f"{float(100 * waves.efficiency):.4g} % of the slots used.",
        ]
    if launch.cluster > 1 and answer.runs:
        from occusite import nvidia

        parts += [
            "",
            f"At most {count(nvidia.clusters(device, launch).at_most, 'cluster')} active; "
            f"{nvidia.clusters(device, launch).note}.",
        ]
    return parts


def _record(device: nvidia.Device, launch: nvidia.Launch, answer: Occupancy, waves: Waves | None) -> dict[str, object]:
    from occusite.cli import cliffs, records

    made: dict[str, object] = {**records.question(device, launch), **records.record(answer)}
    made["next"] = {knob: cliffs.record(found) for knob, found in cliffs.by_knob(answer).items()}
    if waves:
        made["waves"] = {**waves._asdict(), "efficiency": float(waves.efficiency)}
    return made
