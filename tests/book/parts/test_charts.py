"""Charts: the spec as data, the staircase cut where budgets change, JSON that may stand inside a page."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
import vl_convert
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia, paper
from occusite.book.parts import charts
from occusite.book.parts.charts import Chart
from occusite.questions import staircase

SM = paper.SM()
LAUNCHES = st.builds(
    paper.Launch, st.integers(1, 32).map(lambda w: 32 * w), st.just(32), st.integers(0, 96).map(lambda k: k * paper.KIB)
)


@given(LAUNCHES)
def test_stretches_cover_the_range_and_each_is_uniform(launch: paper.Launch) -> None:
    found = staircase.stretches(SM.occupancy(launch))
    assert found[0].first == 1 and found[-1].last == 255
    assert all(a.last + 1 == b.first for a, b in pairwise(found))
    for part in found:
        for registers in {part.first, part.last}:
            answer = SM.occupancy(paper.Launch(launch.threads, registers, launch.shared_memory))
            assert (answer.warps, answer.limiters) == (part.warps, part.limiters)
    # Neighbours differ: nothing is cut without a cause.
    assert all((a.warps, a.limiters) != (b.warps, b.limiters) for a, b in pairwise(found))


@given(LAUNCHES)
def test_steps_are_whole_and_their_budgets_bind_everywhere(launch: paper.Launch) -> None:
    found = staircase.whole_steps(SM.occupancy(launch))
    assert all(a.warps > b.warps for a, b in pairwise(found))
    for step in found:
        for registers in (step.first, step.last):
            answer = SM.occupancy(paper.Launch(launch.threads, registers, launch.shared_memory))
            assert set(step.limiters) <= set(answer.limiters)


def test_the_readers_own_value_is_marked_on_its_step() -> None:
    chart = charts.cliffs(SM.occupancy(paper.Launch(256, 32, 12 * paper.KIB)), registers=60)
    assert chart.datasets["here"] == [{"x": 60.5, "warps": 32}]
    assert charts.cliffs(SM.occupancy(paper.Launch(256, 32))).datasets["here"] == []


def test_a_level_to_reach_is_drawn_only_where_it_can_be_seen() -> None:
    ada, launch = nvidia.device("8.9"), nvidia.Launch(256, 32)
    assert charts.cliffs(ada.occupancy(launch), needed=32).datasets["needed"][0]["warps"] == 32
    assert charts.cliffs(ada.occupancy(launch), needed=320).datasets["needed"] == []


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
