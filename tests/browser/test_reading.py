"""Reading on: turning pages keeps Python, back and forward work, and everything can be reached by keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .book import CELLS, WIDGET, Book
from .server import Server


def watch_python(book: Book) -> None:
    """Write down every state of Python from now on."""
    book.tab.js(
        """
        const root = document.documentElement;
        self.states = [];
        new MutationObserver(() => self.states.push(root.dataset.python)).observe(root, { attributeFilter: ["data-python"] });
        """
    )


def test_turning_pages_keeps_the_worker(reader: Book, server: Server, tour: list[str]) -> None:
    reader.turn(CELLS)
    reader.cell(1).run()
    reader.ready()
    watch_python(reader)
    server.log.clear()
    reader.cell(1).write("import sys\nsys.kept = 'still here'").run()
    for page in tour:
        reader.turn(page)
    reader.turn("02-three-budgets/").cell(1).write("import sys\nprint(sys.kept)").run().printed("still here")
    assert "loading" not in reader.tab.js("return self.states"), "Python was started again"
    assert not [p for p in server.log if "pyodide" in p]
    reader.cell(1).press("reset")
    reader.turn(CELLS).cell(1).press("reset")


def test_a_page_has_its_own_names(reader: Book) -> None:
    reader.turn(CELLS).cell(1).write("mine = 1").run()
    cell = reader.turn("02-three-budgets/").cell(1).write("print('mine' in globals())").run()
    assert cell.text.strip() == "False"
    cell.press("reset")
    reader.turn(CELLS).cell(1).press("reset")


def test_back_and_forward(reader: Book) -> None:
    reader.turn(CELLS)
    reader.turn(WIDGET)
    reader.turn("02-three-budgets/")
    for step, page in (("back", WIDGET), ("back", CELLS), ("forward", WIDGET)):
        reader.tab.js(f"history.{step}()")
        reader.tab.wait("document.querySelector('link[rel=canonical]')?.href.endsWith(args[0])", page)
        reader.alive()
    widget = reader.widgets()[0]
    widget.slide("End")
    widget.settle()
    reader.tab.js("history.back()")
    reader.tab.wait("document.querySelector('link[rel=canonical]')?.href.endsWith(args[0])", CELLS)
    reader.alive()
    reader.cell(1).run()
    assert reader.cell(1).state == "done"


@pytest.mark.one_engine
def test_moving_within_a_page_keeps_it(fresh: Callable[..., Book], server: Server) -> None:
    """Section links, Back, Forward and results of the search: none fetches the page anew, what the reader did is there."""
    book = fresh().load(CELLS)
    tab = book.tab
    book.cell(1).write("mine = 41\nprint('mine', mine)").run()
    tab.js(
        """
        document.querySelector(".md-content article").dataset.kept = "yes";
        self.left = [];
        addEventListener("click", () => left.push(scrollY), true);
        """
    )
    server.log.clear()
    for section in book.sections()[:-3:-1]:
        book.to_section(section)
        tab.wait("Math.abs(document.querySelector(args[0]).getBoundingClientRect().top) < 150", section)
    for step, left in (("back", 1), ("back", 0), ("forward", 1)):
        tab.js(f"history.{step}()")
        tab.wait("Math.abs(scrollY - left[args[0]]) < 5", left)
        # The theme notes the place and closes the search 0.1 s after each step.
        tab.js("await new Promise((done) => setTimeout(done, 300))")
    book.search("executable")
    tab.focus(f".md-search-result__link[href*='/{CELLS}']")
    tab.press("Enter")
    tab.wait("!document.querySelector('#__search').checked && document.querySelector('.md-content mark')")
    assert tab.js("return document.querySelector('.md-content article').dataset.kept") == "yes"
    assert book.cell(1).text.strip() == "mine 41"
    assert book.cell(2).write("print(mine + 1)").run().text.strip() == "42"
    assert not [path for path in server.log if path.endswith(f"/{CELLS}")]


# What the first step within a page may be, with `args[0]` a section; before the last one there is a step and a reload.
STEPS = {
    "a link": "document.querySelector(`.md-sidebar--secondary a[href$='${args[0]}']`).click()",
    "the address": "location.hash = args[0]",
    "back": "history.back()",
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.one_engine
def test_the_first_step_within_a_page_keeps_it(fresh: Callable[..., Book], step: str) -> None:
    book = fresh().load(CELLS)
    section = book.sections()[-1]
    if step == "back":
        book.tab.js(STEPS["the address"], section)
        book.tab.wait("document.querySelector(':target')")
        book.tab.js("setTimeout(() => location.reload())")
        book.tab.wait("performance.getEntriesByType('navigation')[0].type === 'reload'")
        book.alive()
    book.tab.js("document.querySelector('.md-content article').dataset.kept = 'yes'")
    book.tab.js(STEPS[step], section)
    book.tab.wait("Boolean(document.querySelector(':target')) === args[0]", step != "back")
    # As long as the page fetched anew would need.
    book.tab.js("await (await fetch(location.href)).text(); await new Promise((done) => setTimeout(done, 500))")
    assert book.tab.js("return document.querySelector('.md-content article').dataset.kept") == "yes"


@pytest.mark.one_engine
def test_a_section_link_keeps_a_widgets_state(fresh: Callable[..., Book]) -> None:
    book = fresh().load(WIDGET)
    widget = book.widgets()[0]
    first = widget.values()
    for turned in (False, True):
        if turned:
            book.turn(CELLS).turn(WIDGET)
        widget.slide("End")
        widget.settle()
        values = widget.values()
        assert values != first
        book.tab.wait("location.search.length > 1")
        query = book.tab.js("return location.search")
        book.to_section(book.sections()[-1])
        assert book.tab.js("return location.search") == query and widget.values() == values
        widget.settle()


@pytest.mark.one_engine
def test_a_widgets_state_is_in_the_address(fresh: Callable[..., Book]) -> None:
    book = fresh().load(WIDGET)
    widget = book.widgets()[0]
    widget.slide("End")
    widget.settle()
    values = widget.values()
    book.tab.wait("location.search.length > 1")
    address = book.tab.js("return location.href")
    book.tab.goto(address)
    book.alive()
    again = book.widgets()[0]
    assert again.values() == values
    again.settle()
    # Turning to another page and back keeps it too.
    book.turn(CELLS)
    book.tab.js("history.back()")
    book.tab.wait("document.querySelector('link[rel=canonical]')?.href.endsWith(args[0])", WIDGET)
    book.alive()
    back = book.widgets()[0]
    assert back.values() == values
    back.settle()


@pytest.mark.one_engine
def test_an_address_with_nonsense_falls_back(fresh: Callable[..., Book]) -> None:
    book = fresh().load(WIDGET)
    name = book.widgets()[0].name
    first = book.widgets()[0].values()
    book.load(f"{WIDGET}?{name}.threads=9999999&{name}.rule=none&{name}.nosuch=3&{name}.registers=%3Cscript%3E")
    widget = book.widgets()[0]
    values = widget.values()
    assert set(values) == set(first)
    assert values["rule"] == first["rule"] and 32 <= values["threads"] <= 1024


def test_the_keyboard_reaches_sliders_and_run(fresh: Callable[..., Book]) -> None:
    """Past the link that skips the navigation, Tab alone reaches every control of the page; Run answers to Enter."""
    book = fresh().load(WIDGET)
    skip_navigation(book)
    wanted = "form.occ-widget input[type=range], form.occ-widget input:checked"
    missed = tab_to(book, wanted, book.tab.js("return document.querySelectorAll(args[0]).length", wanted))
    assert not missed, f"Tab does not reach {missed}"
    skip_navigation(book.load(CELLS))
    assert not tab_to(book, "section.occ-cell .occ-run", 1), "Tab does not reach Run"
    outline, shadow = book.tab.js(
        "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.boxShadow]"
    )
    assert outline != "none" or shadow != "none", "the focused Run button looks like any other"
    number = book.tab.js("return document.activeElement.closest('section').dataset.cell")
    book.tab.press("Enter")
    assert book.cell(int(number)).ended().state == "done"


def skip_navigation(book: Book) -> None:
    """Go past the header by the page's first link, as a keyboard reader does."""
    book.tab.press("Tab")
    assert book.tab.js("return document.activeElement.matches('.md-skip')"), (
        "the first Tab does not reach the skip link"
    )
    book.tab.press("Enter")


def tab_to(book: Book, css: str, wanted: int) -> int:
    """Press Tab until `wanted` elements that match had the focus; return how many were missed in a long walk."""
    seen = set()
    for _ in range(120):
        book.tab.press("Tab")
        seen.add(
            book.tab.js("const a = document.activeElement; return a.matches(args[0]) ? `${a.id} ${a.name}` : ''", css)
        )
        if len(seen - {""}) == wanted:
            break
    return wanted - len(seen - {""})


def test_escape_then_tab_leaves_the_editor(reader: Book) -> None:
    cell = reader.turn(CELLS).cell(1)
    cell.edit()
    before = cell.source
    reader.tab.press("Tab")
    assert reader.tab.js("return Boolean(document.activeElement.closest('.cm-content'))"), "Tab alone indents"
    assert cell.source != before
    reader.tab.press("Escape")
    reader.tab.press("Tab")
    assert not reader.tab.js("return Boolean(document.activeElement.closest('.cm-editor'))")
    cell.press("reset")
    assert cell.source == before


@pytest.mark.one_engine
def test_edits_survive_a_reload_and_reset_restores(fresh: Callable[..., Book]) -> None:
    book = fresh().load(CELLS)
    cell = book.cell(1)
    original, output = cell.source, cell.outputs()
    cell.edit()
    book.tab.press("Control+a")
    book.tab.type("print(6*7)")
    book.tab.press("Shift+Enter")
    cell.printed("42").ended()
    book.load(CELLS)
    book.tab.wait("document.querySelector('.cm-content')")
    assert cell.source.strip() == "print(6*7)"
    # The other pages know nothing of it.
    assert "6*7" not in book.turn("02-three-budgets/").cell(1).source
    book.turn(CELLS)
    book.tab.wait("document.querySelector('.cm-content')")
    cell.press("reset")
    assert cell.source.strip() == original.strip() and cell.outputs() == output
    book.load(CELLS)
    assert cell.source.strip() == original.strip()


def test_a_typed_program_runs(reader: Book) -> None:
    """Typed key by key, with the editor's own indentation and closing brackets."""
    cell = reader.turn(CELLS).cell(1)
    cell.edit()
    reader.tab.press("Control+a")
    reader.tab.type("for i in range(3):\nprint(i * i)")
    reader.tab.press("Control+Enter")
    cell.ended()
    assert cell.text.split() == ["0", "1", "4"]
    cell.press("reset")
