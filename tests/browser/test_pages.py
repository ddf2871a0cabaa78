"""Pages: each one loads without a complaint, asks only its own origin, fits 360 px, and is complete without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .book import Book, page_paths
from .conftest import quiet
from .engine import Engine
from .server import PREFIX, Server


@pytest.fixture(scope="module")
def phone(engine: Engine, server: Server) -> Iterator[Book]:
    """A tab as narrow as a small phone."""
    tab = engine.open(360, 740)
    yield Book(tab, server.base)
    tab.close()


def test_the_built_pages_are_the_written_ones(site: Path) -> None:
    built = {f.parent.relative_to(site).as_posix() for f in site.rglob("index.html")}
    assert {p.strip("/") or "." for p in page_paths()} <= built


@pytest.mark.walk("pages")
def test_a_page_loads_quietly_and_fits_a_phone(phone: Book, page: str) -> None:
    phone.load(page)
    wide = phone.tab.js(
        """
        await document.fonts.ready;
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= width) return [];
        return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 1)
          .slice(0, 5).map((e) => e.outerHTML.slice(0, 100));
        """
    )
    assert not wide, f"wider than the screen: {wide}"
    quiet(phone.tab, phone.base)


@pytest.mark.walk("pages")
@pytest.mark.one_engine
@pytest.mark.few
def test_a_page_loads_quietly_on_a_desktop(reader: Book, page: str) -> None:
    reader.load(page)


@pytest.mark.one_engine
def test_nothing_of_python_is_loaded_before_intent(first: Callable[..., Book], server: Server) -> None:
    book = first()
    server.log.clear()
    book.load("02-three-budgets/")
    book.tab.js("await new Promise((done) => setTimeout(done, 700))")
    heavy = [p for p in server.log if any(w in p for w in ("pyodide", "worker-", "editor-", "charts-"))]
    assert not [p for p in heavy if "/search" not in p and "javascripts/workers" not in p]
    assert book.tab.python() == "off"


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    """Each address that a page of the site names, below the site, is a file."""
    import re

    missing = []
    for page in site.rglob("*.html"):
        for address in re.findall(r'\b(?:href|src)="([^"#?:]+)[^":]*"', page.read_text(encoding="utf-8")):
            file = site / address.removeprefix(PREFIX) if address.startswith("/") else page.parent / address
            if not (file.is_file() or (file / "index.html").is_file()):
                missing.append(f"{page.relative_to(site)} → {address}")
    assert not missing


@pytest.fixture(scope="module")
def still(engine: Engine, server: Server) -> Iterator[Book]:
    """Chromium with JavaScript off; the page is the same file for every engine."""
    tab = engine.open(java_script_enabled=False)  # type: ignore[call-arg]
    yield Book(tab, server.base)
    tab.close()


@pytest.mark.parametrize("engine", ["chromium"], indirect=True)
@pytest.mark.walk("pages")
@pytest.mark.few
def test_a_page_is_complete_without_scripts(still: Book, page: str) -> None:
    still.tab.goto(still.base + page)
    wrong = still.tab.js(
        """
        const seen = (e) => e && e.checkVisibility() && e.getBoundingClientRect().height > 0;
        const wrong = [];
        const want = (e, what) => { if (!seen(e)) wrong.push(what); };
        want(document.querySelector("h1"), "the heading");
        for (const cell of document.querySelectorAll("section.occ-cell:not([hidden])")) {
          want(cell.querySelector(".occ-cell-source"), `code of cell ${cell.dataset.cell}`);
          for (const out of cell.querySelector(".occ-output").children) want(out, `output of cell ${cell.dataset.cell}`);
          if (cell.querySelector("button")) wrong.push(`a button in cell ${cell.dataset.cell} that does nothing`);
        }
        for (const form of document.querySelectorAll("form.occ-widget")) {
          want(form.querySelector(".occ-status"), `what ${form.id} says`);
          for (const part of form.querySelectorAll("[data-part]")) if (part.innerHTML) want(part, `${form.id} ${part.dataset.part}`);
        }
        for (const figure of document.querySelectorAll("figure[data-kind=chart]")) {
          if (![...figure.querySelectorAll("svg")].some(seen)) wrong.push("a chart's picture");
        }
        // A control that cannot work is hidden, disabled, or stands beside a word that it needs JavaScript.
        for (const box of document.querySelectorAll("form")) {
          const works = [...box.querySelectorAll("input, select, button")].filter((c) => seen(c) && !c.disabled && !c.closest("[inert]"));
          if (works.length && box.closest("main") && !box.querySelector("noscript, .occ-needs-js")) wrong.push(`live controls in ${box.id || box.className}`);
        }
        return wrong;
        """
    )
    assert not wrong
