"""Widgets: each control, by keyboard and by pointer, and the view equals the Python package's for the same values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from .book import Book, Widget


@pytest.mark.walk("widgets")
@pytest.mark.one_engine
def test_every_widget_is_built_as_the_package_says(reader: Book, page: str) -> None:
    widgets = reader.turn(page).widgets()
    assert widgets, "no widget to compare"
    for widget in widgets:
        assert not widget.as_sent().differences()


@pytest.mark.walk("controls")
@pytest.mark.few
def test_every_control_answers_to_keyboard_and_pointer(reader: Book, page: str) -> None:
    widgets = reader.turn(page).widgets()
    assert widgets, "no widget to use"
    for widget in widgets:
        controls = widget.controls()
        assert controls, f"{widget.name} has no controls"
        for control in controls:
            for how in moves(widget, control):
                try:
                    widget.settle()
                except AssertionError as error:
                    raise AssertionError(f"{widget.name}, {control['name']}, {how}: {error}") from None


@pytest.mark.one_engine
def test_nothing_jumps_up_while_a_slider_moves(reader: Book) -> None:
    """What a widget's boxes once took stays theirs until another control, or another width, asks for a new look."""
    widget = reader.load("08-silicon/").widgets()[0]
    boxes = "[...form.querySelectorAll('.occ-status, .occ-view [data-part]')]"
    frames = "await new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));"
    controls = "form.querySelector('.occ-controls').offsetHeight"
    before, heights = widget.js(f"return {controls}"), []
    threads, shared = (f"{widget.css} [name={name}]" for name in ("threads", "shared"))
    for slider, keys in ((threads, ("End", "Home", "ArrowRight", "End")), (shared, ("End", "Home"))):
        reader.tab.focus(slider)
        for key in keys:
            reader.tab.press(key)
            widget.settle()
            heights.append(widget.js(f"{frames} return {boxes}.map((b) => b.getBoundingClientRect().height)"))
    assert heights[0] != heights[-1], "no view is higher than the first: this shows nothing"
    for earlier, later in pairwise(heights):
        assert all(a <= b + 0.01 for a, b in zip(earlier, later, strict=True)), f"{earlier} became {later}"
    assert widget.js(f"return {controls}") == before
    reader.tab.resize(700, 900)
    reader.tab.wait(
        f"(() => {{ const form = document.querySelector(args[0]); return {boxes}.some((b) => !b.style.minHeight) }})()",
        widget.css,
    )
    reader.tab.resize(1280, 900)
    reader.tab.focus(f"{widget.css} select")
    reader.tab.choose(f"{widget.css} select", 1)
    widget.settle()
    assert not widget.js(f"return {boxes}.some((b) => b.style.minHeight)")


def moves(widget: Widget, control: dict[str, Any]) -> Iterator[str]:
    """Change a control by keyboard, then by pointer; each yield is one change, named. It must have changed its value."""
    tab, css, kind = widget.tab, control["css"], control["type"]

    def value() -> Any:
        return tab.js(
            "const [css] = args; const all = [...document.querySelectorAll(css)];"
            "const c = all.find((c) => c.checked) ?? all[0]; return c.type === 'checkbox' ? c.checked : c.value",
            css,
        )

    def changed(how: str, before: Any) -> str:
        assert value() != before, f"{widget.name}: {how} left {control['name']} at {before}"
        return how

    if kind == "range":
        low, high, step = (
            int(n) for n in tab.js("const c = document.querySelector(args[0]); return [c.min, c.max, c.step]", css)
        )
        high -= (high - low) % step
        tab.focus(css)
        for key, to in (("End", high), ("ArrowLeft", high - step), ("Home", low), ("ArrowRight", low + step)):
            tab.press(key)
            assert int(value()) == to, f"{widget.name}: {key} left {control['name']} at {value()}, not {to}"
            yield key
        for start, end in ((0.9, 0.9), (0.9, 0.1)):
            before = value()
            tab.drag(css, start, end) if start != end else tab.click(css, start)
            yield changed(f"pointer {start}–{end}", before)
    elif kind == "number":
        low = tab.js("return document.querySelector(args[0]).min", css)
        tab.focus(css)
        before = value()
        tab.press("ArrowUp")
        yield changed("ArrowUp", before)
        tab.click(css, 0.3)
        tab.press("Control+a")
        before = value()
        tab.type(str(int(low or 0) + 37))
        yield changed("click and type", before)
        tab.press("Backspace", times=6)
        yield "emptied"
        tab.type(before)
        yield "typed back"
    elif kind == "radio":
        tab.focus(f"{css}:checked")
        before = value()
        tab.press(
            "ArrowRight"
            if tab.js("const a = [...document.querySelectorAll(args[0])]; return !a.at(-1).checked", css)
            else "ArrowLeft"
        )
        yield changed("arrow", before)
        before = value()
        tab.click(f"label:has(> {css.split()[-1].replace('[', 'input[', 1)}:not(:checked))")
        yield changed("click", before)
    elif kind == "checkbox":
        tab.focus(css)
        before = value()
        tab.press("Space")
        yield changed("Space", before)
        before = value()
        tab.click(css)
        yield changed("click", before)
    elif kind == "select":
        # A list's own popup belongs to the browser, not to the page.
        tab.focus(css)
        for to in tab.js("const c = document.querySelector(args[0]); return c.selectedIndex ? [-1, 1] : [1, -1]", css):
            before = value()
            tab.choose(css, to)
            yield changed("an arrow key", before)
    elif kind == "textarea":
        tab.focus(css)
        before = value()
        tab.type("x ")
        yield changed("typing", before)
        tab.click(css)
        tab.press("Control+a")
        tab.press("Delete")
        yield changed("emptied", "x ")
        tab.js(
            "const c = document.querySelector(args[0]); c.value = args[1]; c.dispatchEvent(new InputEvent('input', { bubbles: true }))",
            css,
            before,
        )
        yield "pasted back"
    else:
        raise AssertionError(f"{widget.name}: no test knows how to use a {kind}")
