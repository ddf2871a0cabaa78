"""Offline reading: after one visit the book comes from the device, one edition at a time, and a failed update harms nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .book import CELLS, WIDGET, Book
from .conftest import quiet
from .engine import Engine
from .firefox import Firefox
from .server import Server, until

NOTE = "document.querySelector('.occ-offline')?.textContent"
PLAIN = "Available offline. Run a cell once to keep Python too."
WITH_PYTHON = "Available offline, Python included."
NEW = "A new edition of the book is here: reload to read it."
HELD = "A new edition of the book is here: close its other tabs, then reload."

# Firefox's word for what the next page cancelled: a request by now without an address, or Python's start.
CANCELLED = r"Failed to load ‘(|[^’]*/assets/dist/[^’]*)’. A ServiceWorker intercepted"

# The files that the second edition changes.
CHANGED = ("02-three-budgets/index.html", "14-one-breath/index.html", "assets/css/book.css")


def says(book: Book, *notes: str, timeout: float = 60) -> None:
    """Wait until the footer's note is one of `notes`."""
    try:
        book.tab.wait(f"args.includes({NOTE})", *notes, timeout=timeout)
    except TimeoutError:
        raise AssertionError(f"the note says {book.tab.js(f'return {NOTE}')!r}, not {' or '.join(notes)!r}") from None


def second_edition(site: Path) -> None:
    """Another heading on two pages, and a mark in a style sheet that all pages load."""
    for name in CHANGED:
        file = site / name
        text = file.read_text(encoding="utf-8")
        if name.endswith(".css"):
            text += "\n:root { --edition: second; }\n"
        else:
            text = text.replace("</h1>", " (second edition)</h1>", 1)
        file.write_text(text, encoding="utf-8")


def editions(book: Book) -> set[str]:
    """Which editions the parts of the page on show come from."""
    style, heading = book.tab.js(
        "return [getComputedStyle(document.documentElement).getPropertyValue('--edition').trim(),"
        " document.querySelector('h1').textContent]"
    )
    return {style or "first", "second" if "second edition" in heading else "first"}


def follow(book: Book, path: str) -> None:
    """Turn to a page by a click that needs no tab in the foreground."""
    book.tab.js("[...document.links].find((a) => a.href === args[0]).click()", book.base + path)
    book.tab.wait("document.querySelector('link[rel=canonical]')?.href.endsWith(args[0])", f"/occusite/{path}")


def caches(book: Book) -> list[str]:
    """The names of the editions kept on the device."""
    names: list[str] = book.tab.js("return (await caches.keys()).filter((name) => name.startsWith('occusite-book'))")
    return names


@pytest.fixture(scope="module")
def kept(engine: Engine, offline_server: Server) -> Iterator[Book]:
    """A reader who visited once and ran a cell."""
    tab = engine.open()
    book = Book(tab, offline_server.base).load(CELLS)
    says(book, PLAIN)
    book.cell(1).run()
    says(book, WITH_PYTHON)
    quiet(tab, book.base)
    yield book
    tab.close()


@pytest.fixture
def away(kept: Book, offline_server: Server) -> Iterator[Book]:
    """The same reader without a network; nothing may have been complained of, nor asked for in vain."""
    offline_server.cut = True
    offline_server.log.clear()
    yield kept
    offline_server.cut = False
    quiet(kept.tab, kept.base, besides=CANCELLED)
    # The browser looks for a new edition; the book has no way to know a page that is not there.
    assert not set(offline_server.log) - {"/occusite/sw.js", "/occusite/no-such-page/"}


class TestWithoutANetwork:
    def test_every_page_comes_from_the_device(self, away: Book) -> None:
        away.load(CELLS)
        says(away, WITH_PYTHON)
        for page in ("02-three-budgets/", "progress/", "reference/glossary/"):
            away.load(page)
        wrong = away.tab.js(
            """
            await document.fonts.ready;
            const wrong = [...document.fonts].filter((font) => font.status === "error").map((font) => font.family);
            const links = [...document.querySelectorAll("link[rel=icon], link[rel=stylesheet], script[src]")];
            for (const url of links.map((e) => e.href ?? e.src)) if (!(await fetch(url).catch(() => ({}))).ok) wrong.push(url);
            const icon = new Image();
            icon.src = document.querySelector("link[rel=icon]").href;
            await icon.decode();
            if (!icon.naturalWidth) wrong.push("the icon has no size");
            return wrong;
            """
        )
        assert not wrong
        for page in ("10-compilers/", "print/", "12-session/"):
            away.turn(page)

    def test_python_widgets_and_charts_work(self, away: Book) -> None:
        cell = away.load(CELLS).cell(1).write("import sys\nprint(sys.platform)").run()
        assert cell.text.strip() == "emscripten"
        cell.press("reset")
        widget = away.turn(WIDGET).widgets()[0]
        widget.slide("End")
        widget.settle()

    def test_the_search_works(self, away: Book) -> None:
        away.load("02-three-budgets/").search("wavefront")
        away.tab.wait("document.querySelector('.md-search-result__link')?.href.includes('reference/glossary/')")

    def test_a_page_without_its_slash_is_found_and_a_missing_one_is_said(self, away: Book) -> None:
        away.load("02-three-budgets/")
        away.tab.goto(away.base + CELLS.rstrip("/"))
        away.tab.wait("location.href === args[0]", away.base + CELLS)
        away.alive()
        away.tab.goto(away.base + "no-such-page/")
        away.tab.wait("document.querySelector('h1').textContent.includes('404')")
        away.alive()
        away.turn("")
        # A browser may write such an answer to its console.
        quiet(away.tab, away.base, besides=f"{CANCELLED}|.*404")

    def test_the_note_says_so(self, away: Book) -> None:
        away.load(WIDGET)
        says(away, WITH_PYTHON)
        for online, note in ((False, "Offline: pages and Python come from this device."), (True, WITH_PYTHON)):
            away.tab.online(online)
            says(away, note)


@pytest.mark.long
def test_python_not_kept_yet_is_said_and_comes_later(visit: Callable[..., Book], offline_server: Server) -> None:
    book = visit().load(CELLS)
    says(book, PLAIN)
    offline_server.cut = True
    cell = book.load(CELLS).cell(1).run()
    assert cell.state == "error" and "could not be loaded" in cell.said
    book.tab.online(False)
    says(book, "Offline: pages come from this device, Python is not on it yet.")
    cell.run()
    assert "you are offline, and Python is not on this device yet" in cell.said
    offline_server.cut = False
    book.tab.online(True)
    cell.run()
    assert cell.state == "done", cell.said
    says(book, WITH_PYTHON)


@pytest.mark.one_engine
def test_a_new_edition_replaces_the_old_one_whole(
    visit: Callable[..., Book], offline_server: Server, site: Path
) -> None:
    book = visit().load("14-one-breath/")
    says(book, PLAIN)
    first = caches(book)
    other = Book(book.tab.twin(), book.base).load(CELLS)
    says(other, PLAIN)

    offline_server.show(site, second_edition)
    offline_server.log.clear()
    book.load("02-three-budgets/")
    says(book, NEW)
    says(other, NEW)
    # All pages name the style sheet by its content, so they changed; nothing else did.
    asked = {path for path in offline_server.log if not path.endswith(("/index.html", "/sw.js"))}
    assert asked == {"/occusite/assets/css/book.css"}, "more than the changed files were downloaded"

    # As long as another tab reads the first edition, both do.
    for reader in (other, book):
        follow(reader, "14-one-breath/")
        assert editions(reader) == {"first"}
        reader.tab.acts = False
        assert editions(reader.load("02-three-budgets/")) == {"first"}
        says(reader, HELD)
        reader.tab.acts = True
    other.tab.close()

    # A reload, before the reader does anything, brings the second one.
    book.tab.acts = False
    book.tab.goto(book.base + "02-three-budgets/")
    book.tab.wait("document.querySelector('h1')?.textContent.includes('second edition')")
    says(book, PLAIN)
    assert editions(book) == {"second"}
    book.tab.acts = True
    second = caches(book)
    assert len(first) == len(second) == 1 and first != second, "the old edition is still kept"
    offline_server.cut = True
    for page in ("14-one-breath/", "02-three-budgets/"):
        assert editions(book.load(page)) == {"second"}


@pytest.mark.long
def test_a_broken_download_is_tried_again_and_harms_nothing(
    visit: Callable[..., Book], offline_server: Server, site: Path
) -> None:
    def failed(path: str) -> None:
        """Wait until a worker that asked for the broken file has given up."""
        until(lambda: f"/occusite/{path}" in offline_server.log)
        book.tab.wait(
            "(async () => { const r = await navigator.serviceWorker.getRegistration();"
            " return !r || (r.active && !r.installing && !r.waiting); })()"
        )
        offline_server.log.clear()

    # At a first visit: nothing is kept, nothing is said, and the next visit tries again.
    mend = offline_server.fault("/kernels/wave.cu$", status=500)
    book = visit().load("14-one-breath/")
    failed("kernels/wave.cu")
    assert caches(book) == [] and book.tab.js(f"return {NOTE}") == ""
    quiet(book.tab, book.base)
    mend()
    says(book.load("14-one-breath/"), PLAIN)
    first = caches(book)

    # In an update: the edition before stays, whole, until the new one is.
    page = "14-one-breath/index.html"
    old = (offline_server.root / page).read_bytes()
    offline_server.show(site, second_edition)
    new = (offline_server.root / page).read_bytes()
    mend = offline_server.fault(f"/{page}$", status=500)
    book.load(CELLS)
    failed(page)
    mend()
    (offline_server.root / page).write_bytes(old)
    book.load(CELLS)
    failed(page)
    # What a failed worker began to keep goes with it.
    until(lambda: caches(book) == first)
    offline_server.cut = True
    for path in ("14-one-breath/", "02-three-budgets/"):
        assert editions(book.load(path)) == {"first"}
    says(book, PLAIN)
    offline_server.cut = False
    (offline_server.root / page).write_bytes(new)
    says(book.load(CELLS), NEW)


@pytest.mark.parametrize("engine", ["firefox"], indirect=True)
def test_without_service_workers_the_book_is_as_before(engine: Firefox, offline_server: Server) -> None:
    """As in a private window; only Firefox has a switch for it."""
    plain = Firefox(engine.path, {"dom.serviceWorkers.enabled": False})
    try:
        book = Book(plain.open(), offline_server.base).load(CELLS)
        assert book.tab.js("return 'serviceWorker' in navigator") is False
        assert book.cell(1).run().state == "done"
        book.turn(WIDGET)
        assert book.tab.js(f"return {NOTE}") == ""
        quiet(book.tab, book.base)
    finally:
        plain.close()
