"""The whole book on one page: everything of every chapter, standing still, with anchors and links of its own."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup, Tag

from occusite.book.build import print_edition as whole

KEYS = {"02-two/": "02-two", "reference/sources/": "reference-sources"}
CHAPTERS = [
    whole.Chapter(
        "02-two/",
        "Two",
        '<h1 id="two">Two<a class="headerlink" href="#two">#</a></h1><p>See <a href="../reference/sources/#little">Little</a>, '
        '<a href="#two">here</a>, <a href="../03-three/#x">three</a>, <a href="https://example.org/a#b">there</a>.</p>'
        '<form class="occ-widget occ-widget--w" data-widget="w" id="w1"><div class="occ-controls">'
        '<label for="w1-a">A</label><input type="range" id="w1-a" name="a" value="7"><output for="w1-a">7</output>'
        '<label for="w1-n">N</label><input type="number" id="w1-n" value="400">'
        '<label><input type="radio" name="r" value="0"><span>off</span></label>'
        '<label><input type="radio" name="r" value="1" checked><span>on</span></label>'
        '<select name="s"><option value="1">one</option><option value="2" selected>two</option></select></div>'
        '<figure class="occ-figure" data-kind="chart" data-part="p"><svg viewBox="0 0 1 1"><clipPath id="clip0"></clipPath>'
        '<g clip-path="url(#clip0)"></g></svg><template class="occ-spec">{"a": "</b>"}</template></figure></form>'
        '<section class="occ-cell" data-cell="1"><pre>1 &lt; 2</pre><div class="occ-cell-toolbar"></div></section>'
        '<section class="occ-exercise" id="e" data-exercise="e" aria-labelledby="e-title">'
        '<h3 class="occ-exercise-title" id="e-title">A question</h3><form class="occ-exercise-form" novalidate>'
        '<input type="number" required><label><input type="radio" required value="0"><span>48 warps</span></label>'
        '<button type="submit">Check</button></form><details class="occ-hint"><summary>A hint</summary>A hint</details>'
        '<details class="occ-solution"><summary>Show</summary><p>It is <a href="#two">6</a>.</p></details></section>'
        '<p>Next: <a href="../03-three/">Three</a>.</p>',
    ),
    whole.Chapter(
        "reference/sources/",
        "Sources",
        '<h1 id="s">Sources</h1><dl><dt id="little">L</dt></dl><a href="../../02-two/">t</a>',
    ),
]


@pytest.fixture
def made() -> BeautifulSoup:
    """The page of the two chapters above."""
    return BeautifulSoup(whole.book(CHAPTERS), "html.parser")


def test_nothing_on_it_can_be_pressed_or_wakes_a_script(made: BeautifulSoup) -> None:
    assert not made.select("form, input, select, button, textarea, template, [data-kind], [data-widget], [data-cell]")
    assert not made.select("section.occ-cell, section.occ-exercise, .headerlink, .occ-cell-toolbar, .occ-hint")
    assert [f["class"][0] for f in made.select("figure")] == ["occ-widget", "occ-figure", "occ-cell", "occ-exercise"]
    assert made.select_one("figure.occ-cell pre").get_text() == "1 < 2"
    assert made.select_one("[data-part=p]")


def test_controls_say_where_they_stand(made: BeautifulSoup) -> None:
    controls = made.select_one(".occ-controls")
    assert controls.get_text(" ", strip=True) == "A 7 N 400 on two"
    exercise = made.select_one(".occ-exercise")
    assert exercise.select_one(".occ-write") and "48 warps" in exercise.get_text()


def test_links_between_chapters_stay_on_the_page(made: BeautifulSoup) -> None:
    found = [a["href"] for a in made.select("#\\30 2-two p a")]
    assert found == ["#reference-sources--little", "#02-two--two", "../03-three/#x", "https://example.org/a#b"]
    assert made.select_one("#reference-sources > a")["href"] == "#02-two"
    assert [a["href"] for a in made.select(".occ-contents a")] == ["#02-two", "#reference-sources", "#solutions"]
    assert made.select_one("g")["clip-path"] == f"url(#{made.find('clippath')['id']})" == "url(#02-two--clip0)"


def test_solutions_stand_at_the_end(made: BeautifulSoup) -> None:
    assert not made.select(".occ-solution")
    worked = made.select_one("#solutions .occ-worked")
    assert worked.get_text(" ", strip=True) == "A question It is 6 ." and worked.a["href"] == "#02-two--two"
    assert "It is" not in made.select_one(".occ-exercise").get_text()
    assert [h.name for h in made.select("h2, h3, h4")] == ["h2", "h4", "h2", "h2", "h3", "h4"]


# ---------- the built page ----------


def soup(path: Path) -> Tag:
    found = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").article
    assert found is not None
    return found


def test_the_built_page_holds_every_chapter_whole(site: Path) -> None:
    page = soup(site / "print" / "index.html")
    chapters = sorted(p.parent for p in site.glob("[01][0-9]-*/index.html"))
    assert len(chapters) >= 13
    assert [s["id"] for s in page.select(".occ-chapter")][: len(chapters)] == [c.name for c in chapters]
    for folder in chapters:
        there, here = soup(folder / "index.html"), page.find(id=folder.name)
        for css in ("table", "math", ".occ-cell", ".occ-widget", ".occ-exercise", ".occ-static--wide svg", ".occ-v"):
            kept = [
                e
                for e in there.select(css)
                if not e.find_parent(class_=re.compile("occ-solution|occ-hint|occ-presets"))
            ]
            assert len(here.select(css)) == len(kept), (folder.name, css)
        solutions = there.select(".occ-exercise > .occ-solution")
        assert solutions
        for paragraph in [p for s in solutions for p in s.find_all("p", recursive=False)]:
            assert paragraph.get_text() in page.find(id="solutions").get_text()


def test_its_anchors_are_its_own_and_lead_somewhere(site: Path) -> None:
    page = soup(site / "print" / "index.html")
    ids = Counter(e["id"] for e in page.select("[id]"))
    assert set(ids.values()) == {1}
    inner = [a["href"][1:] for a in page.select("a[href^='#']")]
    assert len(inner) > 100 and set(inner) <= set(ids)
    for link in page.select("a[href]"):
        parts = urlsplit(link["href"])
        if not parts.scheme and parts.path:
            assert (site / "print" / parts.path).resolve().exists(), link
    assert not page.select("form, input, select, button, template, section.occ-cell, section.occ-exercise, [data-kind]")
