"""The search finds a word by any of its names, and the chapter that explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from .book import Book
from .conftest import Shelf

# The results, best first, as paths below the site.
FOUND = (
    "[...document.querySelectorAll('.md-search-result__link')]"
    ".map((a) => a.href.replace(/\\?[^#]*/, '').slice(document.querySelector('.md-logo').href.length))"
)

pytestmark = pytest.mark.one_engine


@pytest.fixture(scope="module")
def home(shelf: Shelf) -> Iterator[Book]:
    """A tab on the home page, whose index of words serves many searches."""
    tab = shelf.borrow(False, 1280, 900)
    yield Book(tab, shelf.server.base).load("")
    shelf.give_back(tab, False)


@pytest.mark.parametrize(
    ("words", "entry", "chapter"),
    [
        ("CTA", "block", "02-three-budgets/"),
        ("thread block", "block", "02-three-budgets/"),
        ("wavefront", "warp", "01-latency-hiding/"),
        ("LDS", "shared-memory", ""),
        ("limiter", "binding", ""),
        ("eligible", "ready", "09-trap/"),
        ("maxrregcount", "launch-bounds", "10-compilers/"),
    ],
)
def test_a_word_is_found_by_its_other_names(home: Book, words: str, entry: str, chapter: str) -> None:
    home.search(words)
    home.tab.wait(f"{FOUND}.slice(0, 4).includes(args[0])", f"reference/glossary/#{entry}")
    home.tab.wait(f"{FOUND}.some((path) => path.startsWith(args[0]))", chapter)


def test_a_chapter_is_found_by_its_subject(home: Book) -> None:
    home.search("little's law")
    home.tab.wait(f"{FOUND}[0].startsWith('06-littles-law/')")


CLOSED = "!document.querySelector('#__search').checked"


@pytest.mark.parametrize("words", ["", "occupancy"], ids=["empty", "with results"])
def test_tab_leads_past_the_search_and_closes_it(fresh: Callable[..., Book], words: str) -> None:
    book = fresh().load("")
    book.search(words)
    # Behind the field, neither before it nor in it.
    beyond = (
        "return document.querySelector('.md-search').compareDocumentPosition(document.activeElement)"
        " === Node.DOCUMENT_POSITION_FOLLOWING"
    )
    for _ in range(4):
        book.tab.press("Tab")
        if book.tab.js(beyond):
            break
    assert book.tab.js(beyond), f"Tab leads to {book.tab.js('return document.activeElement.outerHTML.slice(0, 200)')}"
    book.tab.wait(CLOSED)
