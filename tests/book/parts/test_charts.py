"""Charts: the spec as data, the staircase cut where budgets change, JSON that may stand inside a page."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
import vl_convert
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia, paper
from occusite.book.parts import charts
from occusite.book.parts.charts import Chart
from tests.book.by_hand import paper_limits
from tests.book.seen import drawn

SM = paper.SM()
LAUNCHES = st.builds(
    paper.Launch, st.integers(1, 32).map(lambda w: 32 * w), st.just(32), st.integers(0, 96).map(lambda k: k * paper.KIB)
)


@settings(deadline=None)
@given(LAUNCHES)
def test_rows_cover_the_range_and_each_is_uniform(launch: paper.Launch) -> None:
    """Every register count is asked by itself."""
    rows = charts.staircase_rows(SM.occupancy(launch))
    assert rows[0]["x"] == 1 and rows[-1]["x2"] == 256
    assert all(a["x2"] == b["x"] for a, b in pairwise(rows))
    names = [b.name for b in SM.budgets]
    told = set()
    for row in rows:
        for registers in range(row["x"], row["x2"]):
            limits = paper_limits(launch.threads, registers, launch.shared_memory // paper.KIB)
            blocks = min(v for v in limits if v is not None)
            limiters = [name for name, limit in zip(names, limits, strict=True) if limit == blocks]
            assert row["warps"] == blocks * launch.threads // 32
            said = " + ".join(limiters) if blocks else "cannot launch"
            assert row["tip"].endswith(f" registers: {row['warps']} warps · {said}")
            assert row["slot"] == (
                {"registers": "registers", "shared memory": "memory", "warp slots": "warps", "block slots": "blocks"}[
                    limiters[0]
                ]
                if blocks
                else "refused"
            )
        # Neighbours differ: nothing is cut without a cause.
        told.add((row["warps"], row["tip"].partition(" · ")[2]))
    assert len(told) == len(rows)


def test_the_readers_own_value_is_marked_on_its_step() -> None:
    chart = charts.cliffs(SM.occupancy(paper.Launch(256, 32, 12 * paper.KIB)), registers=60)
    assert chart.datasets["here"] == [{"x": 60.5, "warps": 32}]
    assert charts.cliffs(SM.occupancy(paper.Launch(256, 32))).datasets["here"] == []


def test_a_level_to_reach_is_drawn_only_where_it_can_be_seen() -> None:
    ada = nvidia.device("8.9").occupancy(nvidia.Launch(256, 32))
    assert charts.cliffs(ada, needed=32).datasets["needed"][0]["warps"] == 32
    assert charts.cliffs(ada, needed=57).datasets["needed"] == [{"warps": 57, "label": "needed: 57 warps"}]
    assert charts.cliffs(ada, needed=58).datasets["needed"] == []
    assert charts.cliffs(ada).datasets["needed"] == []


@pytest.mark.parametrize(("first", "last", "said"), [(1, 42, "1–42"), (7, 7, "7")])
def test_span(first: int, last: int, said: str) -> None:
    assert charts.span(first, last) == said


def test_the_alternative_text_tells_every_step() -> None:
    alt = charts.paper_cliffs().alt
    for said in (
        "37–42 registers: 48 warps · registers + warp slots",
        "52–64 registers: 32 warps · registers",
        "129–255 registers: 8 warps",
    ):
        assert said in alt


def test_json_may_stand_inside_a_template() -> None:
    chart = Chart({"height": 100, "mark": "bar"}, {"rows": [{"a": "</template><b>&"}]}, "alt")
    text = chart.json()
    assert "<" not in text and "&" not in text
    assert json.loads(text)["datasets"]["rows"][0]["a"] == "</template><b>&"


def test_a_chart_goes_through_json_unchanged() -> None:
    chart = charts.paper_cliffs()
    again = Chart.from_json(chart.json(), chart.alt)
    assert again.full() == chart.full() and again.full(320)["width"] == chart.full(320)["width"]


def test_a_figure_names_its_part_and_escapes_its_words() -> None:
    html = Chart({"height": 100}, {}, 'a "quoted" <alt>').figure("<svg></svg>", "curve", "x < y")
    assert 'data-part="curve"' in html and "<figcaption>x &lt; y</figcaption>" in html
    assert 'aria-label="a &quot;quoted&quot; &lt;alt&gt;"' in html


@settings(max_examples=3, deadline=None)
@given(LAUNCHES)
def test_vega_lite_takes_the_spec_without_a_warning(launch: paper.Launch) -> None:
    spec = charts.cliffs(SM.occupancy(launch), registers=60, needed=30, register_budget=charts.register_budget()).full()
    svg = vl_convert.vegalite_to_svg(json.dumps(spec))
    assert "<svg" in svg and "NaN" not in svg and "undefined" not in svg


def test_the_register_budget_alone() -> None:
    points = dict(charts.register_budget())
    assert points[64] == 32 and points[128] == 16 and points[256] == 8
    # Smooth: no two neighbours alike. The stairs of any block stay under it, and touch it where they divide evenly.
    assert all(points[r] > points[r + 1] for r in range(16, 256))
    for threads in (64, 128, 256, 1024):
        warps = threads // 32
        assert all(65_536 // (threads * r) * warps <= points[r] + 0.001 for r in points)
    assert points[64] == 65_536 // (256 * 64) * 8


# ---------- the drawn picture ----------


def test_the_staircase_stands_where_the_data_say() -> None:
    """564 by 192 pixels for 1 to 256 registers and 60 warps, a quarter above the 48 slots."""
    answer = SM.occupancy(paper.Launch(256, 60, 12 * paper.KIB))
    chart = charts.cliffs(answer, registers=60, needed=32, register_budget=[(1, 60), (37, 48), (256, 48)])

    def at(registers: float, warps: float) -> tuple[object, object]:
        return pytest.approx(564 * (registers - 1) / 255), pytest.approx(192 * (1 - warps / 60))

    steps = [
        (1, 37, 48, "warps"),
        (37, 43, 48, "registers"),
        (43, 52, 40, "registers"),
        (52, 65, 32, "registers"),
        (65, 86, 24, "registers"),
        (86, 129, 16, "registers"),
        (129, 256, 8, "registers"),
    ]
    areas, lines = drawn(chart, 1), drawn(chart, 2)
    for (first, end, warps, slot), area, line in zip(steps, areas, lines, strict=True):
        assert (area.x, area.y) == (line.x, line.y) == at(first, warps)
        assert (area.x2, area.y2) == at(end, 0) and (line.x2, line.y2) == at(end, warps)
        assert area.colour == line.colour == f"var(--occ-{slot})"
    # The register budget alone from point to point, the level to reach across the whole width, the reader's place.
    budget = drawn(chart, 0)
    assert [(m.x2, m.y2) for m in budget] == [
        (pytest.approx(564 * 36 / 255, abs=0.01), pytest.approx(38.4)),
        (pytest.approx(564), pytest.approx(38.4)),
    ]
    assert (budget[0].x, budget[0].y) == (0, 0) and {m.colour for m in budget} == {"var(--occ-registers)"}
    [level] = drawn(chart, 3)
    assert {level.x, level.x2} == {0, 564} and level.y == level.y2 == at(1, 32)[1]
    [words] = drawn(chart, 4)
    assert words.text == "needed: 32 warps" and words.x == at(255, 32)[0]
    [here], [point] = drawn(chart, 5), drawn(chart, 6)
    assert (here.x, here.x2) == (at(60.5, 0)[0],) * 2 and {here.y, here.y2} == {0, 192}
    assert (point.x, point.y) == at(60.5, 32)


def test_a_narrow_picture_is_drawn_anew() -> None:
    """320 pixels less the margins' 62 and 14."""
    lines = drawn(charts.paper_cliffs(), 2, 320)
    assert (lines[0].x, lines[-1].x2) == (0, pytest.approx(244))
    assert lines[0].x2 == pytest.approx(244 * 36 / 255)


def test_a_launch_that_cannot_run_has_a_colour_of_its_own() -> None:
    chart = charts.cliffs(SM.occupancy(paper.Launch(1024, 80)), registers=80)
    rows = [(r["x"], r["x2"], r["warps"], r["slot"], r["tip"]) for r in chart.datasets["stairs"]]
    assert rows == [
        (1, 33, 32, "warps", "1–32 registers: 32 warps · warp slots"),
        (33, 65, 32, "registers", "33–64 registers: 32 warps · registers + warp slots"),
        (65, 256, 0, "refused", "65–255 registers: 0 warps · cannot launch"),
    ]
    assert [mark.colour for mark in drawn(chart, 1)] == [f"var(--occ-{row[3]})" for row in rows]
    assert chart.datasets["here"] == [{"x": 80.5, "warps": 0}]


def test_every_slot_has_its_own_colour_in_the_style_sheet() -> None:
    css = (Path(__file__).parents[3] / "docs" / "assets" / "css" / "book.css").read_text(encoding="utf-8")
    scale = charts.SLOT_SCALE
    assert len(set(scale["range"])) == len(scale["domain"])
    for slot, colour in zip(scale["domain"], scale["range"], strict=True):
        assert colour == f"var(--occ-{slot})" and f"--occ-{slot}: #" in css


def test_the_staircase_along_another_field() -> None:
    ada = nvidia.device("8.9").occupancy(nvidia.Launch(256, 32))
    rows = charts.staircase_rows(ada, "dynamic_shared")
    # 102,400 ÷ 7 and ÷ 6, down to units of 128, less the reserve of 1,024: 13,568 and 16,000 bytes.
    assert [(r["x"], r["x2"] - 1, r["warps"], r["slot"]) for r in rows[:3]] == [
        (0, 13_568, 48, "warps"),
        (13_569, 16_000, 48, "memory"),
        (16_001, 19_456, 40, "memory"),
    ]
    assert rows[2]["tip"] == "16001–19456 bytes: 40 warps · shared memory"


@pytest.mark.parametrize(
    ("needed", "marked", "right"), [(5, True, False), (8, True, True), (10, True, True), (11, False, None)]
)
def test_the_knee_is_marked_where_it_is_in_the_picture(needed: int, marked: bool, right: bool | None) -> None:
    chart = charts.roofline([{"warps": w, "value": min(w, needed)} for w in range(11)], needed)
    assert chart.datasets["marks"] == (
        [{"warps": needed, "at": 0, "label": f"{needed} warps", "right": right}] if marked else []
    )
    assert chart.alt == (
        f"Throughput rises with resident warps up to {needed}, then stays flat."
        if marked
        else "Throughput rises with resident warps to the last, 10."
    )
    if marked:
        [rule], [label] = drawn(chart, 1), drawn(chart, 2)
        assert rule.x == pytest.approx(56.4 * needed) and label.x == pytest.approx(56.4 * needed + (-6 if right else 6))
    one = charts.roofline([{"warps": w, "value": 1} for w in range(3)], 1).datasets["marks"]
    assert one[0]["label"] == "1 warp"
