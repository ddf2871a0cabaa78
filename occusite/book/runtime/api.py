"""What the browser calls: a widget's view, a cell's run, an exercise's check. Everything in and out is JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from occusite.book import exercises, widgets
from occusite.book.parts import cells
from occusite.book.runtime import complete as completion
from occusite.book.runtime.hints import hint

_pages: dict[str, cells.Namespace] = {}


def view(name: str, values: str) -> str:
    """The view of widget `name` for `values` (a JSON object), as JSON; `{"error": …}` for values out of range."""
    try:
        widget = widgets.load(name)
        result: dict[str, Any] = widget.view(**widget.parse(json.loads(values))).data()
    except ValueError as error:
        result = {"error": str(error)}
    return json.dumps(result, ensure_ascii=False)


def run(page: str, label: str, source: str, on_text: Callable[[str], None] | None = None) -> str:
    """Run a cell's `source` in the namespace of `page`; return its outputs as JSON."""
    outputs, _ = cells.run(source, names(page), label, on_text, hint)
    return json.dumps(outputs, ensure_ascii=False)


def check(name: str, source: str) -> str:
    """Judge a program written for exercise `name`: `{"passed", "message" (HTML), "outputs"}` as JSON."""
    verdict = exercises.check(name, source)
    return json.dumps(
        {"passed": verdict.passed, "message": verdict.message, "outputs": list(verdict.outputs)}, ensure_ascii=False
    )


def complete(page: str, source: str, at: int) -> str:
    """Completions at character `at` of a cell's `source`, as JSON: see `occusite.book.runtime.complete`."""
    return json.dumps(completion.complete(names(page), source, at), ensure_ascii=False)


def signature(page: str, source: str, at: int) -> str:
    """The call around character `at` of a cell's `source`, as JSON; `null` outside any."""
    return json.dumps(completion.signature(names(page), source, at), ensure_ascii=False)


def names(page: str) -> cells.Namespace:
    """The namespace of `page`, made at first use."""
    return _pages.setdefault(page, cells.namespace())


def forget(page: str) -> None:
    """Drop a page's variables."""
    _pages.pop(page, None)
