"""The book's one decision: two roofs, three regimes, and what cures each; an SVG for chapters 1, 6, 9 and 14."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from occusite.book.parts.html import Markup


class Box(NamedTuple):
    """A question, or a regime with its cure: a heading and lines under it."""

    heading: str
    lines: tuple[str, ...]


ISSUE = Box("Does the scheduler issue", ("in nearly every cycle?",))
MEMORY = Box("Does the memory run", ("at nearly its bandwidth?",))
REGIMES = {
    "issue-bound": Box("issue-bound", ("Fewer instructions help.", "More warps do not.")),
    "bandwidth-bound": Box("bandwidth-bound", ("Fewer bytes help.", "More warps do not.")),
    "latency-bound": Box("latency-bound", ("More in flight helps:", "independent work, or warps.")),
}
TOLD = (
    "A decision in two questions. Does the scheduler issue in nearly every cycle? If yes, the kernel is issue-bound: fewer "
    "instructions help, more warps do not. If no: does the memory run at nearly its bandwidth? If yes, the kernel is "
    "bandwidth-bound: fewer bytes help, more warps do not. If no, it is latency-bound: more in flight helps, by independent "
    "work in each warp or by more warps."
)

HEIGHT, LINE = 62, 17


def decision() -> Markup:
    """The diagram, wide and narrow, with its text alternative; phrasing content, so it may stand in a paragraph."""
    pictures = "".join(
        f'<span class="occ-static--{name}">{_svg(*size)}</span>'
        for name, size in (("wide", (640, 250, 340, 300, 0)), ("narrow", (320, 250, 70, 250, 1)))
    )
    # Phrasing content has no blocks of its own: the style sheet's classes for charts make them.
    return Markup(f'<span class="occ-chart occ-decision" role="img" aria-label="{escape(TOLD)}">{pictures}</span>')


def _svg(width: int, question: int, right: int, outcome: int, stacked: int) -> str:
    """Questions down the left side; each regime to the right of its question, or below it where there is no room."""
    shapes, y = [], 2
    steps = ((ISSUE, "issue-bound"), (MEMORY, "bandwidth-bound"))
    for box, regime in steps:
        shapes.append(_box(box, 2, y, question, False))
        if stacked:
            below = y + HEIGHT + 26
            shapes += [_arrow(right + 30, y + HEIGHT, right + 30, below, "yes", right + 40, below - 8)]
            shapes.append(_box(REGIMES[regime], right - 2, below, outcome, True))
            end = below + HEIGHT + 26
        else:
            middle = y + HEIGHT / 2
            shapes += [_arrow(2 + question, middle, right, middle, "yes", 2 + question + 30, middle - 7)]
            shapes.append(_box(REGIMES[regime], right, y, outcome - 2, True))
            end = y + HEIGHT + 34
        shapes.append(_arrow(30, y + HEIGHT, 30, end, "no", 40, end - 10))
        y = end
    shapes.append(_box(REGIMES["latency-bound"], 2, y, question, True))
    return (
        f'<svg aria-hidden="true" focusable="false" viewBox="0 0 {width} {y + HEIGHT + 2}" '
        f'font-family="Inter Variable, Inter, sans-serif" font-size="14">{"".join(shapes)}</svg>'
    )


def _box(box: Box, x: float, y: float, width: float, regime: bool) -> str:
    fill, line = ("var(--occ-accent-soft)", "var(--occ-accent)") if regime else ("none", "var(--occ-ink-soft)")
    # A regime differs in its corners and its weight too, not in colour alone.
    top = y + (HEIGHT - LINE * (len(box.lines) + 1)) / 2 + 13
    weight = ' font-weight="650"' if regime else ""
    texts = [f'<text x="{x + 14}" y="{top}" fill="var(--occ-ink)"{weight}>{escape(box.heading)}</text>']
    texts += [
        f'<text x="{x + 14}" y="{top + LINE * (i + 1)}" fill="var(--occ-ink)">{escape(words)}</text>'
        for i, words in enumerate(box.lines)
    ]
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{HEIGHT}" rx="{16 if regime else 3}" fill="{fill}" '
        f'stroke="{line}" stroke-width="1.5"/>{"".join(texts)}'
    )


def _arrow(x1: float, y1: float, x2: float, y2: float, word: str, at: float, base: float) -> str:
    tip = (
        f"M{x2 - 8} {y2 - 5}L{x2 - 1} {y2}L{x2 - 8} {y2 + 5}"
        if y1 == y2
        else f"M{x2 - 5} {y2 - 8}L{x2} {y2 - 1}L{x2 + 5} {y2 - 8}"
    )
    return (
        f'<path d="M{x1} {y1}L{x2} {y2}{tip}" fill="none" stroke="var(--occ-ink-soft)" stroke-width="1.5"/>'
        f'<text x="{at}" y="{base}" fill="var(--occ-ink-soft)" font-size="13">{word}</text>'
    )
