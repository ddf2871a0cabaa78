"""Return visits: Python restored from what an earlier visit left on the device; what is damaged there costs only time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .book import CELLS, Book, Cell
from .chromium import ChromiumTab
from .conftest import PYTHON, quiet
from .engine import Engine, Tab
from .server import BLANK, Server

# Of Python's own files only the worker's program may be asked for again.
DOWNLOADS = (".xz", ".wasm", "python_stdlib.zip")

# As an earlier version of the book would have left them.
LEAVE = """
const cache = await caches.open("occusite-python");
for (const name of args) await cache.put(`/occusite/assets/dist/${name}`, new Response("of another version"));
"""
KEPT = """
const cache = await caches.open("occusite-python");
const names = [];
for (const request of await cache.keys()) {
  const found = await cache.match(request);
  names.push(request.url.split("/").pop() + (found.headers.get("X-Damaged") ?? ""));
}
return names.sort();
"""
DAMAGE = """
const [part, how] = args;
const cache = await caches.open("occusite-python");
const request = (await cache.keys()).find((r) => r.url.includes(part));
const found = await cache.match(request);
const whole = new Uint8Array(await found.arrayBuffer());
let data = whole;
if (how === "flipped") data[data.length >> 1] ^= 1;
if (how === "cut") data = whole.slice(0, whole.length >> 1);
if (how === "empty") data = new Uint8Array();
let { headers } = found;
if (how === "another file") {
  const other = await cache.match((await cache.keys()).find((r) => r.url.includes("book-")));
  data = await other.arrayBuffer();
  headers = other.headers;
}
headers = { ...Object.fromEntries(headers), "X-Damaged": " damaged" };
await cache.put(request, new Response(data, { headers }));
"""


def visit(book: Book, source: str = "") -> Cell:
    """Load the page as a later visit does, and run a cell: the book's code, or `source`."""
    cell = book.load(CELLS).cell(1)
    if source:
        cell.write(source)
    cell.run()
    assert cell.state == "done" and cell.said == "", cell.said + cell.text
    return cell


def boot(tab: Tab) -> str:
    """By which road Python came: plain or restored."""
    return str(tab.js("return document.documentElement.dataset.pythonBoot"))


def store(tab: Tab) -> list[str]:
    """The names in the store, once everything is whole there; what is kept is kept while the reader goes on."""
    tab.wait(
        f"(async () => {{ {KEPT} }})().then((k) => k.some((n) => /\\?snapshot$/.test(n)) && k.every((n) => !/damaged/.test(n)) && k.length >= 4)"
    )
    found: list[str] = tab.js(KEPT)
    return found


@pytest.fixture(scope="module")
def home(engine: Engine, server: Server) -> Iterator[Book]:
    """A tab whose first visit is over. What it kept is whole."""
    tab = engine.open()
    book = Book(tab, server.base)
    tab.keep_stores(server.base + BLANK, PYTHON)
    tab.goto(server.base + BLANK)
    tab.js(LEAVE, "library-0.zip", "python-worker-0.js?snapshot")
    visit(book)
    assert boot(tab) == "plain"
    yield book
    tab.close()


@pytest.fixture
def returning(home: Book) -> Iterator[Book]:
    """The tab before another visit, without edits; nothing may have been complained of in the end."""
    home.tab.front()
    store(home.tab)
    home.tab.js("localStorage.clear()")
    yield home
    quiet(home.tab, home.base)


def test_the_first_visit_keeps_this_versions_files_and_drops_others(returning: Book) -> None:
    kept = store(returning.tab)
    assert [name.split("-")[0] for name in kept] == ["book", "library", "pyodide.asm.wasm", "python"]
    assert not any("-0." in name for name in kept)


def test_a_return_visit_restores_without_a_download(returning: Book, server: Server) -> None:
    server.log.clear()
    visit(returning)
    assert boot(returning.tab) == "restored"
    assert not [path for path in server.log if path.endswith(DOWNLOADS)]


@pytest.mark.one_engine
def test_a_restored_interpreter_is_like_a_fresh_one(returning: Book) -> None:
    look = "import random, time, uuid\nprint(random.random(), uuid.uuid4(), time.time())"
    looks = [visit(returning, look).text.split() for _ in range(2)]
    assert boot(returning.tab) == "restored"
    assert looks[0][0] != looks[1][0] and looks[0][1] != looks[1][1], "random numbers repeat"
    assert float(looks[0][2]) < float(looks[1][2]) <= time.time() + 1, "the clock stood still"
    assert time.time() - float(looks[1][2]) < 60
    cell = returning.cell(1).write("from occusite import paper\npaper.Launch(0, 1)").run()
    assert "threads: 0 is not allowed" in cell.text and "raise ValueError(" in cell.text, (
        "the package's lines are shown"
    )


@pytest.mark.one_engine
def test_the_rest_of_the_library_comes_with_the_first_import_that_misses(returning: Book, server: Server) -> None:
    cell = visit(returning, "import json, re, dataclasses\nprint('trimmed')")
    server.log.clear()
    assert cell.write("import difflib\nprint(difflib.get_close_matches('wrap', ['warp']))").run().text == "['warp']\n"
    assert cell.write("import filecmp, tabnanny\nprint(filecmp.__name__)").run().text == "filecmp\n"
    assert [path for path in server.log if path.endswith(DOWNLOADS)] == [
        path for path in server.log if path.endswith("/python_stdlib.zip")
    ][:1]
    cell.write("import nosuchmodule").run()
    assert "ModuleNotFoundError: No module named 'nosuchmodule'\n" in cell.text


def test_a_worker_that_stop_ended_is_replaced_from_the_snapshot(returning: Book, server: Server) -> None:
    cell = visit(returning)
    server.log.clear()
    cell.write("print('begun')\nsum(iter(int, 1))").press("run")
    cell.printed("begun").stop()
    assert cell.said == "Stopped. Python was restarted, so variables are lost."
    assert cell.write("print('again')").run().text == "again\n"
    assert boot(cell.tab) == "restored" and not [path for path in server.log if path.endswith(DOWNLOADS)]


# What the worker compares is the same in every engine: all that may be damaged is so in Chromium.
DAMAGES = [
    ("?snapshot", "cut"),
    ("library-", "cut"),
    *(
        pytest.param(*damage, marks=pytest.mark.long)
        for damage in (
            ("?snapshot", "empty"),
            ("?snapshot", "another file"),
            ("asm.wasm", "flipped"),
            ("book-", "empty"),
        )
    ),
]


@pytest.mark.one_engine
def test_a_damaged_snapshot_costs_only_time_and_is_mended(returning: Book) -> None:
    damaged_and_mended(returning, "?snapshot", "flipped")


@pytest.mark.parametrize("engine", ["chromium"], indirect=True)
@pytest.mark.parametrize(("part", "how"), DAMAGES)
def test_whatever_is_damaged_costs_only_time_and_is_mended(returning: Book, part: str, how: str) -> None:
    damaged_and_mended(returning, part, how)


def damaged_and_mended(returning: Book, part: str, how: str) -> None:
    """Damage a kept file: the next visit starts without it, the one after from a whole one."""
    returning.tab.js(DAMAGE, part, how)
    visit(returning)
    assert boot(returning.tab) == "plain"
    store(returning.tab)
    visit(returning)
    assert boot(returning.tab) == "restored"
    # Pyodide writes to the console why it could not start; the reader sees none of it.
    returning.tab.complaints()


# What browsers do that keep nothing: private windows of some, site data switched off, a full disk.
BLOCKED = 'CacheStorage.prototype.open = async () => { throw new DOMException("The operation is insecure.", "SecurityError"); };\n'
FULL = 'Cache.prototype.put = async () => { throw new DOMException("Quota exceeded.", "QuotaExceededError"); };\n'


@pytest.mark.parametrize("store_is", ["blocked", "full"])
@pytest.mark.one_engine
def test_python_works_where_nothing_can_be_kept(
    first: Callable[..., Book], server: Server, site: Path, store_is: str, request: pytest.FixtureRequest
) -> None:
    book = first()
    if store_is == "full" and isinstance(book.tab, ChromiumTab):
        # The one engine whose store a test can really fill; elsewhere the worker is served with a store that refuses.
        session = book.tab.context.new_cdp_session(book.tab.page)
        session.send("Storage.overrideQuotaForOrigin", {"origin": server.origin, "quotaSize": 1000})
        request.addfinalizer(lambda: session.send("Storage.overrideQuotaForOrigin", {"origin": server.origin}))
    else:
        server.show(site, lambda copy: refuse(copy, BLOCKED if store_is == "blocked" else FULL))
    visit(book)
    assert boot(book.tab) == "plain"
    # Where the store is blocked, the test cannot look into it either.
    assert store_is == "blocked" or book.tab.js(KEPT) == []
    quiet(book.tab, book.base)


def refuse(copy: Path, how: str) -> None:
    """Put `how` at the head of the worker's program, which reads the store, and of the page's, which writes to it."""
    (worker,) = (copy / "assets" / "dist").glob("python-worker-*.js")
    for program in (worker, copy / "assets" / "dist" / "book.js"):
        program.write_text(how + program.read_text(encoding="utf-8"), encoding="utf-8")
