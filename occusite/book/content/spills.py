"""Real compilations of three kernels under every register cap: what they spill, and what they occupy (chapter 9)."""

from __future__ import annotations

import csv
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from occusite import devices, nvidia
from occusite.book.parts.charts import SLOT_SCALE, Chart, span
from occusite.book.parts.html import Table, limiters, percent
from occusite.model.answer import Occupancy

KERNELS = {"sgemm8x8": "SGEMM, 8 × 8 results per thread", "nbody": "n-body", "stencil": "stencil"}
ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


class Build(NamedTuple):
    """One compilation: the register `cap` asked for (0: none), and what the compiler reports, in registers and bytes.

    `stack` is space: local memory of one thread. `spill_stores` and `spill_loads` are code: the bytes that the spill
    instructions move, each counted once, however often a loop runs it. Traffic is neither; see `Inside`.
    """

    architecture: str
    kernel: str
    threads: int
    cap: int
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int

    def occupancy(self) -> Occupancy:
        """The exact residency of this build."""
        return device(self.architecture).occupancy(
            nvidia.Launch(self.threads, self.registers, static_shared=self.shared)
        )


class Inside(NamedTuple):
    """Of one build's spill bytes those whose instructions stand in a loop, read from the machine code."""

    loop_stores: int
    loop_loads: int


# The SGEMM's loop takes so many columns of A, and rows of B, in one trip: BK in its source.
STRIDE = 8


@cache
def device(architecture: str) -> nvidia.Device:
    """The device an architecture's name stands for."""
    target = devices.find(architecture)
    assert isinstance(target, nvidia.Device)
    return target


@cache
def _table() -> tuple[str, dict[tuple[str, str], dict[int, Build]]]:
    text = (get_data("occusite", "data/spills.csv") or b"").decode()
    made, _, rest = text.partition("\n")
    by_cap: dict[tuple[str, str], dict[int, Build]] = {}
    for row in csv.DictReader(rest.splitlines()):
        numbers = {k: int(v) for k, v in row.items() if k not in ("architecture", "kernel")}
        build = Build(row["architecture"], row["kernel"], **numbers)
        by_cap.setdefault((build.architecture, build.kernel), {})[build.cap] = build
    return made, by_cap


def compiler() -> str:
    """The compiler that made the figures, in its own words."""
    return _table()[0].partition("nvcc -O3: ")[2].partition(";")[0]


def builds(kernel: str = "sgemm8x8", architecture: str = "sm_86") -> dict[int, Build]:
    """All builds of one kernel for one architecture, by cap; 0 is no cap."""
    return _table()[1][architecture, kernel]


def build(cap: int = 0, kernel: str = "sgemm8x8", architecture: str = "sm_86") -> Build:
    """The build at `cap`, or at the nearest cap above it that was compiled."""
    made = builds(kernel, architecture)
    return made[cap] if cap in made else made[min(c for c in made if c >= cap)]


@cache
def _loops() -> dict[tuple[str, str, int], Inside]:
    text = (get_data("occusite", "data/spills_in_loops.csv") or b"").decode()
    return {
        (row["architecture"], row["kernel"], int(row["cap"])): Inside(int(row["loop_stores"]), int(row["loop_loads"]))
        for row in csv.DictReader(text.partition("\n")[2].splitlines())
    }


def inside(cap: int, kernel: str = "sgemm8x8", architecture: str = "sm_86") -> Inside:
    """What a build spills in a loop; without a cap these kernels spill nothing."""
    return _loops()[architecture, kernel, cap] if cap else Inside(0, 0)


def traffic(cap: int, k: int, kernel: str = "sgemm8x8", architecture: str = "sm_86") -> int:
    """Bytes that one thread of the SGEMM stores as spills in its loop over `k`: those of one trip × trips."""
    return inside(cap, kernel, architecture).loop_stores * (k // STRIDE)


def table(*caps: int, kernel: str = "sgemm8x8", architecture: str = "sm_86") -> Table:
    """Some builds, one a row."""
    rows = []
    for cap in caps:
        b = build(cap, kernel, architecture)
        answer = b.occupancy()
        rows.append(
            (
                cap or "none",
                b.registers,
                answer.blocks,
                percent(answer.percent),
                limiters(answer),
                b.stack,
                b.spill_stores,
                inside(cap, kernel, architecture).loop_stores,
            )
        )
    columns = (
        "cap",
        "registers",
        "blocks",
        "occupancy",
        "what binds",
        "stack (bytes)",
        "spill stores (bytes)",
        "of them in the loop",
    )
    return Table(columns, rows, f"{KERNELS[kernel]}, {architecture}, compiled under a register cap")


X = {"type": "quantitative", "scale": {"domain": [24, 256], "nice": False}}
AXIS = {
    "title": "register cap",
    "grid": False,
    "values": [24, 32, 48, 64, 80, 96, 128, 160, 192, 224, 255],
    "labelOverlap": True,
}
HERE = {
    "data": {"name": "here"},
    "mark": {"type": "rule", "strokeWidth": 1, "color": "var(--occ-ink)"},
    "encoding": {"x": {**X, "field": "x"}},
}


@cache
def _steps(kernel: str, architecture: str) -> tuple[dict[str, Any], ...]:
    """Stretches of caps, `x` up to but not with `x2`, with the same resident warps and the same budget that binds."""
    made = [b for b in builds(kernel, architecture).values() if b.cap]
    steps: list[dict[str, Any]] = []
    for here, after in zip(made, [*made[1:], None], strict=True):
        answer = here.occupancy()
        end = after.cap if after else 256
        if steps and (steps[-1]["warps"], steps[-1]["slot"]) == (answer.warps, answer.limiting[0].slot):
            steps[-1]["x2"] = end
        else:
            steps.append({"x": here.cap, "x2": end, "warps": answer.warps, "slot": answer.limiting[0].slot})
    return tuple(steps)


def stairs(kernel: str, architecture: str, cap: int) -> Chart:
    """Resident warps against the register cap, coloured by what binds; `cap` is marked."""
    steps = list(_steps(kernel, architecture))
    slots = device(architecture).warps_per_sm
    encoding = {
        "x": {**X, "field": "x", "axis": {**AXIS, "title": None}},
        "x2": {"field": "x2"},
        "y": {
            "field": "warps",
            "type": "quantitative",
            "scale": {"domain": [0, slots]},
            "axis": {"title": "resident warps", "values": list(range(0, slots + 1, 16))},
        },
        "color": {"field": "slot", "type": "nominal", "scale": SLOT_SCALE, "legend": None},
    }
    rect = {"mark": {"type": "rect", "opacity": 0.13}, "encoding": {**encoding, "y2": {"datum": 0}}}
    rule = {"mark": {"type": "rule", "strokeWidth": 3}, "encoding": encoding}
    spec = {"height": 190, "layer": [{"data": {"name": "steps"}, **layer} for layer in (rect, rule)] + [HERE]}
    ranges = "; ".join(f"{span(s['x'], s['x2'] - 1)}: {s['warps']} warps" for s in steps)
    return Chart(
        spec,
        {"steps": steps, "here": [{"x": cap}]},
        f"Resident warps against the register cap, {KERNELS[kernel]} on {architecture}. {ranges}.",
    )


def spilled(kernel: str, architecture: str, cap: int) -> Chart:
    """Bytes of the spill instructions, stores and loads together, against the register cap; `cap` is marked."""
    made = [b for b in builds(kernel, architecture).values() if b.cap]
    spec = {
        "height": 190,
        "layer": [
            {
                "data": {"name": "spills"},
                "mark": {
                    "type": "area",
                    "line": {"color": "var(--occ-barriers)"},
                    "color": "var(--occ-barriers)",
                    "fillOpacity": 0.18,
                    "interpolate": "step-after",
                },
                "encoding": {
                    "x": {**X, "field": "cap", "axis": AXIS},
                    "y": {
                        "field": "bytes",
                        "type": "quantitative",
                        "axis": {"title": "bytes of spill code", "tickCount": 4, "format": "d"},
                    },
                },
            },
            HERE,
        ],
    }
    rows = [{"cap": b.cap, "bytes": b.spill_stores + b.spill_loads} for b in made]
    low, last = rows[0], max((r["cap"] for r in rows if r["bytes"]), default=0)
    return Chart(
        spec,
        {"spills": rows, "here": [{"x": cap}]},
        f"Bytes of the spill instructions against the register cap, {KERNELS[kernel]} on {architecture}: {low['bytes']} at a cap of "
        f"{low['cap']}, none beyond {last}.",
    )
