"""The tuning session of chapter 12: its real build logs, and the picture of what each build keeps in flight."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from occusite import devices
from occusite.book.parts.charts import Chart
from occusite.model.answer import Occupancy
from occusite.reports import KernelReport, read

GPU = "H100 SXM"


@cache
def log(name: str) -> str:
    """What the compiler said about one build of the session, below its command (scripts/refresh/session.py)."""
    return (files("occusite") / "data" / "session" / f"{name}.log").read_text(encoding="utf-8")


def report(name: str) -> KernelReport:
    """The one kernel of a build's log."""
    [kernel] = read(log(name))
    return kernel


def answer(name: str, threads: int) -> Occupancy:
    """What is resident of a build on the session's GPU."""
    return devices.gpu(GPU).device.occupancy(report(name).launch(threads=threads))


def in_flight(builds: Mapping[str, tuple[int, int]], needed: float, slots: int) -> Chart:
    """Accesses in flight against resident warps, a line for each number of loads per warp.

    `builds`: each build's resident warps and loads per warp; `needed`: the accesses Little's law asks for.
    """
    loads = sorted({each for _, each in builds.values()})
    high = max(loads) * slots
    points = [{"name": name, "warps": w, "flying": w * each} for name, (w, each) in builds.items()]
    x = {"field": "warps", "type": "quantitative", "scale": {"domain": [0, slots], "nice": False}}
    y = {"field": "flying", "type": "quantitative", "scale": {"domain": [0, high], "nice": False}}
    axes = {
        "x": {**x, "axis": {"title": "resident warps", "grid": False, "values": list(range(0, slots + 1, 8))}},
        "y": {**y, "axis": {"title": "accesses in flight, each SM", "tickCount": 5}},
    }
    ink, soft = {"color": "var(--occ-ink)"}, {"color": "var(--occ-ink-soft)"}
    spec = {
        "height": 260,
        "layer": [
            {
                "data": {"name": "lines"},
                "mark": {"type": "line", "strokeWidth": 1.5, **soft},
                "encoding": {**axes, "detail": {"field": "loads"}},
            },
            {
                "data": {"name": "ends"},
                "mark": {
                    "type": "text",
                    "align": {"expr": "datum.above ? 'right' : 'left'"},
                    "dx": {"expr": "datum.above ? -8 : 8"},
                    "dy": {"expr": "datum.above ? -6 : 12"},
                    **soft,
                },
                "encoding": {**axes, "text": {"field": "label"}},
            },
            {
                "data": {"name": "needed"},
                "mark": {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1.5, "color": "var(--occ-accent)"},
                "encoding": {"y": axes["y"]},
            },
            {
                "data": {"name": "needed"},
                "mark": {"type": "text", "align": "left", "baseline": "bottom", "dx": 6, "dy": -4, **ink},
                "encoding": {"x": {"datum": 0, "type": "quantitative"}, "y": axes["y"], "text": {"field": "label"}},
            },
            {
                "data": {"name": "points"},
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, **ink},
                "encoding": axes,
            },
            {
                "data": {"name": "points"},
                "mark": {"type": "text", "align": "right", "baseline": "bottom", "dx": -8, "dy": -4, **ink},
                "encoding": {**axes, "text": {"field": "name"}},
            },
        ],
    }
    told = "; ".join(f"{p['name']}: {p['warps']} warps, {p['flying']} in flight" for p in points)
    return Chart(
        spec,
        {
            "lines": [{"loads": n, "warps": w, "flying": n * w} for n in loads for w in (0, slots)],
            "ends": [
                {"warps": at, "flying": n * at, "label": _loads(n), "above": at > slots // 2}
                for n in loads
                for at in [slots * 5 // 8 if n == loads[-1] else slots // 4]
            ],
            "needed": [{"flying": needed, "label": f"needed: {needed:.0f}"}],
            "points": points,
        },
        f"Accesses in flight on each SM against resident warps; {needed:.0f} are needed. {told}.",
    )


def _loads(count: int) -> str:
    return f"{count} load{'s' * (count > 1)} per warp"
