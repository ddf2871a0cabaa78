"""The search finds a word by any of its names, and the chapter that explains it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .book import Book

# The results, best first, as paths below the site.
FOUND = (
    "[...document.querySelectorAll('.md-search-result__link')]"
    ".map((a) => a.href.replace(/\\?[^#]*/, '').slice(document.querySelector('.md-logo').href.length))"
)


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
def test_a_word_is_found_by_its_other_names(fresh: Callable[..., Book], words: str, entry: str, chapter: str) -> None:
    book = fresh().load("")
    book.search(words)
    book.tab.wait(f"{FOUND}.slice(0, 4).includes(args[0])", f"reference/glossary/#{entry}")
    book.tab.wait(f"{FOUND}.some((path) => path.startsWith(args[0]))", chapter)


def test_a_chapter_is_found_by_its_subject(fresh: Callable[..., Book]) -> None:
    book = fresh().load("")
    book.search("little's law")
    book.tab.wait(f"{FOUND}[0].startsWith('06-littles-law/')")


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
