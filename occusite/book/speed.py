"""How fast the book's Python is: the measurements that scripts/bench_boot.py and bench_rivals.py saved, as tables."""

from __future__ import annotations

import json
import pkgutil
from typing import Any

from occusite.book.html import THIN, Table

ROWS = {
    "first": "first visit",
    "first_slow": "first visit at 10 Mbit/s, 40 ms latency",
    "again": "return visit",
    "stopped": "after Stop had to end the worker",
    "next": "next page of the book",
}
ENGINES = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKitGTK"}


def _saved(name: str) -> Any:
    return json.loads((pkgutil.get_data("occusite", f"data/{name}.json") or b"{}").decode())


def boot(engine: str) -> Table:
    """One browser: seconds from click to answer, stock Pyodide beside the book."""
    found = _saved("boot")["engines"][engine]
    rows = [
        (name, f"{row['stock']:.2f}{THIN}s", f"{row['book']:.2f}{THIN}s", f"{row['ratio']:.1f}×")
        for key, name in ROWS.items()
        for row in [found["rows"][key]]
    ]
    title = f"{ENGINES[engine]} ({found['version']}): from click to answer"
    return Table(("", "stock Pyodide", "this book", "faster by"), rows, title)


def rivals() -> Table:
    """Other books' run buttons on the same machine and Pyodide version."""
    saved = _saved("rivals")
    rows = [
        (
            r["name"],
            *(f"{r[key]:.1f}{THIN}s" for key in ("opened", "seconds", "read", "again")),
            f"{r['megabytes']:.1f}{THIN}MB",
            r["stops"],
            r["keeps"],
        )
        for r in saved["rows"]
    ]
    columns = (
        "run button",
        "opened to output",
        "click to output",
        "click after 10 s of reading",
        "next visit, opened to output",
        "moved",
        "Stop ends a loop",
        "variables kept",
    )
    title = f"Run buttons of other books ({saved['browser']}, Pyodide {saved['pyodide']}, {saved['rounds']} rounds)"
    return Table(columns, rows, title)


def machine() -> str:
    """The machine that measured, in words."""
    return str(_saved("boot")["machine"])


def rounds() -> int:
    """How many rounds each median is over."""
    return int(_saved("boot")["rounds"])


def gain(engine: str, key: str) -> str:
    """One ratio, for a sentence."""
    return f"{_saved('boot')['engines'][engine]['rows'][key]['ratio']:.1f}"
