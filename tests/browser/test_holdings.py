"""The walks: their lists of pages hold all that the pages hold, and the fewest pages leave no kind out."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from .holdings import ROOTS, Holdings, cover, fewest, holding, holdings


def test_what_a_page_holds_is_what_its_file_holds(site: Path) -> None:
    """Counted by another parser, with CSS."""
    for page, held in holdings().items():
        soup = BeautifulSoup((site / page / "index.html").read_text(encoding="utf-8"), "html.parser")
        assert held.count == {walk: len(soup.select(f"{tag}.{name}")) for walk, (tag, name) in ROOTS.items()}, page


@pytest.mark.parametrize("walk", ROOTS)
def test_the_fewest_pages_hold_every_kind(walk: str) -> None:
    pages, few = holding(walk), fewest(walk)
    kinds = {page: holdings()[page].kinds[walk] for page in pages}
    assert set().union(*kinds.values()) == set().union(*(kinds[page] for page in few))
    assert 0 < len(few) < len(pages)
    for page in few:
        others = set().union(*(kinds[other] for other in few if other != page))
        assert kinds[page] - others, f"{page} brings nothing that the others lack"


def test_controls_outputs_and_exercises_are_told_apart() -> None:
    """What the engines handle each in their own way is a kind of its own."""

    def has(walk: str, *tags: str) -> None:
        kinds = set().union(*(holdings()[page].kinds[walk] for page in fewest(walk)))
        for tag in tags:
            assert any(tag in kind.split() for kind in kinds), f"no {tag} among the {walk}"

    has("widgets", "type=range", "type=number", "type=radio", "select", "textarea", "data-playable", "data-presets")
    has("cells", "occ-out--text", "occ-out--html", "figure", "svg")
    has("exercises", "data-form=code", "data-form=choose", "data-form=numbers")


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ('<section class="occ-cell"><p>', {"section occ-cell", "p"}),
        ('<section class="occ-cell"><section><b></section><i></section><p>', {"section occ-cell", "section", "b", "i"}),
        ('<section class="occ-cell" hidden data-expect="E"></section>', {"section hidden data-expect occ-cell"}),
        (
            '<section class="occ-cell"><p class="occ-a--x occ-out occ-out--text k">',
            {"section occ-cell", "p occ-out occ-out--text"},
        ),
        (
            '<section class="occ-cell" data-expect=""><input type="range" data-playable="40">',
            {"section occ-cell", "input type=range data-playable"},
        ),
        ('<section><p class="occ-cell">', set()),
    ],
)
def test_kinds_are_of_what_stands_inside(html: str, kinds: set[str]) -> None:
    assert Holdings(html).kinds["cells"] == kinds


@pytest.mark.parametrize(
    "kinds",
    [
        {},
        {"a": set()},
        {"a": {1}, "b": {1, 2}, "c": {3}},
        {"a": {1, 2, 3}, "b": {4, 5, 6}, "c": {1, 4}, "d": {2, 5}, "e": {3, 6}},
        {"a": {1, 2}, "b": {3, 4}, "c": {2, 3}},
    ],
)
def test_a_cover_is_whole_and_as_small_as_any(kinds: dict[str, set[int]]) -> None:
    """Against all choices; where greedy is not best, the difference is known to be small and is not in these."""
    whole = set().union(*kinds.values())
    named = {name: {str(kind) for kind in held} for name, held in kinds.items()}
    least = next(
        size
        for size in range(len(kinds) + 1)
        if any(set().union(*(kinds[name] for name in names)) == whole for names in combinations(kinds, size))
    )
    chosen = cover(named)
    assert set().union(*(kinds[name] for name in chosen)) == whole and len(chosen) == least
    assert chosen == [name for name in kinds if name in chosen], "not in the order of the pages"
