"""The built site, its server, one browser an engine, and the reader's tab that walks through the book."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from .book import ROOT, Book
from .engine import Engine, Tab
from .server import MAX_AGE, Server

ENGINES = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "chrome"),
    "firefox": ("firefox-esr", "firefox"),
    "webkit": ("WebKitWebDriver",),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests here need a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: the one `OCCUSITE_SITE` names, else built now."""
    if named := os.environ.get("OCCUSITE_SITE"):
        return Path(named).resolve()
    out = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "scripts" / "build.py", "--out", out], check=True)
    return out


@pytest.fixture(scope="session", params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """One browser of each engine; a skip names what is missing."""
    name: str = request.param
    variable = f"OCCUSITE_{name.upper()}"
    path = os.environ.get(variable) or next((p for c in ENGINES[name] if (p := shutil.which(c))), None)
    if not path:
        pytest.skip(f"none of {', '.join(ENGINES[name])} is on PATH, and {variable} names none")
    try:
        started = _start(name, path)
    except FileNotFoundError as missing:
        pytest.skip(f"{missing} is missing")
    yield started
    started.close()


def _start(name: str, path: str) -> Engine:
    # Each backend is imported only when its engine runs.
    if name == "chromium":
        from .chromium import Chromium

        return Chromium(path)
    if name == "firefox":
        from .firefox import Firefox

        return Firefox(path)
    from .webkit import WebKit

    return WebKit(path)


@pytest.fixture(scope="session")
def server(site: Path, engine: Engine) -> Iterator[Server]:
    """The site under /occusite/."""
    started = Server(site, probe=engine.name == "webkit")
    yield started
    started.close()


@pytest.fixture(scope="module")
def offline_server(site: Path, engine: Engine) -> Iterator[Server]:
    """The site with its service worker, which keeps the whole book on the device at a first visit."""
    started = Server(site, probe=engine.name == "webkit", offline=True)
    yield started
    started.close()


@pytest.fixture(scope="session")
def walker(engine: Engine, server: Server) -> Iterator[Book]:
    """The reader: one tab, whose Python outlives every page turned."""
    tab = engine.open()
    book = Book(tab, server.base)
    book.load("")
    yield book
    tab.close()


@pytest.fixture
def reader(walker: Book) -> Iterator[Book]:
    """The reader's tab; afterwards nothing may have been complained of, and nothing asked for elsewhere."""
    yield walker
    quiet(walker.tab, walker.base)


@pytest.fixture
def fresh(engine: Engine, server: Server) -> Iterator[Callable[..., Book]]:
    """Opens tabs with empty storage; what the network is made to do ends with the test."""
    yield from _visits(engine, server)


@pytest.fixture
def visit(engine: Engine, offline_server: Server) -> Iterator[Callable[..., Book]]:
    """The same on the site with its service worker."""
    yield from _visits(engine, offline_server)


def _visits(engine: Engine, server: Server) -> Iterator[Callable[..., Book]]:
    opened: list[Tab] = []

    def make(width: int = 1280, height: int = 900) -> Book:
        tab = engine.open(width, height)
        opened.append(tab)
        return Book(tab, server.base)

    root = server.root
    yield make
    server.cut, server.link, server.root, server.max_age = False, None, root, MAX_AGE
    server.faults.clear()
    for tab in opened:
        tab.close()


def quiet(tab: Tab, base: str, besides: str = "(?!)") -> None:
    """Fail on any complaint of the page that the pattern `besides` does not match, and on any request that left the
    site's origin."""
    complaints = [c for c in tab.complaints() if not re.match(besides, c)]
    assert not complaints, "the page complained:\n" + "\n".join(complaints)
    origin = urlsplit(base)[:2]
    elsewhere = [r for r in tab.requests if urlsplit(r)[:2] != origin and urlsplit(r).scheme not in ("blob", "data")]
    assert not elsewhere, "requests left the site's origin:\n" + "\n".join(elsewhere)
