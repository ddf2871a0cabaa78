"""A widget: controls and a pure function from their values to a view, declared once, drawn at build and live."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table
from occusite.model import Device
from occusite.model.checks import choice, integer
from occusite.paper import KIB


@dataclass(frozen=True)
class Slider:
    """A whole number on a track; `unit` follows the value, the budget's `slot` gives the track its colour."""

    name: str
    label: str
    low: int
    high: int
    step: int
    default: int
    unit: str = ""
    slot: str = ""

    @classmethod
    def of(
        cls,
        device: Device,
        name: str,
        default: int,
        *,
        low: int | None = None,
        high: int | None = None,
        step: int = 1,
        control: str = "",
        label: str = "",
    ) -> Slider:
        """The slider of a launch's field on a device: its label, range and slot; bytes are set in KiB.

        `low`, `high` and `step` change the range (a step is the least value too), `control` and `label` rename it.
        """
        field = next(f for f in device.launch_type.FIELDS if f.name == name)
        least, most = device.range(field)
        if field.kind == "bytes":
            least, most = least // KIB, most // KIB
        least = low if low is not None else step if step > 1 else least
        most = most if high is None else high
        slot = next((b.slot for b in device.budgets if b.key == field.eases), "")
        unit = "KiB" if field.kind == "bytes" else ""
        return cls(control or name, label or field.label, least, most, step, default, unit, slot)

    def parse(self, value: object) -> int:
        if isinstance(value, str) and value.lstrip("-").isdigit():
            value = int(value)
        return integer(self.name, value, self.low, self.high, self.unit)

    def html(self, prefix: str, value: object) -> str:
        ident = f"{prefix}-{self.name}"
        tint = f" occ-control--{self.slot}" if self.slot else ""
        return (
            f'<div class="occ-control{tint}"><label for="{ident}">{escape(self.label)}</label>'
            f'<input type="range" id="{ident}" name="{self.name}" min="{self.low}" max="{self.high}" '
            f'step="{self.step}" value="{value}" autocomplete="off">'
            f'<span class="occ-value"><output for="{ident}" data-widest="{self.high}">{value}</output>'
            f"{f'&#8239;<span class=occ-unit>{escape(self.unit)}</span>' if self.unit else ''}</span></div>"
        )


@dataclass(frozen=True)
class Playable(Slider):
    """A slider that the browser can also play and step (player.js); `rate` is in values per second."""

    rate: int = 25

    def html(self, prefix: str, value: object) -> str:
        return super().html(prefix, value).replace("<input ", f'<input data-playable="{self.rate}" ', 1)


@dataclass(frozen=True)
class Number(Slider):
    """A whole number typed in, for wide ranges; same fields as a slider."""

    def html(self, prefix: str, value: object) -> str:
        ident = f"{prefix}-{self.name}"
        unit = f'<span class="occ-unit">{escape(self.unit)}</span>' if self.unit else ""
        return (
            f'<div class="occ-control occ-control--number"><label for="{ident}">{escape(self.label)}</label>'
            f'<input type="number" id="{ident}" name="{self.name}" min="{self.low}" max="{self.high}" '
            f'step="{self.step}" value="{value}" inputmode="numeric" autocomplete="off">{unit}</div>'
        )


@dataclass(frozen=True)
class Choice:
    """One of a few named options: radio buttons up to three, a list beyond. `options` maps value to label."""

    name: str
    label: str
    options: Mapping[str, str]
    default: str

    def parse(self, value: object) -> str:
        return choice(self.name, value, tuple(self.options))

    def html(self, prefix: str, value: object) -> str:
        ident = f"{prefix}-{self.name}"
        if len(self.options) > 3:
            items = "".join(
                f'<option value="{escape(v)}"{" selected" if v == value else ""}>{escape(t)}</option>'
                for v, t in self.options.items()
            )
            return (
                f'<div class="occ-control occ-control--select"><label for="{ident}">{escape(self.label)}</label>'
                f'<select id="{ident}" name="{self.name}" autocomplete="off">{items}</select></div>'
            )
        items = "".join(
            f'<label><input type="radio" name="{self.name}" value="{escape(v)}" autocomplete="off"'
            f"{' checked' if v == value else ''}><span>{escape(t)}</span></label>"
            for v, t in self.options.items()
        )
        return (
            f'<fieldset class="occ-control occ-control--radio"><legend>{escape(self.label)}</legend>{items}</fieldset>'
        )


@dataclass(frozen=True)
class Paste:
    """A box to paste text into; at most `longest` characters. What is pasted stays in the page, never in its address."""

    name: str
    label: str
    default: str
    longest: int = 2_000_000
    rows: int = 9

    def parse(self, value: object) -> str:
        text = str(value)
        if len(text) > self.longest:
            raise ValueError(f"{self.name}: {len(text):,} characters are not allowed; give at most {self.longest:,}")
        return text

    def html(self, prefix: str, value: object) -> str:
        ident = f"{prefix}-{self.name}"
        return (
            f'<div class="occ-control occ-control--paste"><label for="{ident}">{escape(self.label)}</label>'
            f'<textarea id="{ident}" name="{self.name}" rows="{self.rows}" spellcheck="false" autocomplete="off" '
            f'autocapitalize="off" wrap="off">{escape(str(value))}</textarea></div>'
        )


Control = Slider | Choice | Paste


@dataclass(frozen=True)
class View:
    """What a widget shows: one sentence in words, then named parts (HTML, tables, charts), in their order."""

    status: str
    parts: Mapping[str, str | Table | Chart] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """The view as JSON data for the browser."""
        parts: dict[str, dict[str, Any]] = {}
        for name, part in self.parts.items():
            if isinstance(part, Chart):
                parts[name] = {"kind": "chart", "spec": part.full(), "alt": part.alt}
            else:
                parts[name] = {"kind": "html", "data": part.html() if isinstance(part, Table) else part}
        return {"status": self.status, "parts": parts}


@dataclass(frozen=True)
class Widget:
    """One widget: `title` names it for screen readers, `view` takes the controls' values by name.

    `presets` gives named sets of values a reader can choose from (asked for at build only).
    """

    title: str
    controls: Sequence[Control]
    view: Callable[..., View]
    presets: Callable[[], Mapping[str, Mapping[str, object]]] = dict

    def parse(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Checked values for `view`; what is not given takes its default. Raises `ValueError` for an unknown control
        or a value outside its range."""
        known = {c.name: c for c in self.controls}
        for name in values:
            choice("control", name, tuple(known))
        return {name: c.parse(values.get(name, c.default)) for name, c in known.items()}


def render(
    widget: Widget,
    name: str,
    initial: Mapping[str, object],
    static: Callable[[Chart], str],
    ident: str,
    first: str = "",
) -> str:
    """The widget's first view as HTML. `static` draws a chart; `ident` makes the controls' ids unique on the page; `first`
    is the file of its first answers (first_answers.py)."""
    values = widget.parse(initial)
    view = widget.view(**values)
    controls = "".join(c.html(ident, values[c.name]) for c in widget.controls)
    parts = []
    for part_name, part in view.parts.items():
        if isinstance(part, Chart):
            parts.append(part.figure(static(part), part_name))
        else:
            parts.append(f'<div data-part="{part_name}">{part.html() if isinstance(part, Table) else part}</div>')
    named = f'data-first="{first}" ' if first else ""
    return (
        f'<form class="occ-widget occ-widget--{name}" data-widget="{name}" id="{ident}" '
        f'{named}aria-label="{escape(widget.title)}">{_presets(widget, ident)}'
        f'<div class="occ-controls">{controls}</div>'
        f'<p class="occ-status" role="status" aria-live="polite">{view.status}</p>'
        f'<div class="occ-view">{"".join(parts)}</div></form>'
    )


def _presets(widget: Widget, ident: str) -> str:
    presets = widget.presets()
    if not presets:
        return ""
    options = "".join(f"<option>{escape(name)}</option>" for name in presets)
    data = json.dumps(presets, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")
    return (
        f'<div class="occ-control occ-control--select occ-presets"><label for="{ident}-preset">Preset</label>'
        f'<select id="{ident}-preset" data-presets autocomplete="off"><option value="">Your own</option>{options}</select>'
        f"<template>{data}</template></div>"
    )
