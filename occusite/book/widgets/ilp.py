"""ILP: throughput against warps for 1, 2, 4 and 8 independent operations per warp, with the knees."""

from __future__ import annotations

from occusite.book.content.scheduling import INDEPENDENT, MEMORIES, SCHEDULERS, concurrency, knee, knees
from occusite.book.parts.widget import Choice, Number, View, Widget


def view(latency: int, interval: int, slots: str) -> View:
    """The warps each line needs, the lines with their knees, and the same in numbers."""
    most = int(slots)
    need = {k: knee(latency, interval, k) * SCHEDULERS for k in INDEPENDENT}
    one, fits = need[1], [k for k in INDEPENDENT if need[k] <= most]
    if one <= most:
        last = max(INDEPENDENT)
        said = f"With {last} independent operations in each warp, {need[last]} warps do."
    elif fits:
        said = (
            f"No SM here has that many; with {fits[0]} independent operations in each warp, {need[fits[0]]} are enough."
        )
    else:
        said = f"Even {max(INDEPENDENT)} per warp and all {most} warps cannot fill this memory."
    return View(
        f"<strong>One operation per warp: {one} warps per SM</strong> <br>{said}",
        {"curve": concurrency(latency, interval, most), "knees": knees(latency, interval, most)},
    )


DEFAULT = MEMORIES["A100 SXM 80 GB"]

widget = Widget(
    "ILP: throughput against warps",
    (
        Number("latency", "Latency of an operation", 1, 2000, 1, DEFAULT.latency, "cycles"),
        Number("interval", "Cycles between two, at peak", 1, 500, 1, DEFAULT.interval, "cycles"),
        Choice("slots", "Warp slots per SM", {"32": "32", "48": "48", "64": "64"}, "64"),
    ),
    view,
    presets=lambda: {
        "Arithmetic: a pipeline of 4 cycles": {"latency": 4, "interval": 1, "slots": "64"},
        **{
            f"{name}: loads from memory": {"latency": m.latency, "interval": m.interval, "slots": str(m.slots)}
            for name, m in MEMORIES.items()
        },
    },
)
