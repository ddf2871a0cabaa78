"""The decision's picture: each question leads to its regime, arrows touch the boxes they join, words stay inside."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import pytest
from bs4 import Tag

from occusite.book.parts.decision import decision
from tests.book.seen import classes, parsed, words


class Box(NamedTuple):
    """A box with its lines of text."""

    x: float
    y: float
    x2: float
    y2: float
    lines: tuple[str, ...]
    regime: bool


def number(element: Tag, name: str) -> float:
    return float(str(element[name]))


def boxes(svg: Tag) -> list[Box]:
    found = []
    texts = svg.select("text:not([font-size])")
    for rect in svg.select("rect"):
        x, y = number(rect, "x"), number(rect, "y")
        x2, y2 = x + number(rect, "width"), y + number(rect, "height")
        inside = [t for t in texts if x < number(t, "x") < x2 and y < number(t, "y") < y2]
        bases = [number(t, "y") for t in inside]
        # Lines of 14 pixels, one below another, none over the edge.
        assert bases == sorted(bases) and bases[0] - 14 > y and bases[-1] + 4 < y2
        assert all(b - a >= 15 for a, b in pairwise(bases))
        found.append(Box(x, y, x2, y2, tuple(words(t) for t in inside), rect["stroke"] == "var(--occ-accent)"))
    assert sum(len(box.lines) for box in found) == len(texts)
    return found


def arrows(svg: Tag) -> list[tuple[tuple[float, float], tuple[float, float], str]]:
    """From where to where, and the word beside it."""
    found = []
    labels = svg.select("text[font-size]")
    for path, label in zip(svg.select("path"), labels, strict=True):
        x1, y1, x2, y2 = map(float, re.findall(r"[\d.]+", str(path["d"]))[:4])
        assert min(x1, x2) - 1 <= number(label, "x") <= max(x1, x2) + 12
        assert min(y1, y2) - 12 <= number(label, "y") <= max(y1, y2)
        found.append(((x1, y1), (x2, y2), words(label)))
    return found


@pytest.mark.parametrize(("which", "width"), [("wide", 640), ("narrow", 320)])
def test_a_question_leads_to_its_regime(which: str, width: int) -> None:
    [svg] = parsed(decision()).select(f".occ-static--{which} svg")
    _, _, across, down = map(float, str(svg["viewbox"]).split())
    found = boxes(svg)
    assert across == width and all(b.x > 0 and b.x2 < across and b.y > 0 and b.y2 < down for b in found)
    for a in found:
        assert not [b for b in found if b is not a and a.x < b.x2 and b.x < a.x2 and a.y < b.y2 and b.y < a.y2]

    def at(x: float, y: float) -> str:
        """The heading of the box on whose edge a point lies."""
        [box] = [b for b in found if b.x <= x <= b.x2 and b.y <= y <= b.y2 and (x in (b.x, b.x2) or y in (b.y, b.y2))]
        return box.lines[0]

    issue, memory = "Does the scheduler issue", "Does the memory run"
    assert sorted((at(*a), word, at(*b)) for a, b, word in arrows(svg)) == [
        (memory, "no", "latency-bound"),
        (memory, "yes", "bandwidth-bound"),
        (issue, "no", memory),
        (issue, "yes", "issue-bound"),
    ]
    assert {b.lines for b in found if b.regime} == {
        ("issue-bound", "Fewer instructions help.", "More warps do not."),
        ("bandwidth-bound", "Fewer bytes help.", "More warps do not."),
        ("latency-bound", "More in flight helps:", "independent work, or warps."),
    }
    assert {b.lines for b in found if not b.regime} == {
        (issue, "in nearly every cycle?"),
        (memory, "at nearly its bandwidth?"),
    }


def test_its_text_alternative() -> None:
    [box] = parsed(decision()).find_all("span", recursive=False)
    assert classes(box) == ["occ-chart", "occ-decision"] and box["role"] == "img"
    assert box["aria-label"] == (
        "A decision in two questions. Does the scheduler issue in nearly every cycle? If yes, the kernel is issue-bound: "
        "fewer instructions help, more warps do not. If no: does the memory run at nearly its bandwidth? If yes, the "
        "kernel is bandwidth-bound: fewer bytes help, more warps do not. If no, it is latency-bound: more in flight "
        "helps, by independent work in each warp or by more warps."
    )
    assert all(svg["aria-hidden"] == "true" for svg in box.select("svg"))
