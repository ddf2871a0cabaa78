"""Code of others, which came with a link and which the reader ran: what it cannot change, reach or keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from .book import CELLS, Book
from .conftest import quiet
from .engine import Engine
from .server import Server

# What Python's worker must not find in its own scope, by any way that JavaScript has.
REACH = """
import js
def of_the_global_scope(name):
    getter = js.Object.getOwnPropertyDescriptor(js.WorkerGlobalScope.prototype, name).get
    return js.Reflect.apply(getter, None, js.Array.new())
found, seen = [], 0
for scope, names in ((of_the_global_scope("self"), ("caches", "indexedDB", "Worker", "SharedWorker", "BroadcastChannel")),
                     (of_the_global_scope("navigator"), ("serviceWorker", "storage"))):
    while "hasOwnProperty" not in js.Object.getOwnPropertyNames(scope).to_py():
        own = js.Object.getOwnPropertyNames(scope).to_py()
        found += [name for name in names if name in own]
        seen += len(own)
        scope = js.Object.getPrototypeOf(scope)
print(seen > 100, found)
"""
# A request to another origin; the server of the tests answers at both names.
LEAK = """
import js
request = js.XMLHttpRequest.new()
request.open("GET", "ADDRESS", False)
try:
    request.send()
    print("sent")
except Exception as error:
    print("refused")
"""
FORGED = """
import js
from pyodide.ffi import to_js
url = "BASEassets/dist/python-worker-forged.js?snapshot"
entry = {"url": url, "type": "text/plain", "checksum": "1", "data": bytes([1, 2, 3])}
message = {"kind": "keep", "entries": [entry], "used": [url]}
js.postMessage(to_js(message, dict_converter=js.Object.fromEntries))
print("posted")
"""


def other_origin(book: Book) -> str:
    """The test's own server under another name: another origin, which answers."""
    here = book.tab.js("return location.host")
    return f"http://localhost:{here.rpartition(':')[2]}/occusite/"


def test_a_cell_reaches_no_store_and_no_other_origin(fresh: Callable[..., Book]) -> None:
    book = fresh().load(CELLS)
    cell = book.cell(1)
    assert cell.write(REACH).run().text == "True []\n"
    assert cell.write(LEAK.replace("ADDRESS", other_origin(book))).run().text == "refused\n"
    assert "EvalError" in cell.write("import js\njs.eval('1')").run().text
    # The same request to the book's own origin is allowed: the refusal is the policy's.
    assert cell.write(LEAK.replace("ADDRESS", book.base)).run().text == "sent\n"
    book.tab.complaints()


def test_a_cell_cannot_have_the_page_keep_its_bytes_for_pythons(fresh: Callable[..., Book]) -> None:
    book = fresh().load(CELLS)
    before = "return (await (await caches.open('occusite-python')).keys()).map((r) => r.url).sort()"
    book.cell(1).run()
    kept = book.tab.js(before)
    assert book.cell(1).write(FORGED.replace("BASE", book.base)).run().text == "posted\n"
    book.tab.js("for (let i = 0; i < 20; i += 1) await new Promise(requestAnimationFrame)")
    assert book.tab.js(before) == kept and kept


@pytest.fixture
def offline(engine: Engine, offline_server: Server) -> Iterator[Book]:
    """A reader whose device holds the book."""
    tab = engine.open()
    book = Book(tab, offline_server.base).load(CELLS)
    book.tab.wait("document.querySelector('.occ-offline')?.textContent.startsWith('Available offline')")
    yield book
    tab.close()


def test_what_was_changed_in_the_books_cache_is_fetched_anew(offline: Book) -> None:
    changed = offline.tab.js(
        """
        const name = (await caches.keys()).find((n) => n.startsWith("occusite-book"));
        const cache = await caches.open(name);
        const home = (await cache.keys()).find((r) => r.url.endsWith("/02-three-budgets/index.html"));
        const headers = { "Content-Type": "text/html", "Refresh": "0;url=/occusite/04-cliffs/" };
        await cache.put(home.url, new Response("<h1>not the book</h1>", { headers }));
        return home.url;
        """
    )
    assert changed
    offline.load("02-three-budgets/")
    assert "three" in offline.tab.js("return document.querySelector('h1').textContent").lower()
    again = offline.tab.js(
        """
        const response = await (await caches.open((await caches.keys()).find((n) => n.startsWith("occusite-book")))).match(args[0]);
        return [response.headers.get("Refresh"), (await response.text()).includes("not the book")];
        """,
        changed,
    )
    assert again == [None, False], "the changed page is still on the device"


def test_the_policy_holds_in_python_offline_too(offline: Book) -> None:
    offline.tab.wait("Boolean(navigator.serviceWorker.controller)")
    cell = offline.load(CELLS).cell(1)
    assert cell.write(LEAK.replace("ADDRESS", other_origin(offline))).run().text == "refused\n"
    offline.tab.complaints()


@pytest.mark.one_engine
def test_output_leads_the_tab_nowhere(fresh: Callable[..., Book]) -> None:
    book = fresh().load(CELLS)
    html = '<b>shown</b><meta http-equiv="refresh" content="0;url=404.html"><base href="https://example.org/">'
    book.cell(1).write(f"class Page:\n    def _repr_html_(self):\n        return {html!r}\nPage()").run()
    assert book.tab.js("return document.querySelectorAll('.occ-output :is(meta, base)').length") == 0
    book.tab.js("await new Promise((then) => setTimeout(then, 300))")
    assert book.tab.js("return location.pathname").endswith(CELLS)
    quiet(book.tab, book.base)


@pytest.mark.one_engine
def test_a_links_code_is_run_by_its_own_run_alone(fresh: Callable[..., Book]) -> None:
    from .test_python import shared

    link = shared(fresh().load(CELLS).cell(1).write("print('from a link')"))
    book = fresh().load("404.html").load(f"{CELLS}#{link.partition('#')[2]}")
    first, second = book.cell(1), book.cell(2)
    first.saying("^This code came with the link. Read it, then run it.$")
    second.press("run")
    second.saying("^Cell 1 above shows code that came with the link. Read it, and run it first.$")
    assert first.state == "idle" and second.state == "error"
    assert first.run().text == "from a link\n"
    assert second.run().state in ("done", "error")
    assert "came with the link" not in second.said
    quiet(book.tab, book.base)
