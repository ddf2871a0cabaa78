"""`occusite read`: build logs, cubins, Triton caches and profiles; a row a kernel, with its occupancy and next step."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import asked, options
from occusite.cli.output import Limiters, Name, Table, in_terminal, note, percent, show, show_json
from occusite.cli.parser import Argument, Exit, option

if TYPE_CHECKING:
    from occusite.questions.kernels import KernelAnswer
    from occusite.questions.steps import Cliff
    from occusite.reports import KernelReport

    # A report's path, and the answer for one of its kernels.
    Row = tuple[str, KernelAnswer]

_ARGUMENT = "Files, Triton cache folders, or - for the standard input."
_EXAMPLE = "files to read, or - for the standard input"


def read(
    paths: Annotated[list[str], Argument("PATH...", _ARGUMENT, True, _EXAMPLE)],
    threads: Annotated[
        str | None,
        option("--threads", "-t", metavar="N", help="Threads per block, where the report does not say."),
    ] = None,
    dynamic_shared: Annotated[
        str | None,
        option("--dynamic-shared", "-s", metavar="BYTES", help="Dynamic shared memory, where it does not say."),
    ] = None,
    registers: Annotated[
        str | None,
        option("--registers", "-r", metavar="N", help="Registers per thread, where the report does not say."),
    ] = None,
    device: Annotated[
        str | None,
        option("--device", "-d", metavar="NAME", help="The GPU.  [default: each kernel's architecture]"),
    ] = None,
    architecture: Annotated[
        str, option("--architecture", metavar="sm_NN", help="For kernels whose report names none.")
    ] = "",
    json: options.Json = False,
) -> None:
    """Occupancy of every kernel in a build log, cubin or profile.

    A row a kernel: what limits it, the nearest step up and down, and what it takes.

    Reads ptxas -v and nvcc --resource-usage logs, cuobjdump --dump-resource-usage, cubins and what holds them,
    Triton's cache, and Nsight Compute's CSV. Exits with 2 when a report cannot be read.
    """
    from occusite.model.checks import integer
    from occusite.model.fields import block, size, whole
    from occusite.questions import kernels
    from occusite.reports import ReportError

    gpu = asked.device(device) if device is not None else None
    assumed = size("dynamic_shared", dynamic_shared) if dynamic_shared is not None else None
    each = block("threads", threads, "threads") if threads is not None else None
    if each is not None:
        integer("threads", each, 1, 1024, "threads per block")
    count = integer("registers", whole("registers", registers, "registers"), 0) if registers is not None else None
    answers = kernels.Answers(gpu, each, assumed, count)
    rows: list[Row] = []
    failed = False
    for path in paths:
        try:
            rows += [(path, answers.row(report)) for report in _reports(path, architecture)]
        except (ReportError, OSError) as error:
            problem = error.strerror if isinstance(error, OSError) and error.strerror else error
            note(f"Error: {path or repr(path)}: {problem}")
            failed = True
    if json:
        show_json([_record(path, row) for path, row in rows])
    elif rows:
        show(*(_narrow(rows, len(paths) > 1) if in_terminal() else [_table(rows, len(paths) > 1)]))
        for text in kernels.remarks([row for _, row in rows]):
            note(text)
    if failed:
        raise Exit(2)


def _reports(path: str, architecture: str) -> list[KernelReport]:
    from pathlib import Path

    from occusite import reports

    if not path:
        raise reports.ReportError("", "an empty path; give a file, a folder, or - for the standard input")
    return reports.read(sys.stdin.buffer.read() if path == "-" else Path(path), architecture)


def _table(rows: list[Row], several: bool) -> Table:
    """The plain table: the same columns for every report, the kernel's name last."""
    columns = ["occupancy", "warps", "limited by", "next step up", "next step down"]
    columns += ["threads", "regs", "shared", "spills", "arch"] + ["report"] * several + ["kernel"]
    table = Table(columns, right=frozenset({0, 1, 5, 6, 7, 8}))
    for path, row in rows:
        warps = row.answer.warps if row.answer else "?"
        cells = [_share(row), warps, _limiters(row), row.step_up(), row.step_down(), *_resources(row)]
        table.rows.append([*cells, *([path] * several), row.report.name or "?"])
    return table


def _narrow(rows: list[Row], several: bool) -> list[object]:
    """The terminal's table: short steps, and what all kernels share said once above it."""
    table = Table(
        ["occupancy", "limited by", "up → warps", "down → warps", "threads", "regs", "shared", "spills", "arch"]
    )
    for _, row in rows:
        steps = [_short(row.steps.better), _short(row.steps.worse)] if row.steps else ["?", "?"]
        if row.steps and not row.steps.better:
            steps[0] = row.step_up()
        table.rows.append([_share(row), _limiters(row, short=True), *steps, *_resources(row)])
    columns, right = list(range(len(table.columns))), frozenset({0, 4, 5, 6, 7})
    same = [i for i in (4, 8) if len({line[i] for line in table.rows}) == 1 and table.rows[0][i] != "?"]
    shared = ", ".join(f"{table.rows[0][i]}{' threads per block' if i == 4 else ''}" for i in reversed(same))
    # What no report says takes no column of its own.
    silent = [i for i in columns[4:] if {line[i] for line in table.rows} == {"?"}]
    columns_shown = [i for i in columns if i not in same and i not in silent]
    names = ["report"] * several + ["kernel"]
    shown = Table(
        [*(table.columns[i] for i in columns_shown), *names],
        [
            [*(line[i] for i in columns_shown), *([path] * several), Name(row.report.name or "?")]
            for line, (path, row) in zip(table.rows, rows, strict=True)
        ],
        frozenset(n for n, i in enumerate(columns_shown) if i in right),
        folds=frozenset({1, 2, 3, *range(len(columns_shown), len(columns_shown) + several)}),
    )
    return [shared, shown] if shared else [shown]


def _short(cliff: Cliff | None) -> str:
    """The step for a narrow column: "−16 regs → 40", with the warps it gives."""
    if cliff is None:
        return "–"
    unit = {"registers": "regs", "shared_memory": "B", "barriers": "bars"}.get(cliff.budget, cliff.field)
    return f"{'+' if cliff.change > 0 else '−'}{abs(cliff.change):,} {unit} → {cliff.warps}"


def _share(row: KernelAnswer) -> str:
    if row.answer is None:
        return "?"
    if not row.answer.runs:
        return "cannot run"
    return ("≤ " if row.at_most else "") + percent(row.answer.warps, row.answer.slots)


def _limiters(row: KernelAnswer, short: bool = False) -> Limiters:
    answer = row.answer
    return Limiters(answer.limiting if answer and answer.runs else (), "–" if answer else "?", short)


def _resources(row: KernelAnswer) -> list[object]:
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


def _record(path: str, row: KernelAnswer) -> dict[str, Any]:
    from dataclasses import fields

    from occusite.questions import records, steps

    report = row.report
    made: dict[str, Any] = {"path": path, "name": report.name}
    made |= {f.name: getattr(report, f.name) for f in fields(report)}
    made["constant"] = dict(report.constant)
    made["unknown"] = list(report.unknown)
    if row.device is not None and row.answer is not None:
        made["device"] = row.device.name
        made["best_block_size"] = row.best_threads or None
        made["at_most"] = row.at_most
        made["answer"] = {**records.question(row.answer), **records.record(row.answer)}
        made["next"] = row.steps.record() if row.steps else None
        alone = row.steps is not None and row.steps.better is not None
        made["together"] = None if alone else steps.together(row.answer) or None
    made.pop("problem")
    if row.problem:
        made["problem"] = row.problem
    return made
