"""Static charts: two widths, plain SVG that a strict page allows, drawn once for the same content."""

from __future__ import annotations

from pathlib import Path

import pytest

from occusite.book.build import static_chart
from occusite.book.parts.charts import Chart
from tests.book.seen import drawn, parsed

POINTS = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
CHART = Chart(
    {
        "height": 160,
        "layer": [
            {
                "data": {"name": "points"},
                "mark": {"type": "point", "filled": True},
                "encoding": {
                    "x": {"field": "a", "type": "quantitative", "scale": {"domain": [0, 4], "nice": False}},
                    "y": {"field": "b", "type": "quantitative", "scale": {"domain": [0, 4], "nice": False}},
                    "color": {"value": "var(--occ-ink)"},
                },
            }
        ],
    },
    {"points": POINTS},
    "two points",
)


def test_both_widths_are_drawn() -> None:
    tree = parsed(static_chart.static(CHART))
    boxes = [(div["class"], div.svg["width"], div.svg["viewbox"]) for div in tree.find_all("div", recursive=False)]
    assert boxes == [
        (["occ-static", "occ-static--wide"], "640", "0 0 640 160"),
        (["occ-static", "occ-static--narrow"], "320", "0 0 320 160"),
    ]


@pytest.mark.parametrize("width", [640, 320])
def test_points_stand_where_the_data_say(width: int) -> None:
    """Margins of 62 and 14, 24 and 44 pixels around the plot."""
    across, down = width - 76, 160 - 68
    marks = drawn(CHART, 0, width)
    assert [(m.x, m.y, m.colour) for m in marks] == [
        (pytest.approx(across / 4), pytest.approx(down / 2), "var(--occ-ink)"),
        (pytest.approx(across * 3 / 4), pytest.approx(0), "var(--occ-ink)"),
    ]


def test_the_picture_is_silent_and_plain() -> None:
    picture = static_chart.draw(CHART, 640)
    tree = parsed(picture)
    assert tree.svg["aria-hidden"] == "true" and tree.svg["focusable"] == "false"
    assert len(tree.select("[aria-hidden]")) == 1 and not tree.select("[aria-label], [role], [style], script")
    assert "xmlns" not in picture and "background" not in picture


def test_the_same_chart_is_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_chart, "CACHE", tmp_path / "charts")
    first = static_chart.draw(CHART, 640)
    [kept] = (tmp_path / "charts").iterdir()
    assert kept.suffix == ".svg" and kept.read_text(encoding="utf-8") == first
    kept.write_text("<svg>kept</svg>", encoding="utf-8")
    assert static_chart.draw(CHART, 640) == "<svg>kept</svg>"
    other = Chart(CHART.spec, {"points": POINTS[:1]}, "one point")
    assert static_chart.draw(other, 640) != "<svg>kept</svg>" and len(list((tmp_path / "charts").iterdir())) == 2
