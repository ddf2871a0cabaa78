"""Charts as Vega-Lite specs: one spec makes the static picture at build and the live chart in the browser."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from occusite import paper
from occusite.model.answer import Occupancy, budgets_of
from occusite.model.terms import SLOTS
from occusite.questions import staircase

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDE, NARROW = 640, 320
# Pixels around the plot, for the axes; a chart's `height` is that of the whole picture.
MARGINS = {"left": 62, "right": 14, "top": 24, "bottom": 44}

Rows = list[dict[str, Any]]

# Colours are the page's own variables, so a chart follows the light and dark schemes by style sheet alone.
SLOT_SCALE = {
    "domain": [*SLOTS, "refused"],
    "range": [f"var(--occ-{slot})" for slot in (*SLOTS, "refused")],
}
CONFIG: dict[str, Any] = {
    "background": None,
    # The whole picture has one text alternative; words for each mark would only slow it down.
    "aria": False,
    "font": "Inter Variable, Inter, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--occ-ink-soft)",
        "titleColor": "var(--occ-ink)",
        "domainColor": "var(--occ-line)",
        "tickColor": "var(--occ-line)",
        "gridColor": "var(--occ-grid)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "titlePadding": 10,
        "labelFlush": False,
    },
    # A vertical axis' title keeps its place when the labels grow.
    "axisY": {"minExtent": 34, "maxExtent": 34},
    "text": {"color": "var(--occ-ink)", "fontSize": 12},
    "legend": {"labelColor": "var(--occ-ink)", "titleColor": "var(--occ-ink)", "labelFontSize": 12},
}


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite `spec` without its data or width, the `datasets` it names, and `alt`: what the picture shows."""

    spec: Mapping[str, Any]
    datasets: Mapping[str, Rows]
    alt: str

    @classmethod
    def from_json(cls, text: str, alt: str) -> Chart:
        """The chart whose whole spec is `text`, as `json()` gave it or as any Vega-Lite program writes it."""
        spec = json.loads(text)
        datasets = spec.pop("datasets", {})
        return cls({k: v for k, v in spec.items() if k != "width"}, datasets, alt)

    def full(self, width: int = WIDE) -> dict[str, Any]:
        """The whole spec at `width` CSS pixels, ready for Vega-Lite."""
        if "$schema" in self.spec:  # whole already: a reader's own, or one that was JSON for a while
            margins = self.spec.get("padding")
            sides = margins["left"] + margins["right"] if isinstance(margins, Mapping) else 0
            return {
                "autosize": {"type": "fit", "contains": "padding"},
                **self.spec,
                "width": width - sides,
                "datasets": dict(self.datasets),
            }
        return {
            "$schema": SCHEMA,
            # Fixed margins: the picture never moves when its labels grow, and one drawing of it is like the next.
            "autosize": {"type": "none"},
            "padding": MARGINS,
            "config": CONFIG,
            **self.spec,
            "width": width - MARGINS["left"] - MARGINS["right"],
            "height": self.spec["height"] - MARGINS["top"] - MARGINS["bottom"],
            "datasets": dict(self.datasets),
        }

    def json(self) -> str:
        """The whole spec as JSON that may stand inside a template element."""
        text = json.dumps(self.full(), ensure_ascii=False, separators=(",", ":"))
        return text.replace("<", "\\u003c").replace("&", "\\u0026")

    def figure(self, static: str, part: str = "", caption: str = "") -> str:
        """The figure element: `static` pictures, their text alternative, the spec for the live chart."""
        name = f' data-part="{escape(part)}"' if part else ""
        below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
        return (
            f'<figure class="occ-figure" data-kind="chart"{name}>'
            f'<div class="occ-chart" role="img" aria-label="{escape(self.alt)}">{static}</div>'
            f'<template class="occ-spec">{self.json()}</template>{below}</figure>'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """What a Jupyter notebook shows."""
        from occusite.book.parts import jupyter

        return jupyter.bundle(self)


def staircase_rows(answer: Occupancy, name: str = "registers") -> Rows:
    """One row a stretch: its first and last value (the last widened by one for drawing), warps, slot, its words."""
    device = answer.device
    unit, warps = staircase.field_of(answer.launch, name).unit, f"{device.terms.warp}s"
    rows: Rows = []
    for part in staircase.stretches(answer, name):
        limiting = budgets_of(device, part.limiters)
        says = " + ".join(b.name for b in limiting) if part.warps else "cannot launch"
        rows.append(
            {
                "x": part.first,
                "x2": part.last + 1,
                "warps": part.warps,
                "slot": limiting[0].slot if part.warps else "refused",
                "tip": f"{span(part.first, part.last)} {unit}: {part.warps} {warps} · {says}",
            }
        )
    return rows


def span(first: int, last: int) -> str:
    """A range of whole numbers, or the one number."""
    return f"{first}–{last}" if last > first else str(first)


def cliffs(
    answer: Occupancy,
    *,
    registers: int | None = None,
    needed: int | None = None,
    register_budget: Sequence[tuple[int, float]] = (),
    height: int = 260,
) -> Chart:
    """Resident warps against registers per thread: the staircase of the answer's launch, coloured by its limiter.

    `needed` draws a level to reach; `register_budget` adds the dashed curve of the register budget alone, before it is
    rounded to blocks, as (registers, warps) points; `registers` marks the reader's own value.
    """
    stairs = staircase_rows(answer)
    slots = answer.slots
    here = [{"x": registers + 0.5, "warps": _at(stairs, registers)}] if registers is not None else []
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [1, 256], "nice": False},
        "axis": {"title": "registers per thread", "values": [1, 32, 64, 96, 128, 160, 192, 224, 255], "grid": False},
    }
    y = {
        "field": "warps",
        "type": "quantitative",
        "scale": {"domain": [0, slots * 1.25]},
        "axis": {"title": "resident warps", "values": list(range(0, slots + 1, 8))},
    }
    colour = {"field": "slot", "type": "nominal", "scale": SLOT_SCALE, "legend": None}
    spec = {
        "height": height,
        "layer": [
            {
                "data": {"name": "budget_alone"},
                "mark": {
                    "type": "line",
                    "strokeDash": [4, 4],
                    "strokeWidth": 1.5,
                    "clip": True,
                    "color": "var(--occ-registers)",
                },
                "encoding": {"x": x, "y": y},
            },
            {
                "data": {"name": "stairs"},
                "mark": {"type": "rect", "opacity": 0.13, "clip": True},
                "encoding": {
                    "x": x,
                    "x2": {"field": "x2"},
                    "y": y,
                    "y2": {"datum": 0},
                    "color": colour,
                    "tooltip": {"field": "tip"},
                },
            },
            {
                "data": {"name": "stairs"},
                "mark": {"type": "rule", "strokeWidth": 3, "clip": True},
                "encoding": {"x": x, "x2": {"field": "x2"}, "y": y, "color": colour, "tooltip": {"field": "tip"}},
            },
            {
                "data": {"name": "needed"},
                "mark": {"type": "rule", "strokeWidth": 1.5, "strokeDash": [2, 3], "color": "var(--occ-ink)"},
                "encoding": {"y": y},
            },
            {
                "data": {"name": "needed"},
                "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -4, "fontWeight": 600},
                "encoding": {"x": {"datum": 255, "type": "quantitative"}, "y": y, "text": {"field": "label"}},
            },
            {
                "data": {"name": "here"},
                "mark": {"type": "rule", "strokeWidth": 1, "color": "var(--occ-ink)"},
                "encoding": {"x": {"field": "x", "type": "quantitative"}},
            },
            {
                "data": {"name": "here"},
                "mark": {"type": "point", "filled": True, "size": 90, "color": "var(--occ-ink)", "opacity": 1},
                "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": y},
            },
        ],
    }
    steps = "; ".join(row["tip"] for row in stairs)
    return Chart(
        spec,
        {
            "budget_alone": [{"x": r, "warps": w} for r, w in register_budget],
            "stairs": stairs,
            "here": here,
            "needed": [{"warps": needed, "label": f"needed: {needed} warps"}]
            if needed and needed <= slots * 1.2
            else [],
        },
        f"A staircase of resident warps against registers per thread. {steps}.",
    )


def _at(stairs: Rows, value: int) -> int:
    return next((row["warps"] for row in stairs if row["x"] <= value < row["x2"]), 0)


def paper_cliffs(threads: int = 256, shared_kib: int = 12) -> Chart:
    """The paper SM's staircase, with the register budget alone dashed."""
    answer = paper.SM().occupancy(paper.Launch(threads, 32, shared_kib * paper.KIB))
    return cliffs(answer, register_budget=register_budget())


def register_budget() -> list[tuple[int, float]]:
    """Warps for which the paper SM's register file has registers, if warps could come in parts: a smooth curve that the
    stairs stay under, and touch at each edge where a block's registers divide the file."""
    registers = paper.SM().registers
    return [(r, round(registers / (paper.WARP * r), 3)) for r in range(16, 257)]


def roofline(rows: Rows, needed: int) -> Chart:
    """Throughput (`value`, GB/s per SM) against resident warps: a slope, then a roof; `needed` marks the knee, where
    `rows` reach that far."""
    most = rows[-1]["warps"]
    label = f"{needed} warp{'s' if needed != 1 else ''}"
    marks = [{"warps": needed, "at": 0, "label": label, "right": needed > most * 0.7}] if needed <= most else []
    spec = {
        "height": 220,
        "layer": [
            {
                "data": {"name": "throughput"},
                "mark": {"type": "line", "strokeWidth": 2.5, "color": "var(--occ-accent)"},
                "encoding": {
                    "x": {
                        "field": "warps",
                        "type": "quantitative",
                        "scale": {"nice": False},
                        "axis": {"title": "resident warps", "grid": False, "format": "d"},
                    },
                    "y": {"field": "value", "type": "quantitative", "axis": {"title": "GB/s per SM", "tickCount": 5}},
                },
            },
            {
                "data": {"name": "marks"},
                "mark": {"type": "rule", "strokeWidth": 1.5, "strokeDash": [4, 4], "color": "var(--occ-ink-soft)"},
                "encoding": {"x": {"field": "warps", "type": "quantitative"}},
            },
            {
                "data": {"name": "marks"},
                "mark": {
                    "type": "text",
                    "align": {"expr": "datum.right ? 'right' : 'left'"},
                    "dx": {"expr": "datum.right ? -6 : 6"},
                    "dy": -6,
                    "baseline": "bottom",
                },
                "encoding": {
                    "x": {"field": "warps", "type": "quantitative"},
                    "y": {"field": "at", "type": "quantitative"},
                    "text": {"field": "label"},
                },
            },
        ],
    }
    return Chart(
        spec,
        {"throughput": rows, "marks": marks},
        f"Throughput rises with resident warps up to {needed}, then stays flat."
        if needed <= most
        else f"Throughput rises with resident warps to the last, {most}.",
    )
