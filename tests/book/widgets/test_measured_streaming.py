"""The law against measurement: at every setting the widget's words and picture are what the table says."""

from __future__ import annotations

import csv
import itertools
import re
from pathlib import Path

import pytest

from occusite.book import widgets
from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table
from occusite.book.parts.widget import Choice, Widget

DATA = Path(__file__).parents[3] / "occusite" / "data" / "measurements" / "streaming.csv"
STREAMING = widgets.load("measured_streaming")


def settings(widget: Widget) -> list[dict[str, str]]:
    """Every setting of a widget of choices."""
    controls = [c for c in widget.controls if isinstance(c, Choice)]
    assert len(controls) == len(widget.controls)
    names = [c.name for c in controls]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*[c.options for c in controls])]


def table() -> dict[tuple[str, str], list[int]]:
    lines = (line for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {(r["gpu"], r["kernel"]): [int(v) for v in r["gb_per_s"].split()] for r in csv.DictReader(lines)}


@pytest.mark.parametrize("given", settings(STREAMING), ids=str)
def test_the_law_against_measurement(given: dict[str, str]) -> None:
    view, values = STREAMING.view(**given), table()[given["gpu"], given["kernel"]]
    best, n = max(values), len(values)
    told = [int(v) for v in re.findall(r"(\d+)\u202f%", view.status)]
    assert told[:3] == [round(100 * values[n * at // 4 - 1] / best) for at in (1, 2, 4)]
    chart, quarters = view.parts["curve"], view.parts["quarters"]
    assert isinstance(chart, Chart) and isinstance(quarters, Table)
    points = chart.datasets["measured"]
    assert [p["rate"] for p in points] == values
    assert [p["x"] for p in points] == [pytest.approx(100 * (i + 1) / n, abs=0.01) for i in range(n)]
    # The law starts at nothing, rises to its roof, and keeps it; it lies above the points from the straight part on.
    law = chart.datasets["law"]
    assert (law[0]["x"], law[0]["rate"], law[-1]["x"], law[-1]["rate"]) == (0, 0, 100, best)
    slope = law[1]["rate"] / law[1]["x"]
    assert all(p["rate"] <= min(best, slope * p["x"]) * 1.02 for p in points if p["x"] > 12.5)
    assert [row[2] for row in quarters.rows] == [values[n * at // 4 - 1] for at in (1, 2, 4)]
    assert f"roof of {best} GB/s" in chart.alt and f"{given['kernel']} on {given['gpu']}" in chart.alt


def test_the_first_view_of_the_book() -> None:
    assert "At a quarter of the slots: 34\u202f% of its best" in STREAMING.view(**STREAMING.parse({})).status
