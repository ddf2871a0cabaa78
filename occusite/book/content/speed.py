"""How fast the book's Python is: what scripts/bench/boot.py, rivals.py and widgets.py saved, as tables."""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from typing import Any

from occusite.book.parts.html import THIN, Table

ROWS = {
    "first": "first visit",
    "first_slow": "on a slow line",
    "again": "return visit",
    "stopped": "after Stop",
    "next": "next page",
}
ENGINES = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKitGTK"}


@cache
def _saved(name: str) -> Any:
    return json.loads((pkgutil.get_data("occusite", f"data/measured/{name}.json") or b"{}").decode())


def boot(engine: str) -> Table:
    """One browser: seconds from click to answer, stock Pyodide beside the book."""
    saved = _saved("boot")["engines"][engine]
    rows = [
        (name, _seconds(row["stock"], 2), _seconds(row["book"], 2), f"{row['ratio']:.1f}×")
        for key, name in ROWS.items()
        for row in [saved["rows"][key]]
    ]
    title = f"From click to answer in {ENGINES[engine]} {saved['version']}"
    return Table(("", "stock Pyodide", "this book", "faster by"), rows, title)


def rivals() -> Table:
    """Other books' run buttons on the same machine and Pyodide version: how long they take, and how much they load."""
    saved = _saved("rivals")
    rows = [
        (
            r["name"],
            *(_seconds(r[key], 1) for key in ("opened", "seconds", "read", "again")),
            f"{r['megabytes']:.1f}{THIN}MB",
        )
        for r in saved["rows"]
    ]
    columns = ("run button", "opened to output", "click to output", "click after reading", "next visit", "moved")
    title = f"Run buttons of other books (Chromium {saved['browser']}, Pyodide {saved['pyodide']}, {saved['rounds']} rounds)"
    return Table(columns, rows, title)


def stops() -> Table:
    """What the same run buttons do about a loop that never ends."""
    rows = [(r["name"], r["stops"], r["keeps"]) for r in _saved("rivals")["rows"]]
    return Table(("run button", "can it be stopped?", "are variables kept?"), rows, "An endless loop, tried in each")


def widgets() -> Table:
    """From a slider's input to the end of the frame that shows its result."""
    saved = _saved("widgets")
    rows = [
        (
            r["widget"].replace("_", " "),
            f"chapter {int(r['page'][:2])}" if r["page"] else "home",
            _milliseconds(r["median"]),
            _milliseconds(r["p95"]),
            f"{r['next_frame'] * 100:.0f}{THIN}%",
        )
        for r in sorted(saved["rows"], key=lambda r: r["page"])
    ]
    columns = ("widget", "where", "median", "19 of 20 are within", "shown in the next frame")
    return Table(columns, rows, f"A slider's input to its result on the page, {saved['inputs']} inputs each")


def _seconds(value: float, digits: int) -> str:
    return f"{value:.{digits}f}{THIN}s"


def _milliseconds(value: float) -> str:
    return f"{value:.1f}{THIN}ms"


def machine() -> str:
    """The machine that measured, in words."""
    return str(_saved("boot")["machine"])


def rounds() -> int:
    """How many rounds each median is over."""
    return int(_saved("boot")["rounds"])


def slow_line() -> str:
    """The line of the slow first visit, in words."""
    rate, latency = _saved("boot")["slow_line"]
    return f"{rate * 8 / 1e6:g}{THIN}Mbit/s with {latency * 1e3:g}{THIN}ms latency"


def reading() -> int:
    """Seconds that a reader reads before the click, in the table of other books."""
    return int(_saved("rivals")["reading"])


def gain(engine: str, key: str) -> str:
    """One ratio, for a sentence."""
    return f"{_saved('boot')['engines'][engine]['rows'][key]['ratio']:.1f}"
