"""The scheduler's timeline as SVG: one lane a warp slot, what the scheduler did above them, and a cursor over both."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from occusite.scheduler import Segment

Timeline = Sequence[Sequence[Segment]]

HEAD, LANE = 26, 14
# Thickness of what is drawn in a lane, by state: the second sign beside colour.
BARS = {"issue": 10, "load": 10, "ready": 4}
# What one warp does, and what several do.
WORDS = {
    "issue": ("issues arithmetic", ""),
    "load": ("issues a load", ""),
    "ready": ("is ready", "are ready"),
    "memory": ("waits for memory", "wait for memory"),
    "pipeline": ("waits for arithmetic", "wait for arithmetic"),
    "waiting": ("has not started", "have not started"),
}
LEGEND = (
    ("busy", "an instruction issues"),
    ("load", "a load issues"),
    ("ready", "ready, but another warp issues"),
    ("memory", "waits for memory"),
    ("idle", "nothing to issue"),
)


def lanes(timeline: Timeline, slots: int) -> str:
    """A `Run.timeline` in `slots` lanes: bars where a warp issues, thin where it is ready, a line where it waits.

    The text alternative tells the same in words.
    """
    cycles = timeline[0][-1].end
    shapes: dict[str, list[str]] = {state: [] for state in WORDS}
    for warp, lane in enumerate(timeline):
        middle = HEAD + warp * LANE + LANE // 2
        for first, end, state in lane:
            shapes[state].append(_shape(state, first, end, middle))
    paths = [f'<path class="occ-tl-{state}" d="{"".join(d)}"/>' for state, d in shapes.items() if d]
    empty = "".join(f"M0,{HEAD + i * LANE + LANE // 2}H{cycles}" for i in range(len(timeline), slots))
    busy, idle = scheduler_spans(timeline)
    issued = "".join(f"M{a},3h{b - a}v14h{a - b}z" for a, b in busy)
    dry = "".join(f"M{a},10H{b}" for a, b in idle)
    ticks = "".join(
        f'<text x="{25 * i}%" y="12" text-anchor="{anchor}">{"cycle " if i == 0 else ""}{cycles * i // 4}</text>'
        for i, anchor in enumerate(("start", "middle", "middle", "middle", "end"))
    )
    legend = "".join(f"<li>{_swatch(kind)}{said}</li>" for kind, said in LEGEND)
    return (
        f'<div class="occ-tl" role="img" aria-label="{describe(timeline)}"><span></span>{_open(cycles, slots)}'
        f'<path class="occ-tl-idle" d="{dry}"/><path class="occ-tl-busy" d="{issued}"/>'
        f'<path class="occ-tl-empty" d="{empty}"/>{"".join(paths)}</svg>'
        f'<span></span><svg class="occ-tl-axis" height="16" aria-hidden="true" focusable="false">{ticks}</svg></div>'
        f'<ul class="occ-tl-legend">{legend}</ul>'
    )


def cursor(timeline: Timeline, slots: int, cycle: int) -> str:
    """A line at `cycle`, and beside each lane its number, marked with what its warp does then."""
    states = at(timeline, cycle)
    names = "".join(
        f'<span class="occ-tl-name occ-tl-at-{states[i] if i < len(states) else "empty"}">{i + 1}</span>'
        for i in range(slots)
    )
    return (
        f'<div class="occ-tl occ-tl-now" aria-hidden="true"><div class="occ-tl-names"><span>issues</span>{names}</div>'
        f'{_open(timeline[0][-1].end, slots)}<path class="occ-tl-cursor" d="M{cycle}.5,0V{HEAD + slots * LANE}"/>'
        "</svg></div>"
    )


def moment(timeline: Timeline, cycle: int) -> str:
    """One cycle in words: who issues, and what the others do."""
    states = at(timeline, cycle)
    issuing = next((i for i, s in enumerate(states) if s in ("issue", "load")), None)
    now = f"warp {issuing + 1} {WORDS[states[issuing]][0]}" if issuing is not None else "nothing to issue"
    others = [
        f"{n} warp {WORDS[s][0]}" if n == 1 else f"{n} warps {WORDS[s][1]}"
        for s in ("ready", "memory", "pipeline", "waiting")
        if (n := states.count(s))
    ]
    return f"<strong>Cycle {cycle}: {now}.</strong> {'; '.join(others)}{'.' if others else ''}"


def at(timeline: Timeline, cycle: int) -> list[str]:
    """Every warp's state at one cycle."""
    return [lane[bisect_right(lane, cycle, key=lambda s: s.first) - 1].state for lane in timeline]


def scheduler_spans(timeline: Timeline) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Spans of cycles in which the scheduler issued, and those in which it had nothing to issue."""
    issued = sorted((s.first, s.end) for lane in timeline for s in lane if s.state in ("issue", "load"))
    busy: list[tuple[int, int]] = []
    for first, end in issued:
        if busy and busy[-1][1] == first:
            busy[-1] = (busy[-1][0], end)
        else:
            busy.append((first, end))
    cycles = timeline[0][-1].end
    edges = [(0, 0), *busy, (cycles, cycles)]
    return busy, [(a[1], b[0]) for a, b in pairwise(edges) if a[1] < b[0]]


def describe(timeline: Timeline) -> str:
    """What the picture shows, for those who do not see it."""
    _, idle = scheduler_spans(timeline)
    longest = sorted(sorted(idle, key=lambda s: s[0] - s[1])[:3])
    spans = ", ".join(f"{a} to {b}" for a, b in longest)
    dry = sum(b - a for a, b in idle)
    pauses = f"has nothing to issue in {dry} of them, longest from cycle {spans}" if idle else "always issues"
    warps = f"{len(timeline)} warp{'s' if len(timeline) > 1 else ''}"
    return f"Timeline of {timeline[0][-1].end} cycles with {warps}: the scheduler {pauses}."


def _shape(state: str, first: int, end: int, middle: int) -> str:
    if state not in BARS:
        return f"M{first},{middle}H{end}"
    height = BARS[state]
    return f"M{first},{middle - height // 2}h{end - first}v{height}h{first - end}z"


def _open(cycles: int, slots: int) -> str:
    height = HEAD + slots * LANE
    return (
        f'<svg class="occ-tl-svg" height="{height}" viewBox="0 0 {cycles} {height}" preserveAspectRatio="none" '
        'aria-hidden="true" focusable="false">'
    )


def _swatch(kind: str) -> str:
    height = BARS.get(kind, 14 if kind == "busy" else 0)
    shape = f"M1,{8 - height // 2}h22v{height}h-22z" if height else "M1,8H23"
    return (
        f'<svg class="occ-tl-swatch" width="24" height="16" viewBox="0 0 24 16" aria-hidden="true" focusable="false">'
        f'<path class="occ-tl-{kind}" d="{shape}"/></svg>'
    )
