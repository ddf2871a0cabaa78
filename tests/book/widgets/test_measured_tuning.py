"""Does occupancy buy speed: at every setting the widget's words and picture are what the timed configurations say."""

from __future__ import annotations

import itertools
import re

import pytest

from occusite.book import widgets
from occusite.book.content import measured
from occusite.book.parts.charts import Chart
from occusite.book.parts.widget import Choice, Widget

TUNING = widgets.load("measured_tuning")


def settings(widget: Widget) -> list[dict[str, str]]:
    """Every setting of a widget of choices."""
    controls = [c for c in widget.controls if isinstance(c, Choice)]
    assert len(controls) == len(widget.controls)
    names = [c.name for c in controls]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*[c.options for c in controls])]


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


def test_the_first_view_of_the_book() -> None:
    assert "the best reaches 100\u202f% of the fastest, the median 38\u202f%" in TUNING.view(**TUNING.parse({})).status
