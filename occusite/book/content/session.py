"""The tuning session of chapter 12: its real build logs, what their machine code keeps in flight, and the picture of it."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from occusite import devices
from occusite.book.parts.charts import Chart
from occusite.littles_law import Supply
from occusite.model.answer import Occupancy
from occusite.reports import KernelReport, read

GPU = "H200 SXM"
# The kernel's streams: of every four accesses three are loads, and nobody waits for the fourth.
LOADS, STORES = 3, 1


class Flight(NamedTuple):
    """One pass of a build's loop in machine code (scripts/refresh/session.py): `loads` from global memory; `waits`, how
    often the warp stands still for them, one after another; their `order`, L a load, W a wait, S a store, l and s those
    of local memory; and the bytes that each thread's local stores and loads move in the pass."""

    loads: int
    waits: int
    order: str
    local_stores: int
    local_loads: int

    @property
    def each(self) -> float:
        """Loads that a warp keeps in flight on average, at most: if nothing but loads took time."""
        return self.loads / self.waits


def _text(name: str) -> str:
    return (files("occusite") / "data" / "session" / name).read_text(encoding="utf-8")


@cache
def log(name: str) -> str:
    """What the compiler said about one build of the session, below its command (scripts/refresh/session.py)."""
    return _text(f"{name}.log")


@cache
def _flights() -> tuple[str, dict[tuple[str, str], Flight]]:
    made, _, rest = _text("flight.csv").partition("\n")
    rows = csv.DictReader(rest.splitlines())
    return made, {
        (row.pop("build"), row.pop("architecture")): Flight(
            order=row.pop("order"), **{name: int(value) for name, value in row.items()}
        )
        for row in rows
    }


def flight(name: str, architecture: str = "sm_90") -> Flight:
    """What the machine code of one build does in a pass of its loop."""
    return _flights()[1][name, architecture]


def tools() -> str:
    """The programs that made the machine code and read it, with their versions."""
    return _flights()[0].partition("wave.cu: ")[2].partition(". One pass")[0]


def compiler() -> str:
    """The compiler's release: "13.0, V13.0.88"."""
    return tools().partition("nvcc -O3 ")[2].partition(", read")[0]


@cache
def measured() -> dict[str, float | str]:
    """The measured rate of a kernel with little in flight, and who measured it."""
    return tomllib.loads(_text("memory.toml"))


def memory() -> Supply:
    """The memory of the session's GPU; its latency is what that rate implies by Little's law."""
    gpu, rates = devices.gpu(GPU), measured()
    sms, bandwidth = gpu.device.sm_count, gpu.bandwidth_gb_s
    assert sms and bandwidth
    flying = float(rates["blocks"]) * float(rates["threads"]) * float(rates["bytes"]) * sms
    return Supply(bandwidth, round(flying / float(rates["gb_per_s"]), 1), sms)


def needed() -> float:
    """Loads that must be in flight on each SM: their share of the accesses that Little's law asks for, at least."""
    return memory().accesses * LOADS / (LOADS + STORES)


def report(name: str) -> KernelReport:
    """The one kernel of a build's log."""
    [kernel] = read(log(name))
    return kernel


@cache
def bound(name: str) -> KernelReport:
    """The kernel with eight columns under one way of bounding its registers (chapter 10)."""
    [kernel] = read(_text(f"bounds/{name}.log"))
    return kernel


def bound_answer(name: str, threads: int = 128) -> Occupancy:
    """What is resident of it on the session's GPU."""
    resident: Occupancy = devices.gpu(GPU).device.occupancy(bound(name).launch(threads=threads))
    return resident


def answer(name: str, threads: int) -> Occupancy:
    """What is resident of a build on the session's GPU."""
    resident: Occupancy = devices.gpu(GPU).device.occupancy(report(name).launch(threads=threads))
    return resident


def in_flight(builds: Mapping[str, tuple[int, float]], needed: float, slots: int) -> Chart:
    """Loads in flight against resident warps, a line for each number of loads that a warp keeps in flight.

    `builds`: each build's resident warps and loads in flight per warp; `needed`: the loads Little's law asks for.
    """
    loads = sorted({each for _, each in builds.values()})
    high = max(max(w * each for w, each in builds.values()), needed) * 1.2
    places: dict[tuple[int, float], list[str]] = {}
    for name, place in builds.items():
        places.setdefault(place, []).append(name)
    # Builds that do the same stand on one spot, and so do their names.
    points = [
        {"name": f"{', '.join(names)}: {each:g} each", "warps": w, "flying": w * each, "short": w * each < 1.1 * needed}
        for (w, each), names in places.items()
    ]
    x = {"field": "warps", "type": "quantitative", "scale": {"domain": [0, slots], "nice": False}}
    y = {"field": "flying", "type": "quantitative", "scale": {"domain": [0, high], "nice": False}}
    axes = {
        "x": {**x, "axis": {"title": "resident warps", "grid": False, "values": list(range(0, slots + 1, 8))}},
        "y": {**y, "axis": {"title": "loads in flight, each SM", "tickCount": 5}},
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
                # What falls short, or nearly, is named below its dot, clear of the line.
                "mark": {"type": "text", "align": "right", "dx": -8, "dy": {"expr": "datum.short ? 15 : -13"}, **ink},
                "encoding": {**axes, "text": {"field": "name"}},
            },
        ],
    }
    sentence = "; ".join(f"{p['name']}, {p['warps']} warps, {p['flying']:g} in flight" for p in points)
    return Chart(
        spec,
        {
            "lines": [{"loads": n, "warps": w, "flying": n * w} for n in loads for w in (0, min(slots, high / n))],
            "needed": [{"flying": needed, "label": f"needed: {needed:.0f}"}],
            "points": points,
        },
        f"Loads in flight on each SM against resident warps; {needed:.0f} are needed. {sentence}.",
    )
