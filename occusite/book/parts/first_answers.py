"""A widget's first answers, computed at build: what it shows with one control moved, before Python is in the browser.

Views of one widget are much alike. Each text of a view (status, parts, a chart's spec) is kept as the pieces in which it
differs from the same text of the first view: how many pieces are the same before and after them, and what stands between.
The browser puts them together again (first-answers.js).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from occusite.book.parts.widget import Choice, Control, Number, Paste, Slider, Widget

# A drag reaches no more positions than a track has pixels; a longer range is answered on a grid, and near the start.
GRID = 240
NEAR = 12
# Where a text is cut: at tags, in a chart's spec at each value.
_CUTS = {"html": re.compile(r"(?<=>)|(?=<)"), "chart": re.compile(r"(?<=[,:\[\]{}])")}


def values_of(control: Control, start: object) -> list[Any]:
    """The values of a control that are answered: all, of a long range a grid with `NEAR` steps around `start`.

    A box of numbers is typed in, or stepped from where it stands: only what is near is answered.
    """
    if isinstance(control, Paste):
        return []
    if isinstance(control, Choice):
        return list(control.options)
    assert isinstance(control, Slider) and isinstance(start, int)
    every = range(control.low, control.high + 1, control.step)
    last = len(every) - 1
    if last <= GRID:
        return list(every)
    at = (start - control.low) // control.step
    near = {i for i in range(at - NEAR, at + NEAR + 1) if 0 <= i <= last}
    grid = set() if isinstance(control, Number) else {round(i * last / GRID) for i in range(GRID + 1)}
    return [every[i] for i in sorted(near | grid)]


def answers(widget: Widget, start: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The control that moved, the value it has as text, and the view, for each value but `start`'s; the control "" is
    a preset with its name."""
    for control in widget.controls:
        for value in values_of(control, start[control.name]):
            if value != start[control.name]:
                yield control.name, str(value), _view(widget, {**start, control.name: value})
    for name, preset in widget.presets().items():
        yield "", name, _view(widget, {**start, **preset})


def table(widget: Widget, start: Mapping[str, Any]) -> str:
    """All first answers as JSON: `pieces`, `first` (the texts of the first view), `parts` (name and kind of each), and
    `views` by control and value: one entry a text, 0 where it is the first view's."""
    first = _view(widget, start)
    parts = [(name, part["kind"]) for name, part in first["parts"].items()]
    pieces: dict[str, int] = {}
    texts = [_pieces(text, kind, pieces) for text, kind in _texts(first)]
    views: dict[str, dict[str, Any]] = {}
    for control, value, view in answers(widget, start):
        encoded: Any = view["error"] if "error" in view else _changes(view, parts, texts, pieces)
        if encoded is not None:
            views.setdefault(control, {})[value] = encoded
    data = {"parts": parts, "pieces": list(pieces), "first": texts, "views": views}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _view(widget: Widget, values: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return widget.view(**widget.parse(values)).data()
    except ValueError as error:
        return {"error": str(error)}


def _texts(view: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of a view and where each is cut: the status, then of each part its HTML, or its spec and alternative."""
    yield view["status"], "html"
    for part in view["parts"].values():
        if part["kind"] == "html":
            yield part["data"], "html"
        else:
            yield json.dumps(part["spec"], ensure_ascii=False, separators=(",", ":")), "chart"
            yield part["alt"], "html"


def _pieces(text: str, kind: str, pieces: dict[str, int]) -> list[int]:
    return [pieces.setdefault(piece, len(pieces)) for piece in _CUTS[kind].split(text) if piece]


def _changes(
    view: Mapping[str, Any], parts: list[tuple[str, str]], first: list[list[int]], pieces: dict[str, int]
) -> list[Any] | None:
    """Of each text what differs from the first view's: [pieces alike before, pieces alike after, pieces between …].

    None for a view of other parts than the first: the browser then waits for Python.
    """
    if [(name, part["kind"]) for name, part in view["parts"].items()] != parts:
        return None
    changes: list[Any] = []
    for (text, kind), before in zip(_texts(view), first, strict=True):
        now = _pieces(text, kind, pieces)
        most, head, tail = min(len(now), len(before)), 0, 0
        while head < most and now[head] == before[head]:
            head += 1
        while tail < most - head and now[-1 - tail] == before[-1 - tail]:
            tail += 1
        changes.append(0 if now == before else [head, tail, *now[head : len(now) - tail]])
    return changes
