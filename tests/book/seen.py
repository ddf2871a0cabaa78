"""What a reader sees of the book's HTML: words, tables, cells counted by class, marks of a chart where they stand."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, NamedTuple

from bs4 import BeautifulSoup, Tag
from hypothesis import strategies as st

from occusite.book.build import static_chart
from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table
from occusite.book.parts.widget import Choice, Slider, Widget


def parsed(html: str) -> BeautifulSoup:
    """The HTML as a tree."""
    return BeautifulSoup(html, "html.parser")


def classes(element: Tag) -> list[str]:
    """An element's classes."""
    found = element.get("class") or []
    return [found] if isinstance(found, str) else list(found)


def words(html: object) -> str:
    """The text on one line; thin spaces as plain ones."""
    return " ".join(parsed(str(html)).get_text("").replace("\u202f", " ").split())


def cells(table: Table) -> list[list[str]]:
    """A table's cells, row by row, without its headings."""
    rows = parsed(table.html()).select("tbody tr")
    return [[words(cell) for cell in row.select("th, td")] for row in rows]


def headings(table: Table) -> list[str]:
    """A table's headings."""
    return [words(cell) for cell in parsed(table.html()).select("thead th")]


def caption(table: Table) -> str:
    """A table's caption."""
    [found] = parsed(table.html()).select("caption")
    return words(found)


def marked(table: Table) -> list[int]:
    """Which rows are brought forward."""
    rows = parsed(table.html()).select("tbody tr")
    return [i for i, row in enumerate(rows) if "occ-marked" in classes(row)]


def slots(html: object) -> list[str]:
    """The slots whose colours name budgets, in order: "registers", "memory", …"""
    budgets = parsed(str(html)).select(".occ-budget")
    return [name.removeprefix("occ-budget--") for b in budgets for name in classes(b) if "--" in name]


class Bar(NamedTuple):
    """One row of the budgets' bars: its name and colour, cells used and spare, and how it is told."""

    name: str
    slot: str
    used: int
    spare: int
    width: int
    edge: int | None
    told: str
    binds: bool


def bars(html: str) -> list[Bar]:
    """The rows of the budgets' bars; `width`, `edge` in cells."""
    found = []
    for row in parsed(html).select(".occ-bars > .occ-row"):
        label, picture, told = row.find_all(["span", "svg"], recursive=False)
        [name] = label.select(".occ-budget")
        [slot] = slots(label)
        assert classes(picture) == ["occ-bar", f"occ-bar--{slot}"], "another colour than the name's"
        box = [float(n) for n in str(picture["viewbox"]).split()]
        [track] = picture.select("rect.track")
        assert box == [0, 0, float(str(track["width"])), 20] and track["height"] == "20"
        drawn = picture.select("rect:not(.track)")
        evenly(drawn)
        kinds = [classes(cell) for cell in drawn]
        used = kinds.count(["used"])
        assert kinds == [["used"]] * used + [["spare"]] * (len(kinds) - used)
        edges = [(line["x1"], line["x2"], line["y1"], line["y2"]) for line in picture.select("line.min")]
        assert all(a == b and (top, end) == ("-1", "21") for a, b, top, end in edges) and len(edges) <= 1
        edge = int(str(edges[0][0])) // 10 if edges else None
        assert not edges or int(str(edges[0][0])) % 10 == 0
        marks = [mark.get_text() for mark in label.select("b[aria-hidden]")]
        binds = "occ-binds" in classes(told)
        assert "occ-allow" in classes(told) and marks == ["◂"] * binds
        assert picture["aria-hidden"] == "true" and picture["preserveaspectratio"] == "none"
        found.append(Bar(words(name), slot, used, len(kinds) - used, int(box[2]) // 10, edge, words(told), binds))
    return found


def evenly(drawn: list[Tag]) -> None:
    """Holds that cells ten wide stand side by side, each in the middle of its place."""
    for i, cell in enumerate(drawn):
        gap = (10 - float(str(cell["width"]))) / 2
        assert 0 < gap < 2
        assert abs(float(str(cell["x"])) - (10 * i + gap)) < 1e-9 and cell["height"] == "20"


def slot_cells(html: str) -> tuple[str, str]:
    """The warp slots as letters, "a" and "b" for warps of neighbouring blocks, "." for empty; and the words below."""
    [box] = parsed(html).select(".occ-slots")
    [picture] = box.select("svg")
    drawn = picture.select("rect")
    evenly(drawn)
    assert picture["viewbox"] == f"0 0 {10 * len(drawn)} 20" and picture["aria-hidden"] == "true"
    assert picture["preserveaspectratio"] == "none"
    letters = {("warp",): "a", ("warp", "odd"): "b", ("empty",): "."}
    [below] = box.select("p")
    return "".join(letters[tuple(classes(cell))] for cell in drawn), words(below)


class Mark(NamedTuple):
    """One mark of a drawn chart: from (x, y) to (x2, y2) in the plot's own pixels, its colour, its text."""

    x: float
    y: float
    x2: float
    y2: float
    colour: str
    text: str = ""


def drawn(chart: Chart, layer: int, width: int = 640) -> list[Mark]:
    """The marks of one layer of a chart as its static picture draws them; lines are given by their corners."""
    groups = parsed(static_chart.draw(chart, width)).select(f"g.layer_{layer}_marks")
    assert groups, "no such layer"
    return [
        mark for g in groups for element in g.find_all(["line", "path", "text", "rect"]) for mark in _marks(element)
    ]


def _marks(element: Tag) -> list[Mark]:
    x, y = _moved(element)
    paint = [str(element.get(name)) for name in ("fill", "stroke") if element.get(name) not in (None, "none")]
    colour = paint[0] if paint else ""
    if element.name == "text":
        return [Mark(x, y, x, y, colour, element.get_text())]
    if element.name == "line":
        return [Mark(x, y, x + float(str(element["x2"])), y + float(str(element["y2"])), colour)]
    path = str(element["d"])
    if "A" in path:  # a point: a circle around its place
        return [Mark(x, y, x, y, colour)]
    if rectangle := re.fullmatch(r"M([\d.e-]+),([\d.e-]+)h([\d.e-]+)v([\d.e-]+)h-[\d.e-]+Z", path):
        left, top, across, down = map(float, rectangle.groups())
        return [Mark(x + left, y + top, x + left + across, y + top + down, colour)]
    points = [(x + float(a), y + float(b)) for a, b in re.findall(r"[ML]([\d.e-]+),([\d.e-]+)", path)]
    return [Mark(*a, *b, colour) for a, b in pairwise(points)]


def _moved(element: Tag) -> tuple[float, float]:
    found = re.match(r"translate\(([\d.e-]+),([\d.e-]+)\)", str(element.get("transform", "")))
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def part(view: Any, name: str) -> Any:
    """One part of a widget's view."""
    return view.parts[name]


def controls(found: Widget) -> list[tuple[Any, ...]]:
    """A widget's controls as rows of what a reader can set."""
    rows: list[tuple[Any, ...]] = []
    for control in found.controls:
        if isinstance(control, Slider):
            kind = () if type(control) is Slider else (type(control).__name__,)
            row = (control.name, control.label, control.low, control.high, control.step, control.default)
            rows.append((*row, control.unit, control.slot, *kind))
        elif isinstance(control, Choice):
            rows.append((control.name, control.label, dict(control.options), control.default))
        else:
            rows.append((control.name, control.label, control.default))
    return rows


def settings_of(found: Widget) -> st.SearchStrategy[dict[str, object]]:
    """Any legal setting of a widget's sliders and choices."""
    strategies: dict[str, st.SearchStrategy[object]] = {}
    for control in found.controls:
        if isinstance(control, Choice):
            strategies[control.name] = st.sampled_from(list(control.options))
        elif isinstance(control, Slider):
            steps = st.integers(0, (control.high - control.low) // control.step)
            strategies[control.name] = steps.map(lambda n, c=control: c.low + n * c.step)
    return st.fixed_dictionaries(strategies)
