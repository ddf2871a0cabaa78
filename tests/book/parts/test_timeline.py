"""The timeline: every bar where the run says, followed by hand for twenty cycles of two warps."""

from __future__ import annotations

import re

import pytest
from bs4 import Tag

from occusite import scheduler
from occusite.book.parts import timeline
from occusite.scheduler import Segment
from tests.book.seen import classes, parsed, words

# One load, which takes 12 cycles, then three instructions; the scheduler stays with a warp until it stalls. Warp 1 loads
# in cycle 0, warp 2 in cycle 1; both wait. Warp 1 has its data in 12: three instructions, and the next load in 15.
# Warp 2 could go on in 13; it does in 16.
RUN = scheduler.simulate(scheduler.Kernel(loads=1, arithmetic=3, latency=12), 2, cycles=20).timeline(20)
LANES = [
    [(0, 1, "load"), (1, 12, "memory"), (12, 15, "issue"), (15, 16, "load"), (16, 20, "memory")],
    [(0, 1, "ready"), (1, 2, "load"), (2, 13, "memory"), (13, 16, "ready"), (16, 19, "issue"), (19, 20, "load")],
]
THICK = {"issue": 10, "load": 10, "ready": 4, "busy": 14}
HEAD, LANE = 26, 14


def lane(segments: list[tuple[int, int, str]]) -> tuple[Segment, ...]:
    return tuple(Segment(*segment) for segment in segments)


def shapes(path: str) -> list[tuple[int, int, int, int]]:
    """A path's bars and lines as (first, end, top, thickness); a line has none."""
    found = []
    for bar in re.findall(r"M(\d+),(\d+)h(\d+)v(\d+)h-(\d+)z|M(\d+),(\d+)H(\d+)", path):
        if bar[0]:
            x, y, across, down, back = map(int, bar[:5])
            assert across == back
            found.append((x, x + across, y, down))
        else:
            x, y, end = map(int, bar[5:])
            found.append((x, end, y, 0))
    assert len(found) == path.count("M")
    return found


def picture(html: str) -> tuple[Tag, dict[str, list[tuple[int, int, int, int]]]]:
    tree = parsed(html)
    [box] = tree.select("div.occ-tl")
    svg = box.select("svg.occ-tl-svg")[0]
    paths = {classes(p)[0].removeprefix("occ-tl-"): shapes(str(p["d"])) for p in svg.select("path") if p["d"]}
    return tree, paths


def test_the_run_is_as_followed_by_hand() -> None:
    assert [[tuple(s) for s in warp] for warp in RUN] == LANES


def test_every_bar_stands_where_the_run_says() -> None:
    tree, paths = picture(timeline.lanes(RUN, 3))
    svg = tree.select("svg.occ-tl-svg")[0]
    # Three lanes of 14 below a head of 26; the third has no warp.
    assert (svg["height"], svg["viewbox"], svg["preserveaspectratio"]) == ("68", "0 0 20 68", "none")
    expected: dict[str, list[tuple[int, int, int, int]]] = {}
    for warp, segments in enumerate(LANES):
        middle = HEAD + LANE * warp + LANE // 2
        for first, end, state in segments:
            thick = THICK.get(state, 0)
            expected.setdefault(state, []).append((first, end, middle - thick // 2, thick))
    scheduler_row = {"busy": [(0, 2, 3, 14), (12, 20, 3, 14)], "idle": [(2, 12, 10, 0)]}
    assert paths == expected | scheduler_row | {"empty": [(0, 20, 61, 0)]}


def test_all_lanes_taken_leaves_none_empty_and_always_busy_no_idle() -> None:
    busy = (lane([(0, 8, "issue")]), lane([(0, 3, "waiting"), (3, 8, "pipeline")]))
    _, paths = picture(timeline.lanes(busy, 2))
    assert paths == {
        "busy": [(0, 8, 3, 14)],
        "issue": [(0, 8, 28, 10)],
        "waiting": [(0, 3, 47, 0)],
        "pipeline": [(3, 8, 47, 0)],
    }


def test_the_axis_counts_in_quarters() -> None:
    tree, _ = picture(timeline.lanes(RUN, 2))
    ticks = [(t["x"], words(t), t["text-anchor"]) for t in tree.select("svg.occ-tl-axis text")]
    assert ticks == [
        ("0%", "cycle 0", "start"),
        ("25%", "5", "middle"),
        ("50%", "10", "middle"),
        ("75%", "15", "middle"),
        ("100%", "20", "end"),
    ]


def test_the_legend_shows_what_is_drawn() -> None:
    tree, _ = picture(timeline.lanes(RUN, 2))
    entries = []
    for item in tree.select("ul.occ-tl-legend > li"):
        [swatch], [path] = item.select("svg"), item.select("path")
        kind = classes(path)[0].removeprefix("occ-tl-")
        [(first, end, top, thick)] = shapes(str(path["d"]))
        # In the middle of a picture of 24 by 16, as thick as in the lanes.
        assert (first, end, top + thick // 2) == (1, 23, 8) and thick == THICK.get(kind, 0)
        assert swatch["viewbox"] == "0 0 24 16" and (swatch["width"], swatch["height"]) == ("24", "16")
        entries.append((kind, words(item)))
    assert entries == [
        ("busy", "an instruction issues"),
        ("load", "a load issues"),
        ("ready", "ready, but another warp issues"),
        ("memory", "waits for memory"),
        ("idle", "nothing to issue"),
    ]


def test_the_text_alternative() -> None:
    tree, _ = picture(timeline.lanes(RUN, 2))
    said = "Timeline of 20 cycles with 2 warps: the scheduler has nothing to issue in 10 of them, longest from cycle 2 to 12."
    assert timeline.describe(RUN) == said
    assert tree.div["aria-label"] == said and tree.div["role"] == "img"
    assert all(s["aria-hidden"] == "true" for s in tree.select("svg"))
    lone = (lane([(0, 10, "issue")]),)
    assert timeline.describe(lone) == "Timeline of 10 cycles with 1 warp: the scheduler always issues."


def test_the_text_alternative_names_the_three_longest_in_their_order() -> None:
    spans = [(2, 3), (4, 9), (10, 14), (15, 17), (18, 24)]
    cuts = [0, *[edge for span in spans for edge in span], 25]
    states = ["issue", "memory"] * 6
    run = (lane([(a, b, s) for a, b, s in zip(cuts, cuts[1:], states, strict=False)]),)
    assert timeline.describe(run) == (
        "Timeline of 25 cycles with 1 warp: the scheduler has nothing to issue in 18 of them, "
        "longest from cycle 4 to 9, 10 to 14, 18 to 24."
    )


def test_the_text_alternative_counts_the_dry_cycles_of_a_long_run() -> None:
    run = scheduler.simulate(scheduler.Kernel(), 4, cycles=1000)
    dry = 1000 - sum(issue[0] < 1000 for issue in run.issues)
    said = timeline.describe(run.timeline(1000))
    assert f"with 4 warps: the scheduler has nothing to issue in {dry} of them" in said and "4 to 400" in said


# Cycle: each warp's state, and the cycle in words.
MOMENTS = [
    (0, ["load", "ready"], "Cycle 0: warp 1 issues a load. 1 warp is ready."),
    (1, ["memory", "load"], "Cycle 1: warp 2 issues a load. 1 warp waits for memory."),
    (6, ["memory", "memory"], "Cycle 6: nothing to issue. 2 warps wait for memory."),
    (11, ["memory", "memory"], "Cycle 11: nothing to issue. 2 warps wait for memory."),
    (12, ["issue", "memory"], "Cycle 12: warp 1 issues arithmetic. 1 warp waits for memory."),
    (14, ["issue", "ready"], "Cycle 14: warp 1 issues arithmetic. 1 warp is ready."),
    (19, ["memory", "load"], "Cycle 19: warp 2 issues a load. 1 warp waits for memory."),
]


@pytest.mark.parametrize(("cycle", "states", "said"), MOMENTS)
def test_one_cycle(cycle: int, states: list[str], said: str) -> None:
    assert timeline.at(RUN, cycle) == states
    assert words(timeline.moment(RUN, cycle)) == said
    assert words(parsed(timeline.moment(RUN, cycle)).strong) == said.partition(".")[0] + "."
    tree = parsed(timeline.cursor(RUN, 3, cycle))
    names = [(classes(n)[-1].removeprefix("occ-tl-at-"), words(n)) for n in tree.select(".occ-tl-names .occ-tl-name")]
    assert names == [(states[0], "1"), (states[1], "2"), ("empty", "3")]
    [line] = tree.select("path.occ-tl-cursor")
    # In the middle of its cycle, from top to bottom.
    assert line["d"] == f"M{cycle}.5,0V68"
    [svg] = tree.select("svg")
    assert svg["viewbox"] == "0 0 20 68" and tree.div["aria-hidden"] == "true"
    assert words(tree.select_one(".occ-tl-names > span")) == "issues"


def test_a_cycle_of_many_kinds() -> None:
    kinds = ["pipeline", "ready", "waiting", "memory", "pipeline", "ready", "waiting", "memory", "issue"]
    run = tuple(lane([(0, 4, kind)]) for kind in kinds)
    assert words(timeline.moment(run, 2)) == (
        "Cycle 2: warp 9 issues arithmetic. 2 warps are ready; 2 warps wait for memory; 2 warps wait for arithmetic; "
        "2 warps have not started."
    )
    alone = tuple(lane([(0, 4, kind)]) for kind in ("pipeline", "waiting"))
    assert words(timeline.moment(alone, 0)) == (
        "Cycle 0: nothing to issue. 1 warp waits for arithmetic; 1 warp has not started."
    )
    assert words(timeline.moment((lane([(0, 4, "issue")]),), 0)) == "Cycle 0: warp 1 issues arithmetic."
