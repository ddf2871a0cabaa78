"""`occusite read`: build logs, cubins, Triton caches and profiles; a row a kernel, with its occupancy and next step."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from occusite.cli import options
from occusite.cli.output import Binding, Table, in_terminal, note, percent, show, show_json

if TYPE_CHECKING:
    from occusite.cli.kernels import Row
    from occusite.reports import KernelReport

_ARGUMENT = "Files, Triton cache folders, or - for the standard input."


def read(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help=_ARGUMENT)],
    threads: Annotated[
        int | None,
        typer.Option("--threads", "-t", metavar="N", help="Threads per block, where the report does not say."),
    ] = None,
    dynamic_shared: Annotated[
        str | None,
        typer.Option("--dynamic-shared", "-s", metavar="BYTES", help="Dynamic shared memory, where it does not say."),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option("--device", "-d", metavar="NAME", help="The GPU.  [default: each kernel's architecture]"),
    ] = None,
    architecture: Annotated[
        str, typer.Option("--architecture", metavar="sm_NN", help="For kernels whose report names none.")
    ] = "",
    json: options.Json = False,
) -> None:
    """Occupancy of every kernel in a build log, cubin or profile.

    A row a kernel: what limits it, the nearest step up and down, and what it takes.

    Reads ptxas -v and nvcc --resource-usage logs, cuobjdump --dump-resource-usage, cubins and what holds them,
    Triton's cache, and Nsight Compute's CSV. Exits with 2 when a report cannot be read.
    """
    from occusite.cli import kernels
    from occusite.cli.launches import size
    from occusite.reports import ReportError

    gpu = options.device(device) if device is not None else None
    assumed = size("dynamic_shared", dynamic_shared) if dynamic_shared is not None else None
    if threads is not None:
        from occusite.model.checks import whole

        whole("threads", threads, 1, 1024, "threads per block")
    answers = kernels.Answers(gpu, threads, assumed)
    rows: list[Row] = []
    failed = False
    for path in paths:
        try:
            rows += [answers.row(path, report) for report in _reports(path, architecture)]
        except (ReportError, OSError) as error:
            problem = error.strerror if isinstance(error, OSError) and error.strerror else error
            typer.echo(f"Error: {path}: {problem}", err=True)
            failed = True
    if json:
        show_json([_record(row) for row in rows])
    elif rows:
        show(*(_narrow(rows, len(paths) > 1) if in_terminal() else [_table(rows, len(paths) > 1)]))
        for text in kernels.remarks(rows):
            note(text)
    if failed:
        raise typer.Exit(2)


def _reports(path: str, architecture: str) -> list[KernelReport]:
    from pathlib import Path

    from occusite import reports

    return reports.read(sys.stdin.buffer.read() if path == "-" else Path(path), architecture)


def _table(rows: list[Row], several: bool) -> Table:
    """The plain table: the same columns for every report, the kernel's name last."""
    from occusite.cli import cliffs

    columns = ["occupancy", "warps", "limited by", "next step up", "next step down"]
    columns += ["threads", "regs", "shared", "spills", "arch"] + ["report"] * several + ["kernel"]
    table = Table(columns, right=frozenset({0, 1, 5, 6, 7, 8}))
    for row in rows:
        steps = [cliffs.words(step) for step in row.steps] if row.steps else ["?", "?"]
        if row.together:
            steps[0] = row.together
        warps = row.answer.warps if row.answer else "?"
        cells = [_share(row), warps, _binding(row), *steps, *_resources(row)]
        table.rows.append([*cells, *([row.path] * several), row.report.name or "?"])
    return table


def _narrow(rows: list[Row], several: bool) -> list[object]:
    """The terminal's table: short steps, and what all kernels share said once above it."""
    from occusite.cli import cliffs

    table = Table(
        ["occupancy", "limited by", "up → warps", "down → warps", "threads", "regs", "shared", "spills", "arch"]
    )
    for row in rows:
        steps = [cliffs.short(step) for step in row.steps] if row.steps else ["?", "?"]
        if row.together:
            steps[0] = row.together
        table.rows.append([_share(row), _binding(row, short=True), *steps, *_resources(row)])
    columns, right = list(range(len(table.columns))), frozenset({0, 4, 5, 6, 7})
    same = [i for i in (4, 8) if len({line[i] for line in table.rows}) == 1 and table.rows[0][i] != "?"]
    said = ", ".join(f"{table.rows[0][i]}{' threads per block' if i == 4 else ''}" for i in reversed(same))
    kept = [i for i in columns if i not in same]
    names = ["report"] * several + ["kernel"]
    shown = Table(
        [*(table.columns[i] for i in kept), *names],
        [
            [*(line[i] for i in kept), *([row.path] * several), row.report.name or "?"]
            for line, row in zip(table.rows, rows, strict=True)
        ],
        frozenset(n for n, i in enumerate(kept) if i in right),
        folds=frozenset({1, 2, *range(len(kept), len(kept) + len(names))}),
    )
    return [said, shown] if said else [shown]


def _share(row: Row) -> str:
    if row.answer is None:
        return "?"
    if not row.answer.runs:
        return "cannot run"
    return ("≤ " if row.best_threads else "") + percent(row.answer.warps, row.answer.slots)


def _binding(row: Row, short: bool = False) -> Binding:
    runs = row.answer is not None and row.answer.runs
    return Binding(row.answer.binding if row.answer and runs else (), "–" if row.answer else "?", short)


def _resources(row: Row) -> list[object]:
    """What the kernel takes, as the answer took it: threads, registers, shared memory, spills, architecture."""
    report = row.report
    launch = row.answer.launch if row.answer else None
    return [
        "?" if row.best_threads or launch is None else launch.threads,
        _known(report.registers),
        _known(launch.shared_memory if launch else report.static_shared),
        _known(report.spills),
        report.architecture or "?",
    ]


def _known(value: int | None) -> str:
    return "?" if value is None else str(value)


def _record(row: Row) -> dict[str, Any]:
    from dataclasses import fields

    from occusite.cli import cliffs, records

    report = row.report
    made: dict[str, Any] = {"path": row.path, "name": report.name}
    made |= {f.name: getattr(report, f.name) for f in fields(report)}
    made["constant"] = dict(report.constant)
    made["unknown"] = list(report.unknown)
    if row.device is not None and row.answer is not None:
        made["device"] = row.device.name
        made["best_block_size"] = row.best_threads or None
        made["answer"] = {**records.question(row.device, row.answer.launch), **records.record(row.answer)}
        made["next"] = cliffs.record(row.steps) if row.steps else None
        made["together"] = row.together or None
    if row.problem:
        made["problem"] = row.problem
    return made
