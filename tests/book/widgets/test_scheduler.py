"""The scheduler widget: what it says equals the model, at every setting, as HTML a strict page allows."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from occusite import scheduler
from occusite.book import widgets
from occusite.book.parts import widget
from occusite.book.widgets.scheduler import CYCLES, SLOTS
from tests.book.seen import settings_of

RUNNING = widgets.load("scheduler")


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
@given(settings_of(RUNNING))
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


def test_only_the_cycle_can_be_played() -> None:
    html = widget.render(RUNNING, "scheduler", {}, lambda chart: "", "w1")
    playable = [a for t, a in Parts(html).found if t == "input" and "data-playable" in a]
    assert [a["name"] for a in playable] == ["cycle"]
    assert "autoplay" not in html
