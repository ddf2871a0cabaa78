"""The scheduler widget: what it says equals the model, at every setting, as HTML a strict page allows."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from occusite import scheduler
from occusite.book import widgets
from occusite.book.parts import widget
from occusite.book.widgets.scheduler import CYCLES, SLOTS, headline
from tests.book.seen import controls, parsed, settings_of, words

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


CONVOY = (
    "16 warps, all that a scheduler has slots for, would not do: taking turns, they reach their loads together and wait "
    "together, in a convoy."
)
NEVER_DRY = "Once the first loads are back, it never runs dry"
MANY = "and a scheduler has 16 slots at most, 12 on Ada."

# What is set, and the sentence. A warp alone takes latency + arithmetic for a pass of arithmetic + 1 instructions.
TABLE: list[tuple[dict[str, object], str]] = [
    # 4 × 41 ÷ 440 = 37 %; 440 ÷ 41 = 10.7.
    ({}, "63 % of cycles with nothing to issue Latency-bound. From 11 warps on it would never run dry. That is 44 on an SM of 4 schedulers; Ada has 48 slots."),
    ({"warps": 10}, "7 % of cycles with nothing to issue Latency-bound. From 11 warps on it would never run dry. That is 44 on an SM of 4 schedulers; Ada has 48 slots."),
    ({"warps": 11}, f"{NEVER_DRY} Issue-bound. 11 warps are enough, 44 on an SM of 4 schedulers; any more hide nothing."),
    ({"warps": 16}, f"{NEVER_DRY} Issue-bound. 11 warps are enough, 44 on an SM of 4 schedulers; any more hide nothing."),
    # 490 ÷ 41 = 11.95 and 500 ÷ 41 = 12.2: the last that Ada has slots for, and the first that it has not.
    ({"latency": 450}, "67 % of cycles with nothing to issue Latency-bound. From 12 warps on it would never run dry. That is 48 on an SM of 4 schedulers; Ada has 48 slots."),
    ({"latency": 460}, "67 % of cycles with nothing to issue Latency-bound. From 13 warps on it would never run dry. That is 52 on an SM of 4 schedulers; more than the 48 slots of Ada."),
    # 650 ÷ 41 = 15.9, 660 ÷ 41 = 16.1.
    ({"latency": 610}, "75 % of cycles with nothing to issue Latency-bound. From 16 warps on it would never run dry. That is 64 on an SM of 4 schedulers; more than the 48 slots of Ada."),
    ({"latency": 620}, f"75 % of cycles with nothing to issue Latency-bound. It would take 17 warps, {MANY}"),
    # Two loads and 20 instructions: (400 + 1 + 20) ÷ 22 = 19.1.
    ({"warps": 8, "loads": 2, "arithmetic": 10}, f"58 % of cycles with nothing to issue Latency-bound. It would take 20 warps, {MANY}"),
    ({"warps": 1, "latency": 800, "arithmetic": 1}, "99.8 % of cycles with nothing to issue Latency-bound. Not even 64 warps would do: each has too little to do while the others wait."),
    # Taking turns from a common start: 451 instructions in 400 + 11 × 40 + 1.
    ({"warps": 11, "policy": "round_robin"}, f"46 % of cycles with nothing to issue Latency-bound. {CONVOY}"),
    # A load every 60 cycles carries 41 instructions: 440 ÷ 60 = 7.3 warps, and 19 of 60 cycles stay empty.
    ({"warps": 12, "interval": 60}, "32 % of cycles with nothing to issue Bandwidth-bound. The memory never pauses: 8 warps, 32 on an SM of 4 schedulers, are enough for that, and none more makes it faster."),
    ({"warps": 8, "interval": 60}, "32 % of cycles with nothing to issue Bandwidth-bound. The memory never pauses: 8 warps, 32 on an SM of 4 schedulers, are enough for that, and none more makes it faster."),
    ({"warps": 4, "interval": 60}, "63 % of cycles with nothing to issue Latency-bound. From 8 warps, 32 on an SM of 4 schedulers, on the memory would never pause. The scheduler would still run dry, and no warp could help that."),
    # 840 ÷ 55 = 15.3: all the slots there are.
    ({"latency": 800, "interval": 55}, "80 % of cycles with nothing to issue Latency-bound. From 16 warps, 64 on an SM of 4 schedulers, on the memory would never pause. The scheduler would still run dry, and no warp could help that."),
    # 470 ÷ 41: 8 of 11.5 warps reach 70 %, 11 reach 96 %: from 95 % of a roof on it is called reached.
    ({"latency": 430, "warps": 8}, "30 % of cycles with nothing to issue Latency-bound. From 12 warps on it would never run dry. That is 48 on an SM of 4 schedulers; Ada has 48 slots."),
    ({"latency": 430, "warps": 11}, "4 % of cycles with nothing to issue Issue-bound. From 12 warps on it would never run dry. That is 48 on an SM of 4 schedulers; Ada has 48 slots."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "said"), TABLE)
def test_a_run(given: dict[str, object], said: str) -> None:
    view = RUNNING.view(**RUNNING.parse(given))
    assert words(view.status) == said
    assert said.startswith(words(parsed(view.status).strong))
    assert list(view.parts) == ["lanes", "cursor", "now"]
    [note] = parsed(str(view.parts["now"])).select("p.occ-note")
    assert words(note).startswith("Cycle 200: ")
    # 1,000 cycles, 16 lanes of 14 below a head of 26.
    assert parsed(str(view.parts["lanes"])).svg["viewbox"] == f"0 0 1000 {26 + 16 * 14}"
    assert parsed(str(view.parts["cursor"])).svg["viewbox"] == f"0 0 1000 {26 + 16 * 14}"


def test_a_share_is_rounded_where_that_does_not_claim_too_much() -> None:
    # 3 instructions in 300 cycles; 3 × 33 in 100; 5 × 199 in 996; 2 in 2,001.
    for kernel, warps, said in (
        (scheduler.Kernel(1, 2, 298), 1, "99 % of cycles with nothing to issue"),
        (scheduler.Kernel(1, 32, 68), 3, "1 % of cycles with nothing to issue"),
        (scheduler.Kernel(1, 198, 798), 5, "0.1 % of cycles with nothing to issue"),
        (scheduler.Kernel(1, 1, 2000), 1, "99.9 % of cycles with nothing to issue"),
        (scheduler.Kernel(1, 32, 67), 3, NEVER_DRY),
    ):
        assert words(headline(scheduler.simulate(kernel, warps))) == said


def test_the_books_default() -> None:
    view = RUNNING.view(**RUNNING.parse({}))
    assert words(view.parts["now"]) == "Cycle 200: nothing to issue. 4 warps wait for memory."


def test_the_controls() -> None:
    assert RUNNING.title == "The scheduler, running"
    assert controls(RUNNING) == [
        ("warps", "Resident warps of this scheduler", 1, 16, 1, 4, "", "warps"),
        ("latency", "Memory latency", 50, 800, 10, 400, "cycles", ""),
        ("loads", "Independent loads per warp", 1, 4, 1, 1, "", ""),
        ("arithmetic", "Arithmetic per load", 1, 60, 1, 40, "instructions", ""),
        ("interval", "Memory: a load at most every", 1, 250, 1, 1, "cycles", ""),
        (
            *("policy", "Which ready warp goes first?"),
            {"greedy": "greedy, then oldest", "round_robin": "loose round-robin"},
            "greedy",
        ),
        ("cycle", "Cycle", 0, 999, 1, 200, "", "", "Playable"),
    ]
    assert [c.rate for c in RUNNING.controls if isinstance(c, widget.Playable)] == [60]


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
