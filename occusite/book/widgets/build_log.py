"""The paste box: a compiler's report in, one row a kernel out, with occupancy and the nearest step (chapter 10)."""

from __future__ import annotations

from html import escape
from pkgutil import get_data

from occusite import devices, nvidia, paper
from occusite.book.parts.html import THIN, Markup, Table, budgets, percent
from occusite.book.parts.widget import Choice, Paste, Slider, View, Widget
from occusite.model.answer import Device
from occusite.questions import staircase
from occusite.reports import KernelReport, read

SAMPLE = (get_data("occusite", "data/sample_build.log") or b"").decode()
REPORTED = "reported"
SHOWN = 200


def view(log: str, device: str, threads: int, dynamic: int) -> View:
    """One row a kernel. Raises `ReportError` naming the line that cannot be read."""
    if not log.strip():
        return View(
            "<strong>Nothing pasted yet</strong> <br>Paste a build log made with <code>-Xptxas -v</code>.",
            {"kernels": "", "notes": ""},
        )
    found = read(log.splitlines(keepends=True))
    rows = [_row(report, device, threads, dynamic) for report in found[:SHOWN]]
    columns = ("kernel", "registers", "static shared, bytes", "spills, bytes", "warps", "what binds", "next step up")
    counted = f"{len(found)} kernel{'s' if len(found) != 1 else ''} read"
    cut = f" The first {SHOWN} are shown." if len(found) > SHOWN else ""
    return View(
        f"<strong>{counted}</strong> <br>A report does not know the block size or the dynamic shared memory: "
        f"these are yours, {threads} threads and {dynamic}{THIN}KiB.{cut}",
        {"kernels": Table(columns, rows, "What each kernel gets"), "notes": _notes(found)},
    )


def _row(report: KernelReport, device: str, threads: int, dynamic: int) -> tuple[object, ...]:
    facts = (
        Markup(f"{escape(report.name)}<br><small>{escape(report.architecture)}</small>"),
        _or_unknown(report.registers),
        report.static_shared or 0,
        _or_unknown(report.spills),
    )
    try:
        target = _device(device, report.architecture)
        launch = report.launch(threads=report.threads or threads, dynamic_shared=dynamic * paper.KIB)
        answer = target.occupancy(launch)
    except ValueError as error:
        return (*facts, "–", str(error), "")
    if not answer.runs:
        return (*facts, 0, f"cannot launch: {answer.reason}", "")
    warps = f"{answer.warps} ({percent(answer.percent)})"
    return (*facts, warps, budgets(answer.binding), _step_up(staircase.advice(target, launch)))


def _step_up(advice: staircase.Advice) -> str:
    if advice.now.warps == advice.now.slots:
        return "all slots are taken"
    if advice.then is None:
        return advice.sentence
    moves = " and ".join(f"{c.knob.replace('_', ' ')} {c.before} → {c.after}" for c in advice.changes)
    return f"{moves}: {advice.then.warps} warps"


def _or_unknown(value: int | None) -> object:
    return "?" if value is None else value


def _device(chosen: str, architecture: str) -> Device:
    if chosen == REPORTED and not architecture:
        raise ValueError("architecture: the report does not name one; choose it above")
    return devices.find(architecture if chosen == REPORTED else chosen)


def _notes(found: list[KernelReport]) -> str:
    notes = dict.fromkeys(note for report in found for note in report.notes)
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
        Slider("threads", "Threads per block", 32, 1024, 32, 256, "", "warps"),
        Slider("dynamic", "Dynamic shared memory", 0, 227, 1, 0, "KiB", "shared_memory"),
    ),
    view,
)
