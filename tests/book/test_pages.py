"""Every page of the built book: no number unaccounted for, no dead link, nothing without its words, no misspelling."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from spylls.hunspell import Dictionary, data

from occusite import devices
from occusite.book.content import bibliography, glossary, pages

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = list(pages.pages(DOCS))
# The whole book on one page says again what the pages say; its links and its structure are its own.
WRITTEN = [page for page in PAGES if page != "print/"]


def navigation() -> list[object]:
    """The navigation as mkdocs.yml has it: titles with pages, and parts with their chapters."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    found: list[object] = yaml.safe_load(text[text.index("\nnav:") :].split("\n\n")[0])["nav"]
    return found


# Chapters in reading order: what stands in the parts of the book, which the reference is not.
PARTS = [part for entry in navigation() if isinstance(entry, dict) for part in entry.items() if part[0] != "Reference"]
CHAPTERS = [re.sub(r"\.\w+$", "/", page) for _, chapters in PARTS if isinstance(chapters, list) for page in chapters]
BASE = "/occusite/"

# What Python made, or shows as code: numbers in it are computed, or quoted where they stand with their source.
COMPUTED = """
span.occ-v, table, pre, code, math, svg, figure, section.occ-cell, form.occ-widget, section.occ-exercise, .occ-progress,
a.occ-cite, dl.occ-sources, a.headerlink, .doc, template, script, style
"""

# Names that hold digits, beside those of GPUs in the package's tables.
NAMES = [
    r"L[12]",  # caches
    r"G80",  # the chip of the talk in chapter 7
    r"sm_\d+[af]?",
    r"compute capability \d+\.\d",
    r"32-bit",
    r"[Cc]hapter \d+",
]


@cache
def soup(site: Path, page: str) -> BeautifulSoup:
    return BeautifulSoup((site / page / "index.html").read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(site: Path, page: str) -> frozenset[str]:
    """What a link may point at within a page."""
    return frozenset(str(e[name]) for name in ("id", "name") for e in soup(site, page).select(f"[{name}]"))


def article(site: Path, page: str) -> Tag:
    """A fresh copy of what a page says, to cut from."""
    found = BeautifulSoup(str(soup(site, page).select_one("article")), "html.parser").article
    assert found is not None
    return found


def without(tree: Tag, css: str) -> Tag:
    """`tree` with everything that matches replaced by a mark."""
    for element in tree.select(css):
        if not element.decomposed:
            element.replace_with(" ¤ ")
    return tree


@cache
def gpu_names() -> re.Pattern[str]:
    """GPUs as prose names them: "RTX 3090", "A100", "L40"."""
    words = [name.split() for gpu in devices.gpus() for name in (gpu.name, *gpu.aliases)]
    single = {word for name in words for word in name if re.fullmatch(r"[A-Z]+\d+[A-Z]*", word)}
    pairs = {f"{a} {b}" for name in words for a, b in itertools.pairwise(name) if a.isupper() and b.isdigit()}
    return re.compile("|".join(sorted(map(re.escape, single | pairs), key=len, reverse=True)))


# ---------- numbers, citations, links ----------


@pytest.mark.parametrize("page", WRITTEN)
def test_every_number_in_prose_is_a_value_or_a_name(site: Path, page: str) -> None:
    text = " ".join(without(article(site, page), COMPUTED).get_text(" ").split())
    for allowed in (gpu_names().pattern, *NAMES):
        text = re.sub(rf"(?<!\w)(?:{allowed})(?!\w)", "¤", text)
    assert not re.findall(r".{0,50}\d.{0,30}", text)


@pytest.mark.parametrize("page", WRITTEN)
def test_every_citation_is_in_the_sources(site: Path, page: str) -> None:
    entries = {entry["id"] for entry in soup(site, bibliography.PAGE).select("dl.occ-sources > dt")}
    assert entries == set(bibliography.sources())
    for link in soup(site, page).select("article a.occ-cite"):
        path, _, key = str(link["href"]).partition("#")
        assert path.endswith(bibliography.PAGE) and key in entries, link
    assert "[^" not in article(site, page).get_text(), "a footnote; cite a source instead"


def links(site: Path, page: str) -> Iterator[tuple[str, str, str]]:
    """Every link of a page that stays on the site: as written, the file it leads to, the anchor."""
    for link in soup(site, page).select("a[href]"):
        address = str(link["href"])
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        path = unquote(parts.path)
        if path.startswith("/"):
            assert path.startswith(BASE), f"{page}: {address} leaves the site"
            target = path.removeprefix(BASE)
        else:
            target = f"{page}{path}" if path else page
        yield address, target, parts.fragment


@pytest.mark.parametrize("page", [*PAGES, "404.html"])
def test_every_link_and_anchor_leads_somewhere(site: Path, page: str) -> None:
    if page == "404.html":
        missing = BeautifulSoup((site / page).read_text(encoding="utf-8"), "html.parser")
        inner = [str(a["href"]) for a in missing.select("a[href]") if str(a["href"]).startswith(BASE)]
        assert inner
        assert all((site / unquote(urlsplit(a).path.removeprefix(BASE))).exists() for a in inner)
        return
    for address, target, anchor in links(site, page):
        file = (site / target).resolve()
        assert site in (file, *file.parents), f"{address} leaves the site"
        if file.is_dir():
            file /= "index.html"
        assert file.is_file(), f"{address} leads nowhere"
        if anchor and file.suffix == ".html":
            name = "" if file.parent == site else f"{file.parent.relative_to(site).as_posix()}/"
            assert unquote(anchor) in anchors(site, name), f"{address}: no such anchor"


# ---------- words for what is seen ----------


@pytest.mark.parametrize("page", PAGES)
def test_structure(site: Path, page: str) -> None:
    whole = soup(site, page)
    assert whole.html is not None and whole.html["lang"] == "en"
    assert len(whole.select("h1")) == 1
    levels = [int(h.name[1]) for h in whole.select("article :is(h1, h2, h3, h4, h5, h6)")]
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), levels
    twice = [name for name, times in Counter(str(e["id"]) for e in whole.select("[id]")).items() if times > 1]
    assert not twice
    description = whole.select_one("meta[name=description]")
    assert description is not None and len(str(description["content"])) > 30


@pytest.mark.parametrize("page", PAGES)
def test_every_picture_says_what_it_shows(site: Path, page: str) -> None:
    for picture in soup(site, page).select("article :is(svg, img)"):
        if picture.find_parent("svg") or picture.get("aria-hidden") == "true":
            continue
        holder = picture if picture.get("role") == "img" or picture.name == "img" else picture.find_parent(role="img")
        words = holder and (holder.get("aria-label") or holder.get("alt"))
        assert words, f"no text alternative: {str(picture)[:200]}"
    for figure in soup(site, page).select("article figure[data-kind=chart]"):
        labels = {str(e["aria-label"]) for e in figure.select("[role=img][aria-label]")}
        assert labels and all(len(label.split()) >= 6 for label in labels), (
            f"a chart's alternative says little: {labels}"
        )


@pytest.mark.parametrize("page", PAGES)
def test_every_table_has_a_caption(site: Path, page: str) -> None:
    for table in soup(site, page).select("article table"):
        figure = table.find_parent("figure")
        caption = table.caption or (figure and figure.find("figcaption"))
        assert caption and caption.get_text(strip=True), table.get_text(" ", strip=True)[:80]
        assert table.select("thead th"), "a table without headings"


@pytest.mark.parametrize("page", PAGES)
def test_every_formula_can_be_said(site: Path, page: str) -> None:
    for formula in soup(site, page).select("article math"):
        said = str(formula.get("alttext", ""))
        assert said and said == formula.get("aria-label")
        assert not re.search(r"[\\{}×÷=⌈⌉⌊⌋]", said), said


@pytest.mark.parametrize("page", PAGES)
def test_every_control_has_a_label(site: Path, page: str) -> None:
    whole = soup(site, page)
    for control in whole.select("article :is(input, select, textarea, button, output)"):
        if control.get("type") == "hidden" or control.name == "output":
            continue
        named = control.get("aria-label") or control.find_parent("label") or control.get_text(strip=True)
        for name in str(control.get("aria-labelledby", "")).split():
            assert whole.find(id=name), f"{control}: labelled by nothing"
            named = True
        named = named or whole.select(f'label[for="{control.get("id")}"]')
        assert named, f"no label: {control}"
    for label in whole.select("article label[for], article output[for]"):
        names = label["for"]
        for name in names.split() if isinstance(names, str) else names:
            assert whole.find(id=name), f"{label}: for nothing"


# ---------- the shape of a chapter ----------


def test_the_navigation_has_every_page() -> None:
    named = re.findall(r"[\w/-]+\.(?:md|ipynb)", str(navigation()))
    written = [p for p in [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")] if "overrides" not in p.parts]
    assert sorted(named) == sorted(
        p.relative_to(DOCS).as_posix() for p in written if ".ipynb_checkpoints" not in p.parts
    )
    numbered = [page for page in CHAPTERS if re.match(r"\d\d-", page)]
    assert numbered == sorted(numbered) == [page for page in PAGES if re.match(r"\d\d-", page)]


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_asks_first_and_ends_with_what_to_remember(site: Path, page: str) -> None:
    text = article(site, page)
    question = text.select_one("h1 ~ p.occ-question")
    assert question is not None and question.get_text(strip=True).endswith("?")
    summary = text.select("div.admonition.summary")
    assert len(summary) == 1 and summary[0].select_one(".admonition-title").get_text() == "What to remember"
    assert 3 <= len(summary[0].select("li")) <= 5


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_has_exercises_and_leads_on(site: Path, page: str) -> None:
    text = article(site, page)
    assert text.find(id="your-turn"), "no heading Your turn"
    exercises = [e for e in text.select("section.occ-exercise[data-exercise]") if e["data-exercise"]]
    assert 2 <= len(exercises) <= 6
    [last] = [p for p in text.select("p") if p.get_text().startswith("Next:")]
    following = CHAPTERS[CHAPTERS.index(page) + 1 :]
    targets = [target for _, target, _ in links(site, page)]
    where = str(last.select("a")[0]["href"])
    assert f"../{following[0]}" == where if following else where == "../progress/"
    assert targets


# ---------- words ----------


@cache
def running(site: Path, page: str) -> Tag:
    """A page's sentences, without questions, exercises, tables, headings."""
    return without(
        article(site, page),
        "h1, h2, h3, table, pre, code, math, section, form, figure, .occ-budget, .occ-question, .occ-progress, .summary",
    )


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_word_is_linked_once_where_it_is_first_used(site: Path, page: str) -> None:
    terms = [str(a["href"]).partition("#")[2] for a in soup(site, page).select("article a.occ-term")]
    assert len(set(terms)) == len(terms), "linked twice"
    assert set(terms) <= set(glossary.terms())
    for link in running(site, page).select("a.occ-term"):
        word = re.compile(rf"\b{re.escape(link.get_text())}\b", re.IGNORECASE)
        before = " ".join(str(text) for text in link.find_all_previous(string=True))
        assert not word.search(before), f"{link.get_text()!r} is used before it is linked"


def test_every_word_of_the_glossary_is_linked_from_the_page_that_explains_it(site: Path) -> None:
    assert len(glossary.terms()) > 40
    for key, term in glossary.terms().items():
        page = f"{term.chapter}/"
        assert page in PAGES, f"{key}: no page {term.chapter}"
        assert set(term.see) <= set(glossary.terms())
        assert page not in CHAPTERS or soup(site, page).select(f'article a[href$="{glossary.PAGE}#{key}"]'), (
            f"{page} does not link {key}"
        )


def dictionary() -> Dictionary:
    found = Dictionary.from_files(str(Path(data.__path__[0]) / "en" / "en_US"))
    assert found.lookup("occupancy") and not found.lookup("occupany")
    return found


def said(site: Path, page: str) -> str:
    """What a page says, to the eye and to the ear, without code and data."""
    css = "pre, code, kbd, math, select, textarea, .occ-cell-source, .occ-grid tbody, .doc, template, script, style"
    names = "dl.occ-sources > dt, dl.occ-sources > dd > p, ul.occ-words, .occ-also, a.occ-cite"
    text = without(article(site, page), f"{css}, {names}")
    heard = [str(e[name]) for name in ("aria-label", "alt", "title") for e in text.select(f"[{name}]")]
    return " ".join([without(text, "svg").get_text(" "), *heard])


def test_spelling(site: Path) -> None:
    spelled = cache(dictionary().lookup)
    ours = {
        word
        for line in (ROOT / "tests" / "data" / "words.txt").read_text(encoding="utf-8").splitlines()
        for word in line.partition("#")[0].split()
    }
    wrong: dict[str, str] = {}
    used = set()
    for page in WRITTEN:
        text = re.sub(r"\w*[\d_]\w*", " ", said(site, page))
        for word in set(re.findall(r"[^\W\d_][\w’']*(?:-\w[\w’']*)*", text)):
            plain = word.replace("’", "'")
            for part in [plain] if spelled(plain) else plain.split("-"):
                stem = re.sub(r"'s?$", "", part)
                forms = {stem, stem.lower(), stem.removesuffix("s"), stem.lower().removesuffix("s")}
                if forms & ours:
                    used |= forms & ours
                elif not spelled(stem):
                    wrong[part] = page
    assert not wrong
    assert not sorted(ours - used), "words that no page uses"


@pytest.mark.parametrize("page", WRITTEN)
def test_spelling_is_british(site: Path, page: str) -> None:
    american = r"\b\w*(?:colors?|colored|behaviors?|favors?|neighbors?|neighboring|centers?|centered|gray|judgment)\b"
    assert not re.findall(american, said(site, page), re.IGNORECASE)
