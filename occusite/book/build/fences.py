"""The Markdown fences and inline values of the book, as pymdown-extensions formatters (named in mkdocs.yml)."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any

import yaml
from latex2mathml.converter import convert as latex_to_mathml
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from pymdownx.inlinehilite import InlineHiliteException
from pymdownx.superfences import SuperFencesException

from occusite.book import exercises, widgets
from occusite.book.build import commands, first_files, spoken_math
from occusite.book.build.progress import overview
from occusite.book.build.static_chart import static
from occusite.book.content import bibliography, disagreements, glossary, pages, tables, values
from occusite.book.parts import cells, charts, exercise, first_answers, html, widget

Formatter = Callable[..., str]


@dataclass
class Page:
    """What one page has built so far: its cells' namespace and its counters."""

    names: cells.Namespace = field(default_factory=cells.namespace)
    cells: int = 0
    widgets: int = 0
    exercises: int = 0


def page(md: Any) -> Page:
    """The state of the page being rendered (MkDocs makes one Markdown instance a page)."""
    if not hasattr(md, "occusite_page"):
        md.occusite_page = Page()
    state = md.occusite_page
    assert isinstance(state, Page)
    return state


def _strict(formatter: Formatter) -> Formatter:
    """Any error in a fence fails the build: SuperFences would otherwise show the source as plain code."""

    @functools.wraps(formatter)
    def wrapped(source: str, language: str, css_class: str, options: dict[str, Any], md: Any, **rest: Any) -> str:
        try:
            return formatter(source, options, md)
        except Exception as error:
            raise SuperFencesException(f"```{language}\n{source}\n```\n{type(error).__name__}: {error}") from error

    return wrapped


def options(language: str, inputs: dict[str, str], options: dict[str, Any], attrs: dict[str, str], md: Any) -> bool:
    """Takes every `key="value"` of a fence's first line as an option."""
    options.update(inputs)
    return True


@_strict
def cell(source: str, options: dict[str, Any], md: Any) -> str:
    """Runs the cell and shows it with its output; an error it did not announce fails the build."""
    state = page(md)
    state.cells += 1
    outputs, error = cells.run(source, state.names, f"cell {state.cells}")
    expected = options.get("expect", "")
    if (type(error).__name__ if error else "") != expected:
        raised = "\n".join(o["data"] for o in outputs if o["kind"] == "error") or "it raised nothing"
        raise ValueError(f"expect: the cell was to raise {expected or 'nothing'}, but:\n{raised}")
    hidden = " hidden" if options.get("hidden") == "true" else ""
    return (
        f'<section class="occ-cell" data-cell="{state.cells}" data-expect="{escape(expected)}"'
        f'{hidden} aria-label="Python cell {state.cells}">'
        f'<div class="occ-cell-source highlight"><pre tabindex="0"><code>{_python(source)}</code></pre></div>'
        f'<template class="occ-cell-code">{_json(source)}</template>'
        '<div class="occ-cell-toolbar"></div>'
        f'<div class="occ-output" data-output>{"".join(output(o) for o in outputs)}</div></section>'
    )


def output(item: cells.Output) -> str:
    """One output of a cell as HTML; the browser's cells.js makes the same from the same data."""
    kind, data = item["kind"], item["data"]
    if kind == "chart":
        chart = charts.Chart.from_json(data, item.get("alt", ""))
        return chart.figure(static(chart))
    if kind in ("html", "svg"):
        return f'<div class="occ-out occ-out--{kind}">{data}</div>'
    return f'<pre class="occ-out occ-out--{kind}" tabindex="0">{escape(data)}</pre>'


@_strict
def widget_fence(source: str, options: dict[str, Any], md: Any) -> str:
    """Draws the widget with its first values."""
    state = page(md)
    state.widgets += 1
    name, *rest = [line.strip() for line in source.strip().splitlines()]
    initial = {k.strip(): v.strip() for k, v in (part.split("=", 1) for part in rest if part)}
    shown = widgets.load(name)
    first = first_files.keep(first_answers.table(shown, shown.parse(initial)), name)
    return widget.render(shown, name, initial, static, f"w{state.widgets}-{name.replace('_', '-')}", first)


@_strict
def table(source: str, options: dict[str, Any], md: Any) -> str:
    """Shows the table its expression makes."""
    expression, more = _fields(source)
    made = eval(expression, dict(vars(tables)))
    if not isinstance(made, html.Table):
        raise ValueError(f"table: {expression} gave {type(made).__name__}, not a Table")
    return made.html(more.get("caption", ""))


@_strict
def chart(source: str, options: dict[str, Any], md: Any) -> str:
    """Shows the chart its expression makes."""
    expression, more = _fields(source)
    made = eval(expression, dict(vars(charts)))
    if not isinstance(made, charts.Chart):
        raise ValueError(f"chart: {expression} gave {type(made).__name__}, not a Chart")
    if "alt" in more:
        made = charts.Chart(made.spec, made.datasets, more["alt"])
    return made.figure(static(made), caption=more.get("caption", ""))


@_strict
def exercise_fence(source: str, options: dict[str, Any], md: Any) -> str:
    """Shows the exercise called by its name."""
    name = source.strip()
    return exercise.render(exercises.load(name), name, exercise.anchor(name), _python)


@_strict
def predict(source: str, options: dict[str, Any], md: Any) -> str:
    """A quick prediction in a page's text: its answer and its slips are expressions over `occusite.book.content.values`."""
    state = page(md)
    state.exercises += 1
    return exercise.render(
        exercise.quick(yaml.safe_load(source), vars(values), vars(tables)), "", f"predict-{state.exercises}", _python
    )


@_strict
def progress(source: str, options: dict[str, Any], md: Any) -> str:
    """Shows all exercises, linked to the pages that hold them, and then those that no page holds.

    Addresses are for a page one level below the home page.
    """
    places = {}
    for url, text in pages.pages().items():
        for name in re.findall(r"^```exercise\n(\w+)", text, re.MULTILINE):
            places[name] = f"../{url}#{exercise.anchor(name)}"
    return overview(places, _python)


@_strict
def cli(source: str, options: dict[str, Any], md: Any) -> str:
    """Runs a command of `occusite` and shows what it prints; lines after the first are its standard input."""
    line, _, stdin = source.strip().partition("\n")
    return commands.command_html(line, stdin)


@_strict
def listing(source: str, options: dict[str, Any], md: Any) -> str:
    """Shows what its expression lists of the glossary, the sources or the disagreements; `base` is the way to the root."""
    modules = {"glossary": glossary, "bibliography": bibliography, "disagreements": disagreements}
    made = eval(source.strip(), {**modules, "base": base(md)})
    return made.html() if isinstance(made, html.Table) else html.text(made)


@_strict
def math(source: str, options: dict[str, Any], md: Any) -> str:
    """Display math."""
    made = spoken_math.mathml(latex_to_mathml(source.strip(), display="block"))
    return f'<div class="occ-math" tabindex="0">{made}</div>'


def base(md: Any) -> str:
    """The way from the page being rendered to the site's root: "../" for a chapter."""
    return "../" * str(md.treeprocessors["relpath"].file.url.removeprefix("./")).count("/")


def _fields(source: str) -> tuple[str, dict[str, str]]:
    """A fence's expression, and the `caption:` and `alt:` lines under it."""
    match = re.search(r"^(caption|alt):", source, re.MULTILINE)
    if not match:
        return source.strip(), {}
    return source[: match.start()].strip(), yaml.safe_load(source[match.start() :])


def _python(source: str) -> str:
    return str(highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")


def _inline(make: Callable[..., str]) -> Callable[..., str]:
    """An inline formatter whose errors fail the build."""

    @functools.wraps(make)
    def wrapped(source: str, language: str, css_class: str, md: Any) -> str:
        try:
            return str(md.htmlStash.store(make(source, md)))
        except Exception as error:
            raise InlineHiliteException(f"`#!{language} {source}`: {type(error).__name__}: {error}") from error

    return wrapped


@_inline
def value(source: str, md: Any) -> str:
    """An inline value: an expression over `occusite.book.content.values`."""
    return f'<span class="occ-v">{html.text(eval(source, dict(vars(values))))}</span>'


@_inline
def budget(source: str, md: Any) -> str:
    """A budget's name in its colour; an optional second word onward is the text shown."""
    name, _, label = source.partition(" ")
    return html.budget(name, label or None)


@_inline
def inline_math(source: str, md: Any) -> str:
    """Math in a line of text."""
    return spoken_math.mathml(latex_to_mathml(source))


@_inline
def cite(source: str, md: Any) -> str:
    """A citation of the source with this key."""
    return bibliography.link(source.strip(), base(md))


@_inline
def term(source: str, md: Any) -> str:
    """A word linked to the glossary: its key, and the text to show where that is not its name."""
    key, _, label = source.strip().partition(" ")
    return glossary.link(key, label, base(md))
