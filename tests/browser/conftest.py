"""One browser an engine, the servers of the built site, and the tabs in which tests read it."""

from __future__ import annotations

import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import BROWSER
from tests.conftest import ENGINES as NAMES

from .book import Book
from .engine import Engine, Tab
from .holdings import fewest, holding
from .server import BLANK, Server

ENGINES = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "chrome"),
    "firefox": ("firefox-esr", "firefox"),
    "webkit": ("WebKitWebDriver",),
}
assert tuple(ENGINES) == NAMES

# Where Python is kept on the device, and what is there once it is whole.
PYTHON = "occusite-python"
PYTHON_IS_KEPT = f"""
(async () => {{
  const names = (await (await caches.open("{PYTHON}")).keys()).map((request) => request.url);
  return names.length >= 4 && names.some((name) => name.endsWith("?snapshot"));
}})()
"""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A walk is a test for every page that holds what it goes to see."""
    if walk := metafunc.definition.get_closest_marker("walk"):
        metafunc.parametrize("page", holding(*walk.args))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs a browser; keep the engines asked for, and beyond Chromium what an engine can change, on few pages."""
    engines, all_of_it = config.option.engine or NAMES, config.option.all
    chosen, left_out = [], []
    for item in items:
        if BROWSER not in item.path.parents:
            chosen.append(item)
            continue
        item.add_marker(pytest.mark.browser)
        values = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        # What needs no engine runs once.
        engine = values.get("engine", NAMES[0])
        walk = item.get_closest_marker("walk")
        chromium, few, long, one_engine = (
            engine == NAMES[0],
            *map(item.get_closest_marker, ("few", "long", "one_engine")),
        )
        everywhere = not walk or values["page"] in fewest(*walk.args) or (chromium and not few)
        wanted = all_of_it or (not long and everywhere and (chromium or not one_engine))
        (chosen if engine in engines and wanted else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = chosen


@pytest.fixture(scope="session", params=NAMES)
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
    """The site under /occusite/. Every answer is asked for anew, so that a test sees, and can break, each request."""
    started = Server(site, probe=engine.name == "webkit", max_age=0)
    yield started
    started.close()


@pytest.fixture(scope="module")
def offline_server(site: Path, engine: Engine) -> Iterator[Server]:
    """The site with its service worker, which keeps the whole book on the device at a first visit."""
    started = Server(site, probe=engine.name == "webkit", offline=True)
    yield started
    started.close()


@pytest.fixture(scope="session")
def all_of_it(request: pytest.FixtureRequest) -> bool:
    """Whether the long run was asked for, `--all`."""
    return bool(request.config.option.all)


@pytest.fixture(scope="session")
def tour(engine: Engine, all_of_it: bool) -> list[str]:
    """The pages that a single long way through the book visits in this engine."""
    return holding("pages") if all_of_it else fewest("pages")


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
    walker.tab.front()
    yield walker
    quiet(walker.tab, walker.base)


class Shelf:
    """Tabs to borrow: each comes back to be emptied, since to begin a new session takes WebKit seconds."""

    def __init__(self, engine: Engine, server: Server) -> None:
        self.engine, self.server = engine, server
        self.idle: dict[bool, list[Tab]] = defaultdict(list)

    def borrow(self, first: bool, width: int, height: int) -> Tab:
        """An empty tab, at its first visit or with Python on the device."""
        if not self.idle[first]:
            tab = self.engine.open(width, height)
            tab.keep_stores(self.server.base + BLANK, PYTHON)
            return tab
        tab = self.idle[first].pop()
        tab.front()
        tab.resize(width, height)
        return tab

    def give_back(self, tab: Tab, first: bool) -> None:
        """Empty a tab for the next test."""
        if not first and tab.python() in ("ready", "running"):
            tab.wait(PYTHON_IS_KEPT)
        tab.empty(self.server.base + BLANK, [PYTHON] if first else [])
        self.idle[first].append(tab)

    def close(self) -> None:
        """Close all tabs."""
        for tab in [tab for tabs in self.idle.values() for tab in tabs]:
            tab.close()


@pytest.fixture(scope="session")
def shelf(engine: Engine, server: Server) -> Iterator[Shelf]:
    """The tabs of this engine that tests borrow."""
    made = Shelf(engine, server)
    yield made
    made.close()


@pytest.fixture
def fresh(shelf: Shelf) -> Iterator[Callable[..., Book]]:
    """Tabs in which nobody has read, though Python is on the device as after an earlier visit."""
    yield from _borrowed(shelf, first=False)


@pytest.fixture
def first(shelf: Shelf) -> Iterator[Callable[..., Book]]:
    """Tabs at a first visit: nothing of the book is on the device."""
    yield from _borrowed(shelf, first=True)


def _borrowed(shelf: Shelf, first: bool) -> Iterator[Callable[..., Book]]:
    borrowed: list[Tab] = []
    root = shelf.server.root

    def make(width: int = 1280, height: int = 900) -> Book:
        borrowed.append(shelf.borrow(first, width, height))
        return Book(borrowed[-1], shelf.server.base)

    yield make
    _mend(shelf.server, root)
    for tab in borrowed:
        shelf.give_back(tab, first)


@pytest.fixture
def visit(engine: Engine, offline_server: Server) -> Iterator[Callable[..., Book]]:
    """New tabs on the site with its service worker, which nothing short of a new session forgets."""
    opened: list[Tab] = []
    root = offline_server.root

    def make() -> Book:
        opened.append(engine.open())
        return Book(opened[-1], offline_server.base)

    yield make
    _mend(offline_server, root)
    for tab in opened:
        tab.close()


def _mend(server: Server, root: Path) -> None:
    """End what a test made the network do."""
    server.cut, server.link, server.root = False, None, root
    server.faults.clear()


# A browser's note that a box was measured again in the next frame: the theme's observers of sizes cause it too.
MEASURED_LATER = r"ResizeObserver loop completed with undelivered notifications\."


def quiet(tab: Tab, base: str, besides: str = "(?!)") -> None:
    """Fail on any complaint of the page that the pattern `besides` does not match, and on any request that left the
    site's origin."""
    complaints = [c for c in tab.complaints() if not re.match(f"{besides}|{MEASURED_LATER}", c)]
    assert not complaints, "the page complained:\n" + "\n".join(complaints)
    origin = urlsplit(base)[:2]
    elsewhere = [r for r in tab.requests if urlsplit(r)[:2] != origin and urlsplit(r).scheme not in ("blob", "data")]
    assert not elsewhere, "requests left the site's origin:\n" + "\n".join(elsewhere)
