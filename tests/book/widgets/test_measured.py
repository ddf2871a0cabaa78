"""The widgets of Measured: at every setting their words and pictures are what the tables say."""

from __future__ import annotations

import csv
import itertools
import re
from pathlib import Path

import pytest

from occusite.book import widgets
from occusite.book.content import measured
from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table
from occusite.book.parts.widget import Choice, Widget

DATA = Path(__file__).parents[3] / "occusite" / "data" / "measurements" / "streaming.csv"
STREAMING, TUNING = widgets.load("measured_streaming"), widgets.load("measured_tuning")


def settings(widget: Widget) -> list[dict[str, str]]:
    """Every setting of a widget of choices."""
    controls = [c for c in widget.controls if isinstance(c, Choice)]
    assert len(controls) == len(widget.controls)
    return [
        dict(zip([c.name for c in controls], v, strict=True)) for v in itertools.product(*[c.options for c in controls])
    ]


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


@pytest.mark.parametrize("given", settings(TUNING), ids=str)
def test_does_occupancy_buy_speed(given: dict[str, str]) -> None:
    view = TUNING.view(**given)
    kernel, gpu = given["kernel"], given["gpu"]
    found = measured.configs(kernel, gpu)
    slots, fastest = measured.slots(gpu), min(c.time for c in found)
    near = min({c.warps for c in found}, key=lambda w: (abs(100 * w / slots - int(given["occupancy"])), w))
    speeds = sorted(100 * fastest / c.time for c in found if c.warps == near)
    middle = (speeds[(len(speeds) - 1) // 2] + speeds[len(speeds) // 2]) / 2
    at, best, median = (int(v) for v in re.findall(r"(\d+)\u202f%", view.status)[:3])
    assert (at, best, median) == (round(100 * near / slots), round(speeds[-1]), round(middle))
    assert f"of {len(found)}." in view.status
    chart = view.parts["scatter"]
    assert isinstance(chart, Chart)
    assert [row["x"] for row in chart.datasets["here"]] == [pytest.approx(100 * near / slots, abs=0.01)]
    # Lines only where there are enough configurations, and the best above the median.
    lines = {
        name: {r["x"]: r["speed"] for r in chart.datasets["lines"] if r["line"] == name} for name in ("best", "median")
    }
    assert lines["best"].keys() == lines["median"].keys() and len(lines["best"]) >= 6
    assert all(lines["best"][x] >= lines["median"][x] for x in lines["best"])
    counts = {round(100 * w / slots, 2): sum(c.warps == w for c in found) for w in {c.warps for c in found}}
    assert all(counts[x] >= measured.FEW for x in lines["best"])
    # Every limiter that is drawn is in the legend, with the mark it is drawn with.
    legend = str(view.parts["legend"])
    for limiter in {d["limiter"] for d in chart.datasets["dots"]}:
        assert limiter in legend
    assert f"{len(found)} configurations" in chart.alt


def test_the_marks_of_the_legend_are_the_marks_of_the_picture() -> None:
    shapes = dict(zip(measured.GROUPS.values(), measured.SHAPES, strict=True))
    drawn = TUNING.view(**TUNING.parse({})).parts["scatter"]
    assert isinstance(drawn, Chart)
    scale = drawn.spec["layer"][0]["encoding"]["shape"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == shapes
    assert dict(zip(measured.SHAPES, "●■▲◆✚", strict=True)) == {
        shape: measured.MARKS[name] for name, shape in zip(measured.GROUPS, measured.SHAPES, strict=True)
    }


def test_the_first_views_of_the_book() -> None:
    assert "At a quarter of the slots: 34\u202f% of its best" in STREAMING.view(**STREAMING.parse({})).status
    assert "the best reaches 100\u202f% of the fastest, the median 38\u202f%" in TUNING.view(**TUNING.parse({})).status
