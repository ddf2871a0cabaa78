"""On paper: nothing is cut off, nothing to press is left, colours are the light scheme's, the cheat sheet is one sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from .book import Book
from .chromium import Chromium
from .server import Server

# The text area of a sheet of A4 between the margins of print.css, in CSS pixels.
WIDTH = round((210 - 2 * 17) / 25.4 * 96)
PAGES = ["print/", "03-shape-a-block/", "09-trap/", "12-session/", "14-one-breath/"]

# Only Chromium can be told to print.
pytestmark = pytest.mark.parametrize("engine", ["chromium"], indirect=True)


@pytest.fixture(scope="module")
def paper(engine: Chromium, server: Server) -> Iterator[Book]:
    """A reader in the dark scheme who prints."""
    tab = engine.open(WIDTH, 900, color_scheme="dark")
    tab.page.emulate_media(media="print", color_scheme="dark")
    yield Book(tab, server.base)
    tab.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_printed_page_is_clean(paper: Book, page: str) -> None:
    paper.load(page)
    wrong = paper.tab.js(
        """
        await document.fonts.ready;
        const wrong = [];
        const seen = (e) => e.checkVisibility() && e.getBoundingClientRect().height > 0;
        const say = (e, what) => wrong.push(`${what}: ${e.outerHTML.slice(0, 100)}`);
        for (const e of document.querySelectorAll("article *")) {
          if (!seen(e) || e.closest("svg, math") && !e.matches("svg, math")) continue;
          if (e.getBoundingClientRect().right > document.documentElement.clientWidth + 1) say(e, "wider than the paper");
          if (!e.matches("legend") && e.scrollWidth > e.clientWidth + 1 && ["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(e).overflowX)) say(e, "cut");
        }
        for (const e of document.querySelectorAll("button, header, footer, nav.md-nav, input[type=range], .occ-solution, .headerlink"))
          if (seen(e)) say(e, "of no use on paper");
        const ink = getComputedStyle(document.querySelector("article p")).color.match(/\\d+/g).map(Number);
        if (Math.max(...ink) > 130) wrong.push(`light ink: ${ink}`);
        return wrong;
        """
    )
    assert not wrong, "\n".join(wrong[:20])


def test_the_cheat_sheet_has_a_sheet_of_its_own(paper: Book) -> None:
    """Printed up to it, with it, and whole: the sheet begins a page and what follows begins the next."""
    paper.load("14-one-breath/")
    whole = sheets(paper)
    paper.tab.js(
        "let e = document.getElementById('what-comes-next'); while (e) { const n = e.nextElementSibling; e.remove(); e = n; }"
    )
    with_it = sheets(paper)
    paper.tab.js(
        "let e = document.getElementById('cheat-sheet'); while (e) { const n = e.nextElementSibling; e.remove(); e = n; }"
    )
    before_it = sheets(paper)
    assert (before_it, with_it) == (1, 2) and whole > 2


def test_the_whole_book_prints(paper: Book) -> None:
    paper.load("print/")
    chapters = paper.tab.js("return document.querySelectorAll('.occ-chapter').length")
    assert chapters >= 16
    # Each begins a page; and a book of that many words does not fit fewer.
    assert sheets(paper) > 3 * chapters


def sheets(book: Book) -> int:
    """How many sheets of A4 the page prints on."""
    printed = book.tab.page.pdf(format="A4", prefer_css_page_size=False)
    assert printed.startswith(b"%PDF")
    return len(re.findall(rb"/Type\s*/Page\b", printed))
