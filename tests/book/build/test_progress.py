"""The page of all exercises: each once, in the order of the chapters, linked to where it stands."""

from __future__ import annotations

from occusite.book import exercises
from occusite.book.build.progress import overview
from occusite.book.parts import exercise as ex
from tests.book.seen import parsed, words

ALL = {name: exercises.load(name) for name in exercises.names()}


def test_overview_holds_every_exercise_once() -> None:
    html = overview({"ties": "../02/#exercise-ties"}, lambda s: "")
    assert all(html.count(f'data-progress="{name}"') == 1 for name in ALL)
    assert all(html.count(f'id="{ex.anchor(name)}"') == (name != "ties") for name in ALL)
    assert html.count('href="../02/#exercise-ties"') == 1


def test_the_table_names_chapter_and_kind_in_order() -> None:
    tree = parsed(overview({name: f"../there/#{name}" for name in ALL}, lambda s: ""))
    rows = [[words(cell) for cell in row.select("td")] for row in tree.select("tbody tr")]
    expected = sorted([e.chapter, e.title, ex.KINDS[e.kind].lower(), "–"] for e in ALL.values())
    assert rows == [[str(chapter), *(" ".join(x.split()) for x in rest)] for chapter, *rest in expected]
    assert words(tree.select_one(".occ-progress-summary")) == f"{len(ALL)} exercises."
    assert [words(h) for h in tree.select("thead th")] == ["chapter", "exercise", "kind", "progress"]
    # Every exercise has its page here: none is drawn again below.
    assert not tree.select("h2") and not tree.select("section.occ-exercise")
    rest = parsed(overview({}, lambda s: ""))
    assert words(rest.h2) == "More to practise" and len(rest.select("section.occ-exercise")) == len(ALL)
