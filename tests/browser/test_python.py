"""Cells in the page: Stop keeps variables, what a run may print and take, edits, share links, help while typing."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator

import nbformat
import pytest

from .book import CELLS, Book, Cell
from .conftest import quiet

KEPT = "Stopped. Variables are kept."
LOST = "Python was restarted, so variables are lost."


@pytest.fixture
def cell(reader: Book) -> Iterator[Cell]:
    """The first cell of a page with several; the book's own code is back in it afterwards."""
    found = reader.turn(CELLS).cell(1)
    yield found
    if found.js("return cell.hasAttribute('data-edited')"):
        found.press("reset")


@pytest.mark.parametrize(
    "loop",
    [
        "while True:\n    pass",
        "import time\nwhile True:\n    time.sleep(100)",
        "while True:\n    print('flood')",
        "while True:\n    try:\n        while True:\n            pass\n    except Exception:\n        pass",
    ],
    ids=["loop", "sleep", "printing", "try"],
)
def test_stop_keeps_variables(cell: Cell, loop: str) -> None:
    cell.write("kept = 41").run()
    cell.write(loop).press("run")
    cell.stop()
    assert cell.said == KEPT and "KeyboardInterrupt" in cell.text
    assert cell.write("print(kept + 1)").run().text == "42\n"


@pytest.mark.parametrize(
    "endless",
    [
        "sum(iter(int, 1))",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    ],
    ids=["in C", "swallows the interrupt"],
)
def test_what_cannot_be_interrupted_ends_python_and_the_next_run_works(cell: Cell, endless: str) -> None:
    cell.write("kept = 41").run()
    # An interrupt that comes before the loop is heard.
    cell.write("print('begun')\n" + endless).press("run")
    cell.printed("begun").stop()
    assert cell.state == "error" and cell.said == f"Stopped. {LOST}"
    assert cell.write("print('kept' in globals())").run().text == "False\n"


def test_stop_also_drops_what_waits_to_run(cell: Cell) -> None:
    second = cell.book.cell(2)
    cell.write("kept = 41").run()
    second.run()
    cell.write("while True:\n    pass").press("run")
    cell.running()
    second.press("run")
    second.press("stop")
    assert second.ended().said == "Not run."
    assert cell.ended().said == KEPT
    assert cell.write("print(kept)").run().text == "41\n"


def test_a_long_run_shows_what_it_printed_and_that_it_runs(cell: Cell) -> None:
    cell.write("import time\nprint('first')\ntime.sleep(100)").press("run")
    cell.printed("first").saying(r"^still running, [1-9]\d* s$")
    assert cell.state == "running"
    cell.stop()
    assert cell.said == KEPT and cell.text.startswith("first\n")


def test_sleep_lasts_as_long_as_asked(cell: Cell) -> None:
    cell.write("import time\nstart = time.monotonic()\ntime.sleep(0.3)\nprint(time.monotonic() - start >= 0.299)").run()
    assert cell.text == "True\n"


@pytest.mark.one_engine
def test_run_above(cell: Cell) -> None:
    second = cell.book.cell(2)
    before = second.state, second.text
    cell.write("count = globals().get('count', 0) + 1\nprint('run', count)").run()
    second.press("above")
    second.saying("^All cells above have run.$")
    assert cell.text == "run 2\n" and (second.state, second.text) == before
    cell.write("1 / 0")
    second.press("above")
    second.saying("^Cell 1 did not finish.$")
    assert cell.state == "error" and "ZeroDivisionError" in cell.text


@pytest.mark.one_engine
def test_a_traceback_names_each_cell_and_line(cell: Cell) -> None:
    second = cell.book.cell(2)
    cell.write("def ratio(a, b):\n    # to be divided\n    return a / b").run()
    second.write("x = 1\nratio(x, 0)").run()
    assert second.text == (
        "Traceback (most recent call last):\n"
        '  File "<cell 2>", line 2, in <module>\n    ratio(x, 0)\n'
        '  File "<cell 1>", line 3, in ratio\n    return a / b\n'
        "ZeroDivisionError: division by zero"
    )
    second.write("x = 1\nif x\n    pass").run()
    assert 'File "<cell 2>", line 2\n' in second.text and "SyntaxError: expected ':'" in second.text
    second.press("reset")


@pytest.mark.one_engine
def test_long_output_is_folded(cell: Cell) -> None:
    cell.write("for i in range(500):\n    print('line', i)").run()
    assert cell.text.startswith("line 0\n") and "line 59\n" in cell.text and "line 60" not in cell.text
    assert cell.js("return cell.querySelector('.occ-more').textContent") == "Show 440 more lines"
    cell.press("more")
    assert cell.text.endswith("line 498\nline 499\n") and not cell.js("return cell.querySelector('.occ-more')")


@pytest.mark.one_engine
def test_output_is_cut_at_a_stated_size(cell: Cell) -> None:
    cell.write("for i in range(600):\n    print('x' * 999)\nlen('done')").run()
    cell.press("more")
    cut = "\n… cut here: 400,000 of 600,000 characters are shown.\n"
    assert cell.state == "done" and cell.text == ("x" * 999 + "\n") * 400 + cut + "4\n"


@pytest.mark.one_engine
def test_leaving_and_asking_are_errors_of_the_cell(cell: Cell) -> None:
    cell.write("kept = 41").run()
    for source, error in (
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("input('name? ')", "EOFError: nothing can be typed here while the cell runs; write the value into the code"),
        ("def f():\n    f()\nf()", "RecursionError: maximum recursion depth exceeded"),
    ):
        cell.write(source).run()
        assert cell.state == "error" and cell.said == "ended with an error"
        assert error in cell.text.splitlines()[-1], source
    assert cell.write("print(kept)").run().text == "41\n"


def test_memory_that_runs_out_ends_in_a_message_and_a_fresh_worker(cell: Cell) -> None:
    cell.write("kept = 41\nbytearray(2_000_000_000)").run()
    assert cell.text.endswith("MemoryError") and cell.said == "ended with an error"
    assert cell.write("print(kept)").run().text == "41\n", "nothing was taken, so nothing need be lost"
    cell.write("held = []\nwhile True:\n    held.append(bytearray(50_000_000))").run()
    assert cell.state == "error" and cell.text.endswith("MemoryError")
    assert cell.said == f"Memory ran out. {LOST}"
    assert cell.write("print('held' in globals())").run().text == "False\n"


@pytest.mark.one_engine
def test_much_memory_alone_loses_nothing(cell: Cell) -> None:
    cell.write("x = [0] * 170_000_000").run()
    assert cell.said == "ran; nothing to show"
    assert cell.write("print(len(x))").run().text == "170000000\n"
    cell.write("import time\nwhile True:\n    time.sleep(9)").press("run")
    cell.stop()
    assert cell.said == KEPT
    assert cell.write("print(len(x))\ndel x").run().text == "170000000\n"
    assert cell.said == ""


@pytest.mark.parametrize(
    ("source", "last"),
    [
        ("import asyncio\nx = await asyncio.sleep(0.01, 6)\nx * await asyncio.sleep(0, 7)", "42"),
        ("import asyncio\nasync def main():\n    return 'run'\nasyncio.run(main())", "'run'"),
        (
            "import numpy as np",
            "numpy is not in this page: Python in the browser has its standard library and occusite. “Download this page "
            "as a notebook”, at its foot, gives you the same cells for your own Python.",
        ),
        ("import threading\nthreading.Thread(target=print).start()", "Python in the browser has no threads."),
        (
            "import urllib.request\nurllib.request.urlopen('https://example.org')",
            "Python in the browser reaches no network: nothing you run here leaves the page.",
        ),
        ("import builtins\nbuiltins.list = None\nlist('ab')", "TypeError: 'NoneType' object is not callable"),
        ("list('ab')", "['a', 'b']"),
    ],
    ids=["await", "asyncio.run", "numpy", "thread", "network", "rebound", "afterwards"],
)
@pytest.mark.one_engine
def test_what_the_browsers_python_can_and_cannot(cell: Cell, source: str, last: str) -> None:
    cell.write(source).run()
    assert cell.text.splitlines()[-1] == last, cell.text


@pytest.mark.one_engine
def test_stop_ends_an_await(cell: Cell) -> None:
    cell.write("kept = 41").run()
    cell.write("import asyncio\nawait asyncio.sleep(100)").press("run")
    cell.stop()
    assert cell.said == KEPT
    assert cell.write("print(kept)").run().text == "41\n"


@pytest.mark.one_engine
def test_rich_output(cell: Cell) -> None:
    def shows(source: str) -> str:
        return str(cell.write(source).run().outputs()[0]["kind"])

    html = '<b class="mine">bold</b><script>throw new Error("a script of an output ran")</script>'
    assert shows(f"class Page:\n    def _repr_html_(self):\n        return {html!r}\nPage()") == "html"
    assert cell.js("return cell.querySelector('.occ-output b.mine').textContent") == "bold"

    svg = '<svg width="9" height="7"></svg>'
    assert shows(f"class Drawing:\n    def _repr_svg_(self):\n        return {svg!r}\nDrawing()") == "svg"
    assert cell.js("return cell.querySelector('.occ-output svg').getBoundingClientRect().width") == 9

    assert shows("from occusite.book.content import tables\ntables.compare((256, 64, 12), (128, 64, 12))") == "html"
    assert cell.js("return cell.querySelectorAll('.occ-output table tbody tr').length") == 2

    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": "Three bars",
        "data": {"values": [{"a": "A", "b": 28}, {"a": "B", "b": 55}, {"a": "C", "b": 43}]},
        "mark": "bar",
        "encoding": {"x": {"field": "a", "type": "nominal"}, "y": {"field": "b", "type": "quantitative"}},
    }
    assert shows(f"{spec!r}") == "chart"
    assert cell.js("return cell.querySelectorAll('.occ-chart-live svg .mark-rect path').length") == 3
    assert cell.outputs()[0]["alt"] == "Three bars"

    text = "<img src=x onerror=alert(1)>"
    cell.write(f"print({text!r})\n{text!r}").run()
    assert [o["kind"] for o in cell.outputs()] == ["text", "text"] and cell.text == f"{text}\n{text!r}\n"


@pytest.mark.one_engine
def test_the_page_comes_as_a_notebook(reader: Book) -> None:
    reader.turn(CELLS)
    answered = reader.tab.js(
        """
        const link = document.querySelector("a[download][href$='.ipynb']");
        const answer = await fetch(link.href);
        return [answer.status, await answer.text()];
        """
    )
    assert answered[0] == 200
    notebook = nbformat.reads(answered[1], as_version=4)
    nbformat.validate(notebook)
    sources = reader.tab.js(
        "return [...document.querySelectorAll('.occ-cell-code')].map((c) => JSON.parse(c.content.textContent))"
    )
    assert [c.source for c in notebook.cells if c.cell_type == "code"] == [s.strip("\n") for s in sources]


def test_completion_and_signature_from_the_pages_variables(cell: Cell) -> None:
    cell.write("def residency(threads, registers=32):\n    '''Blocks of an SM.'''").run()
    # Two UTF-16 units before the word count as one character in Python.
    cell.write("'𝛼'; reside")
    cell.tab.type("n")
    option = f"{cell.css} .cm-tooltip-autocomplete li"
    cell.tab.wait("document.querySelector(args[0])?.textContent === 'residency'", option)
    cell.tab.click(option)
    assert cell.source == "'𝛼'; residency"
    cell.tab.type("(")
    cell.tab.wait(
        "document.querySelector(args[0])?.innerText === 'residency(threads, registers=32)\\nBlocks of an SM.'",
        f"{cell.css} .occ-signature",
    )
    cell.tab.press("Escape")


@pytest.mark.one_engine
def test_an_edit_is_kept_in_this_browser_until_it_is_reset(fresh: Callable[..., Book]) -> None:
    cell = fresh().load(CELLS).cell(2)
    original = cell.source
    cell.write("kept = 'édité'")
    cell.book.load(CELLS)
    cell.saying("^Your edit from last time.$").settled()
    assert cell.source == "kept = 'édité'" and "édité" not in cell.book.cell(1).source
    cell.press("reset")
    assert cell.source == original
    cell.book.load(CELLS)
    assert cell.source == original and cell.said == "" and not cell.js("return cell.querySelector('.cm-content')")
    quiet(cell.tab, cell.book.base)


@pytest.mark.one_engine
def test_an_edit_follows_its_cell_through_editions_or_is_offered(fresh: Callable[..., Book]) -> None:
    book = fresh().load(CELLS)
    second, third = book.cell(2), book.cell(3)
    books = second.source, third.source
    third.write("mine = 3")
    # As if an earlier edition had other code in one cell, and a cell that is gone.
    earlier = "# of an earlier edition\n" + books[0]
    book.tab.js(
        """
        const key = "occusite:cells:" + location.pathname;
        const edits = JSON.parse(localStorage.getItem(key));
        edits.unshift({ original: args[0], source: "mine = 2" }, { original: "gone()", source: "mine = 0" });
        localStorage.setItem(key, JSON.stringify(edits));
        """,
        earlier,
    )
    book.load(CELLS)
    second.saying("^Your edit from last time; the book’s code has changed since.$").settled()
    third.saying("^Your edit from last time.$").settled()
    assert (second.source, third.source) == ("mine = 2", "mine = 3")
    note = "document.querySelector('.occ-homeless')"
    assert book.tab.js(f"return {note}.querySelector('pre').textContent") == "mine = 0"
    second.press("reset")
    book.load(CELLS)
    third.saying("^Your edit from last time.$").settled()
    assert (second.source, third.source) == (books[0], "mine = 3")
    book.tab.js(f"{note}.querySelectorAll('button')[1].click()")
    book.load(CELLS)
    third.saying("^Your edit from last time.$").settled()
    assert not book.tab.js(f"return Boolean({note})")
    quiet(book.tab, book.base)


@pytest.mark.one_engine
def test_a_share_link_brings_the_code_unrun(fresh: Callable[..., Book]) -> None:
    sender = fresh().load(CELLS).cell(2)
    source = "# ünïcode — ∀ × ÷ 😀\nprint('from a link')"
    link = shared(sender.write(source))
    assert link.startswith(f"{sender.book.base}{CELLS}#cell-2=") and "from" not in link.split("#")[1]

    book = fresh().load(CELLS)
    cell, first = book.cell(2), book.cell(1)
    original = first.source
    cell.write("mine = 1")
    book.load("404.html")
    book.load(f"{CELLS}#cell-1={link.partition('=')[2][:-9]}")
    book.tab.js("location.hash = args[0]", link.partition("#")[2])
    cell.saying("^This code came with the link. Read it, then run it.$")
    first.saying(r"^The code in this link is not whole\. Ask for the link again\.$")
    assert first.source == original and first.state == "idle", "a link cut short did something"
    book.tab.js("location.hash = '#cell-3=no%20code'")
    book.cell(3).saying(r"^The code in this link is not whole\. Ask for the link again\.$")
    # Firefox writes to the console that a packed text was cut short.
    book.tab.complaints()

    book.load("404.html")
    book.load(f"{CELLS}#{link.partition('#')[2]}")
    cell.saying("^This code came with the link. Read it, then run it.$")
    assert cell.source == source and cell.state == "idle"
    # The link's code does not take the place of the reader's own.
    book.load(CELLS)
    assert cell.settled().source == "mine = 1"
    quiet(book.tab, book.base)


def shared(cell: Cell) -> str:
    """The link that Share puts on the clipboard."""
    cell.js(
        "Object.defineProperty(navigator, 'clipboard',"
        " { value: { writeText: async (text) => void (self.copied = text) }, configurable: true })"
    )
    cell.press("share")
    cell.saying("^Link to this code copied.$")
    return str(cell.js("return self.copied"))


@pytest.mark.one_engine
def test_a_link_too_long_is_said(cell: Cell) -> None:
    cell.write("# " + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=20_000)))
    cell.press("share")
    cell.saying(r"^Too long for a link: [12]\d,\d\d\d characters, 8,000 at most\.$")
