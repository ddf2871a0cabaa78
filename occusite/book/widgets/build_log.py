"""The paste box: a compiler's report in, one row a kernel out, with occupancy and the nearest step (chapter 10)."""

from __future__ import annotations

from html import escape
from pkgutil import get_data

from occusite import devices, nvidia, paper
from occusite.book.content.silicon import LARGEST
from occusite.book.parts.html import THIN, Markup, Table, count, limiters, percent
from occusite.book.parts.widget import Choice, Paste, Slider, View, Widget
from occusite.questions import kernels
from occusite.questions.kernels import KernelAnswer
from occusite.questions.steps import step_up
from occusite.reports import KernelReport, ReportError, read

SAMPLE = (get_data("occusite", "data/sample_build.log") or b"").decode()
REPORTED = "reported"
SHOWN = 200


def view(log: str, device: str, threads: int, dynamic: int) -> View:
    """One row a kernel. Raises `ValueError` naming the line that cannot be read."""
    if not log.strip():
        return View(
            "<strong>Nothing pasted yet</strong> <br>Paste a build log made with <code>-Xptxas -v</code>.",
            {"kernels": "", "notes": ""},
        )
    try:
        reports = read(log.splitlines(keepends=True))
    except ReportError as error:
        raise ValueError(f"log: {error}") from None
    chosen = None if device == REPORTED else devices.find(device)
    answers = kernels.Answers(chosen, threads, dynamic * paper.KIB)
    rows = [answers.row(report) for report in reports[:SHOWN]]
    columns = ("kernel", "registers", "static shared, bytes", "spills, bytes", "warps", "what binds", "next step up")
    counted = f"{len(reports)} kernel{'s' if len(reports) != 1 else ''} read"
    cut = f" The first {SHOWN} are shown." if len(reports) > SHOWN else ""
    return View(
        f"<strong>{counted}</strong> <br>A report does not know the block size or the dynamic shared memory: "
        f"these are yours, {threads} threads and {dynamic}{THIN}KiB.{cut}",
        {"kernels": Table(columns, [_cells(row) for row in rows], "What each kernel gets"), "notes": _notes(reports)},
    )


def _cells(row: KernelAnswer) -> tuple[object, ...]:
    report, answer = row.report, row.answer
    facts = (
        Markup(f"{escape(report.name)}<br><small>{escape(report.architecture)}</small>"),
        *("?" if value is None else value for value in (report.registers, report.static_shared, report.spills)),
    )
    if answer is None:
        return (*facts, "–", row.problem, "")
    if not answer.runs:
        return (*facts, 0, f"cannot launch: {answer.why(count)}", "")
    warps = f"{answer.warps} ({percent(answer.percent)})"
    return (*facts, warps, limiters(answer), step_up(answer, count, row.steps))


def _notes(reports: list[KernelReport]) -> str:
    notes = dict.fromkeys(note for report in reports for note in report.notes)
    return "".join(f'<p class="occ-note">{escape(note)}</p>' for note in list(notes)[:5])


widget = Widget(
    "Read a build log",
    (
        Paste("log", "Build log", SAMPLE),
        Choice(
            "device",
            "GPU",
            {REPORTED: "the one compiled for"}
            | {cc: f"{cc} · {chip.family} · {chip.example}" for cc, chip in nvidia.CHIPS.items()},
            REPORTED,
        ),
        Slider.of(LARGEST, "threads", 256, step=LARGEST.warp_size),
        Slider.of(LARGEST, "dynamic_shared", 0, control="dynamic", label="Dynamic shared memory"),
    ),
    view,
)
