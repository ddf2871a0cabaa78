"""The scheduler and ILP widgets: what they say equals the model, at every setting, as HTML a strict page allows."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import devices, scheduler
from occusite.book import widgets
from occusite.book.content import scheduling
from occusite.book.parts import timeline, widget
from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table
from occusite.book.widgets.scheduler import CYCLES, SLOTS

RUNNING, ILP = widgets.load("scheduler"), widgets.load("ilp")


def values(found: widget.Widget) -> st.SearchStrategy[dict[str, object]]:
    """Any legal setting of a widget's controls."""
    return st.fixed_dictionaries(
        {
            c.name: st.sampled_from(list(c.options))
            if isinstance(c, widget.Choice)
            else st.integers(0, (c.high - c.low) // c.step).map(lambda n, c=c: c.low + n * c.step)
            for c in found.controls
        }
    )


class Parts(HTMLParser):
    """Tags with their attributes, and whether they close."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("br", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@settings(max_examples=40, deadline=None)
@given(values(RUNNING))
def test_the_timeline_shows_the_run(given: dict[str, object]) -> None:
    view = RUNNING.view(**given)
    warps, cycle = int(str(given["warps"])), int(str(given["cycle"]))
    loads, arithmetic = int(str(given["loads"])), int(str(given["arithmetic"]))
    interval = int(str(given["interval"]))
    kernel = scheduler.Kernel(loads, arithmetic * loads, int(str(given["latency"])), interval=interval)
    run = scheduler.simulate(kernel, warps, str(given["policy"]), cycles=CYCLES)
    html = "".join(str(p) for p in view.parts.values())
    tags = Parts(html).found
    assert not [a for _, a in tags if "style" in a or any(n.startswith("on") for n in a)]
    # The bars of the top row are the cycles in which something issued.
    busy = next(a["d"] for t, a in tags if t == "path" and a["class"] == "occ-tl-busy")
    assert sum(int(n) for n in re.findall(r"h(\d+)v", str(busy))) == sum(i[0] < CYCLES for i in run.issues)
    # One name a slot, each with its state; the sentence names the warp that issues.
    names = [str(a["class"]).rsplit("-", 1)[1] for t, a in tags if str(a.get("class", "")).startswith("occ-tl-name ")]
    assert len(names) == SLOTS
    assert names[warps:] == ["empty"] * (SLOTS - warps)
    issuing = [i[1] for i in run.issues if i[0] == cycle]
    said = str(view.parts["now"])
    assert f"Cycle {cycle}: " in said
    assert f"warp {issuing[0] + 1} issues" in said if issuing else "nothing to issue" in said
    assert [n for n, s in enumerate(names) if s in ("issue", "load")] == issuing
    told = int(re.findall(r"(\d+) warps? (?:is|are) ready", said)[0]) if "ready" in said else 0
    assert told == names.count("ready")


def test_the_books_default() -> None:
    view = RUNNING.view(**RUNNING.parse({}))
    assert "63\u202f% of cycles with nothing to issue" in view.status
    assert "From 11 warps on" in view.status
    assert "44 on an SM" in view.status
    assert "Cycle 200: nothing to issue.</strong> 4 warps wait for memory." in str(view.parts["now"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"warps": 11}, "never runs dry"),
        ({"warps": 16}, "11 warps are enough"),
        ({"warps": 11, "policy": "round_robin"}, "in a convoy"),
        ({"arithmetic": 25}, "It would take 17 warps"),
        ({"arithmetic": 1, "latency": 800}, "Not even 64 warps"),
        ({"latency": 600, "arithmetic": 45}, "more than the 48 slots of Ada"),
        ({"warps": 1, "latency": 800, "arithmetic": 1}, "99.8\u202f% of cycles"),
    ],
)
def test_the_verdict_weighs_demand_against_slots(given: dict[str, object], says: str) -> None:
    assert says in RUNNING.view(**RUNNING.parse(given)).status


def test_the_picture_does_not_change_with_the_cursor() -> None:
    """So playing repaints a line, not the lanes."""
    first, later = (RUNNING.view(**RUNNING.parse({"cycle": c})) for c in (0, 777))
    assert first.parts["lanes"] is later.parts["lanes"]
    assert first.status == later.status
    assert first.parts["cursor"] != later.parts["cursor"]


def test_the_text_alternative_counts_the_dry_cycles() -> None:
    run = scheduler.simulate(scheduler.Kernel(), 4, cycles=CYCLES)
    told = timeline.describe(run.timeline(CYCLES))
    dry = CYCLES - sum(i[0] < CYCLES for i in run.issues)
    assert f"with 4 warps: the scheduler has nothing to issue in {dry} of them" in told
    assert "4 to 400" in told
    lone = scheduler.simulate(scheduler.Kernel(loads=0, arithmetic=1), 4, cycles=10)
    assert timeline.describe(lone.timeline(10)) == "Timeline of 10 cycles with 4 warps: the scheduler always issues."


def test_only_the_cycle_can_be_played() -> None:
    html = widget.render(RUNNING, "scheduler", {}, lambda chart: "", "w1")
    playable = [a for t, a in Parts(html).found if t == "input" and "data-playable" in a]
    assert [a["name"] for a in playable] == ["cycle"]
    assert "autoplay" not in html


@settings(max_examples=25, deadline=None)
@given(values(ILP))
def test_the_knees_are_where_the_simulation_saturates(given: dict[str, object]) -> None:
    view = ILP.view(**given)
    latency, interval, slots = (int(str(given[n])) for n in ("latency", "interval", "slots"))
    table, chart = view.parts["knees"], view.parts["curve"]
    assert isinstance(table, Table)
    assert isinstance(chart, Chart)
    for independent, warps, occupancy, reached in table.rows:
        kernel = scheduler.Kernel(int(str(independent)), 0, latency, interval=interval)
        per_scheduler = int(str(warps)) // scheduling.SCHEDULERS
        assert (str(occupancy) == "no room") == (int(str(warps)) > slots)
        if per_scheduler <= scheduler.MOST_WARPS:
            assert scheduler.warps_to_saturate(kernel) == per_scheduler
        assert (reached == "100\u202f%") >= (int(str(warps)) <= slots)
    # The dots are simulated, the lines are the law; they agree.
    for dot in chart.datasets["dots"]:
        law = min(100, 100 * dot["warps"] * dot["k"] * interval / (latency * scheduling.SCHEDULERS))
        assert dot["share"] == pytest.approx(law, abs=0.01)


def test_presets_are_legal_and_the_first_view_is_one_of_them() -> None:
    parsed = [ILP.parse(given) for given in ILP.presets().values()]
    assert ILP.parse({}) in parsed


def test_twice_the_independence_half_the_warps() -> None:
    """On an A100: the demand halves with each doubling, and the registers a thread may use double."""
    assert scheduling.knees_of("A100 SXM 80 GB") == {1: 60, 2: 32, 4: 16, 8: 8}
    rows = scheduling.trade("A100 SXM 80 GB", "8.0").rows
    assert [r[4] for r in rows] == [32, 64, 128, 255]


@pytest.mark.parametrize("name", scheduling.MEMORIES)
def test_the_memories_are_those_of_the_gpu_table(name: str) -> None:
    """A few rows stand in the code, so that the browser need not load the whole table; they must not drift from it."""
    memory = scheduling.MEMORIES[name]
    gpu = devices.gpu(name.removesuffix(" 80 GB"))
    assert (gpu.device.sm_count, gpu.bandwidth_gb_s, gpu.boost_mhz) == (memory.sms, memory.bandwidth, memory.clock)
    assert gpu.device.warps_per_sm == memory.slots
    measured = [m for g in devices.gpus() if g.chip == gpu.chip for m in g.latency if m.clock_mhz == memory.clock]
    assert memory.latency in {round(sum(m.dram_cycles) / 2 + 1e-9) for m in measured if m.dram_cycles}
