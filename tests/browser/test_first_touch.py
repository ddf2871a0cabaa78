"""The first touch: while Python is still on its way, every control answers, with the package's own answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .book import Book
from .server import Server

# What is asked of a widget: move one control, look for the answer in the next frames.
TOUCH = """
const form = document.querySelector(args[0]);
const status = form.querySelector(".occ-status");
const control = [...document.querySelectorAll(args[1])].find((c) => !c.checked);
const before = status.innerHTML;
if (control.type === "radio") control.checked = true;
else if (control.localName === "select") control.selectedIndex = control.selectedIndex ? 0 : 1;
else if (control.type === "checkbox") control.checked = !control.checked;
else control[args[2]]();
control.dispatchEvent(new Event("input", { bubbles: true }));
await new Promise(requestAnimationFrame);
await new Promise(requestAnimationFrame);
const notice = form.querySelector(".occ-notice").textContent;
return { python: document.documentElement.dataset.python, notice, told: status.innerHTML, moved: status.innerHTML !== before };
"""
# Back to what the page came with.
BACK = """
document.querySelector(args[0]).reset();
for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
"""
TABLES_ARE_HERE = """
(() => {
  const here = performance.getEntriesByType("resource").filter((e) => e.name.includes("/assets/first/") && e.responseEnd);
  const named = [...document.querySelectorAll("form[data-first]")].map((form) => form.dataset.first);
  return named.length && named.every((name) => here.some((e) => e.name.endsWith(name)));
})()
"""


@pytest.mark.walk("widgets")
def test_every_control_answers_before_python_is_there(first: Callable[..., Book], server: Server, page: str) -> None:
    server.fault("asm.wasm.xz$|asm.wasm$", rate=20_000)
    book = first().load(page)
    book.tab.wait(TABLES_ARE_HERE)
    moved = 0
    for widget in book.widgets():
        for control in widget.controls():
            if control["type"] == "textarea":
                continue
            for move in ("stepUp", "stepDown") if control["type"] in ("range", "number") else ("",):
                book.tab.js(BACK, widget.css)
                seen = book.tab.js(TOUCH, widget.css, control["css"], move)
                where = f"{widget.name}, {control['name']} {move}"
                assert seen["python"] != "ready", "Python was there: this shows nothing"
                assert seen["notice"] == "", f"{where}: {seen['notice']}"
                view = widget.expected()
                told = "args[0].error ?? html(args[0].status)"
                assert seen["told"] == widget.js(f"return {told}", view), where
                moved += seen["moved"]
    assert moved, "no answer differs from the first: this shows nothing"


@pytest.mark.one_engine
def test_what_is_not_known_waits_beside_the_old_answer(first: Callable[..., Book], server: Server) -> None:
    mend = server.fault("asm.wasm", rate=20_000)
    book = first().load("03-shape-a-block/")
    widget = book.widgets()[0]
    book.tab.wait(TABLES_ARE_HERE)
    for name in ("threads", "registers"):
        book.tab.js(TOUCH, widget.css, f"{widget.css} [name={name}]", "stepUp")
    told = book.tab.js(
        "const form = document.querySelector(args[0]); const of = (css) => form.querySelector(css);"
        "return [form.dataset.state, of('.occ-status').innerText, of('.occ-notice').innerText,"
        " getComputedStyle(of('.occ-status')).opacity];",
        widget.css,
    )
    assert told[0] == "loading" and "limiter" in told[1] and "Python" in told[2] and float(told[3]) < 1
    # Back where an answer is known, it comes at once; what Python says to the older question does not replace it.
    book.tab.js(TOUCH, widget.css, f"{widget.css} [name=registers]", "stepDown")
    assert book.tab.js("return document.querySelector(args[0]).dataset.state", widget.css) == "done"
    known = widget.expected()
    mend()
    book.tab.wait("document.documentElement.dataset.python === 'ready'", timeout=120)
    book.tab.js("for (let i = 0; i < 10; i += 1) await new Promise(requestAnimationFrame)")
    assert widget.js(
        "const [view] = args; return form.querySelector('.occ-status').innerHTML === html(view.status)", known
    )


@pytest.mark.one_engine
def test_a_change_made_before_the_scripts_ran_is_kept(first: Callable[..., Book], server: Server) -> None:
    mend = server.fault(r"dist/book\.js", rate=4_000)
    book = first()
    book.tab.js("location.href = args[0]", book.base + "03-shape-a-block/")
    book.tab.wait("document.querySelector('form.occ-widget [name=threads]')")
    early = "document.querySelector('form.occ-widget [name=threads]')"
    assert book.tab.js(f"{early}.value = 512; return document.documentElement.dataset.js") != "on"
    mend()
    book.alive()
    widget = book.widgets()[0]
    widget.settle()
    assert widget.values()["threads"] == 512
    assert not widget.differences()
