"""`occusite read`: build logs, cubins, Triton caches and profiles; a row a kernel, with its occupancy and next step."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from occusite.cli import options
from occusite.cli.output import Binding, Table, note, percent, show, show_json

if TYPE_CHECKING:
    from occusite import nvidia
    from occusite.cli.cliffs import Nearest
    from occusite.reports import KernelReport
    from occusite.result import Occupancy

_ARCHITECTURE = re.compile(r"sm_(\d{1,2})(\d)([af]?)")
_ARGUMENT = "Files, Triton cache folders, or - for the standard input."


class Row(NamedTuple):
    """One kernel of one report: its answer, or why there is none (`problem`).

    `together`: what to change at once where no single step up exists because registers and shared memory tie.
    `best_threads`: the block size the answer is for where neither the report nor the user says one, else 0.
    """

    path: str
    report: KernelReport
    device: nvidia.Device | None = None
    answer: Occupancy | None = None
    steps: Nearest | None = None
    together: str = ""
    best_threads: int = 0
    problem: str = ""


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
    from occusite.cli.launches import size
    from occusite.reports import ReportError

    gpu = options.device(device) if device is not None else None
    assumed = size("dynamic_shared", dynamic_shared) if dynamic_shared is not None else None
    if threads is not None:
        from occusite.checks import whole

        whole("threads", threads, 1, 1024, "threads per block")
    answers = Answers(gpu, threads, assumed)
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
        show(_table(rows, several=len(paths) > 1))
        for text in remarks(rows, gpu):
            note(text)
    if failed:
        raise typer.Exit(2)


def _reports(path: str, architecture: str) -> list[KernelReport]:
    from pathlib import Path

    from occusite import reports

    return reports.read(sys.stdin.buffer.read() if path == "-" else Path(path), architecture)


class Answers:
    """Answers kernels; remembers what kernels of the same resources got."""

    def __init__(self, device: nvidia.Device | None, threads: int | None, dynamic_shared: int | None) -> None:
        self._device, self._threads, self._dynamic = device, threads, dynamic_shared
        self._devices: dict[str, nvidia.Device | str] = {}
        self._known: dict[tuple[Any, ...], tuple[Occupancy | None, Nearest | None, str, int, str]] = {}

    def row(self, path: str, report: KernelReport) -> Row:
        """The row of one kernel."""
        device = self._device_for(report.architecture)
        if isinstance(device, str):
            return Row(path, report, problem=device)
        key: tuple[Any, ...] = (
            report.architecture,
            report.registers,
            report.static_shared,
            report.dynamic_shared,
            report.threads,
        )
        key += (report.max_threads, report.barriers, report.cluster)
        if key not in self._known:
            self._known[key] = self._answer(device, report)
        return Row(path, report, device, *self._known[key])

    def _answer(
        self, device: nvidia.Device, report: KernelReport
    ) -> tuple[Occupancy | None, Nearest | None, str, int, str]:
        from dataclasses import replace

        from occusite.cli import cliffs

        threads = report.threads if report.threads is not None else self._threads
        if threads and report.max_threads is not None and threads > report.max_threads:
            return None, None, "", 0, f"threads: the kernel's launch bounds allow {report.max_threads}, not {threads}"
        dynamic = report.dynamic_shared if report.dynamic_shared is not None else self._dynamic
        try:
            launch = report.launch(threads=threads or 1, dynamic_shared=dynamic)
            best = 0
            if threads is None:
                best = device.potential_block_size(cliffs.pooled(launch), None, report.max_threads).threads
                launch = replace(launch, threads=best or 1)
            answer = device.occupancy(launch)
        except ValueError as error:
            return None, None, "", 0, str(error)
        steps = cliffs.nearest(answer)
        return answer, steps, "" if steps.better else cliffs.together(answer), best, ""

    def _device_for(self, architecture: str) -> nvidia.Device | str:
        """The device to answer for, or why there is none."""
        from occusite.cli import many

        if architecture not in self._devices:
            found = self._find(architecture)
            self._devices[architecture] = found if isinstance(found, str) else many.Device.of(found)
        return self._devices[architecture]

    def _find(self, architecture: str) -> nvidia.Device | str:
        from occusite.cli import launches

        if self._device is None:
            if not architecture:
                return "the report names no architecture: give --device or --architecture"
            try:
                return launches.device(architecture)
            except ValueError as error:
                return str(error)
        if architecture and not runs_on(architecture, self._device):
            return f"code for {architecture} does not run on {self._device.name}"
        return self._device


def runs_on(architecture: str, device: nvidia.Device) -> bool:
    """Whether binary code for "sm_86" runs on the device: same major, no newer minor; "sm_90a": that one alone."""
    found = _ARCHITECTURE.fullmatch(architecture)
    if not found:
        return False
    major, minor = int(found[1]), int(found[2])
    if found[3] == "a":
        return (major, minor) == (device.major, device.minor)
    return major == device.major and minor <= device.minor


def remarks(rows: Iterable[Row], device: nvidia.Device | None) -> list[str]:
    """What the reports cannot know, and what was taken instead; the reports' own notes."""
    rows = list(rows)
    said: dict[str, int] = {}

    def say(text: str) -> None:
        said[text] = said.get(text, 0) + 1

    for row in rows:
        if row.best_threads:
            say("block size: the report does not say; shown is the best that any block size gives (≤). Give --threads.")
        if row.report.dynamic_shared is None and row.answer and not row.answer.launch.dynamic_shared:
            say("dynamic shared memory: the report does not say; taken as 0. Give --dynamic-shared.")
        if row.report.barriers is None and row.answer and row.device and row.device.rules.barriers is not None:
            say("barriers: the report does not say; taken as 1 per block.")
        if row.problem:
            say(row.problem)
        for text in row.report.notes:
            say(text)
    return [f"{text} ({count:,} of {len(rows):,} kernels)" for text, count in said.items()]


def _table(rows: list[Row], several: bool) -> Table:
    columns = ["occupancy", "warps", "limited by", "next step up", "next step down"]
    columns += ["threads", "regs", "shared", "spills", "arch"] + ["report"] * several + ["kernel"]
    table = Table(columns, right=frozenset({0, 1, 5, 6, 7, 8}))
    for row in rows:
        report = row.report
        launch = row.answer.launch if row.answer else None
        shared = launch.shared_memory if launch else report.static_shared
        cells: list[object] = [
            *_answer_cells(row),
            "?" if row.best_threads or launch is None else launch.threads,
            _known(report.registers),
            _known(shared),
            _known(report.spills),
            report.architecture or "?",
        ]
        table.rows.append([*cells, *([row.path] * several), report.name or "?"])
    return table


def _answer_cells(row: Row) -> list[object]:
    from occusite.cli import cliffs

    answer = row.answer
    if answer is None:
        return ["?", "?", "?", "?", "?"]
    steps = [cliffs.words(step) for step in row.steps or ()]
    if row.together:
        steps[0] = row.together
    if not answer.runs:
        return ["cannot run", 0, "–", *steps]
    share = ("≤ " if row.best_threads else "") + percent(answer.warps, answer.slots)
    return [share, answer.warps, Binding(answer.binding), *steps]


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
