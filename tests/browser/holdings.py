"""What each built page holds, and the fewest pages that together hold every kind of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser

from tests.conftest import built_site

# What a walk goes to see, by the element that holds it.
ROOTS = {
    "cells": ("section", "occ-cell"),
    "widgets": ("form", "occ-widget"),
    "controls": ("div", "occ-controls"),
    "exercises": ("section", "occ-exercise"),
    "pages": ("article", "md-content__inner"),
}
# Attributes without which a control, a cell or an exercise would be of another kind: by their value, or by being there.
VALUES = ("type", "data-form")
FLAGS = ("data-playable", "data-presets", "hidden")


def kind(tag: str, attributes: Mapping[str, str | None]) -> str:
    """An element's kind: its tag, telling attributes, and classes of the book and of its charts.

    A modifier of a class (`--`) names a budget, a widget or an exercise's task, which makes no other kind; only an
    output's says what it is.
    """
    telling = [f"{name}={attributes[name]}" for name in VALUES if name in attributes]
    telling += [name for name in FLAGS if name in attributes]
    # Every cell has it; where it is not empty, the cell must end with that error.
    telling += ["data-expect"] if attributes.get("data-expect") else []
    classes = (attributes.get("class") or "").split()
    of_the_book = (
        c for c in classes if c.startswith(("occ-", "mark-")) and ("--" not in c or c.startswith("occ-out--"))
    )
    return " ".join([tag, *telling, *sorted(of_the_book)])


class Holdings(HTMLParser):
    """The kinds that a page holds below each of `ROOTS`, and how many such roots."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.kinds: dict[str, set[str]] = {walk: set() for walk in ROOTS}
        self.count = dict.fromkeys(ROOTS, 0)
        self._depth = dict.fromkeys(ROOTS, 0)
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a root, and note the element for each root around it."""
        attributes = dict(attrs)
        classes = (attributes.get("class") or "").split()
        for walk, (root, named) in ROOTS.items():
            if not self._depth[walk] and tag == root and named in classes:
                self.count[walk] += 1
                self._depth[walk] = 1
            elif self._depth[walk] and tag == root:
                self._depth[walk] += 1
            if self._depth[walk]:
                self.kinds[walk].add(kind(tag, attributes))

    def handle_endtag(self, tag: str) -> None:
        """Leave a root."""
        for walk, (root, _) in ROOTS.items():
            if self._depth[walk] and tag == root:
                self._depth[walk] -= 1


@cache
def holdings() -> dict[str, Holdings]:
    """Every page of the built site, by its path below it ("" is the home page)."""
    site = built_site()
    found = {}
    for file in sorted(site.rglob("index.html")):
        path = file.parent.relative_to(site).as_posix()
        found["" if path == "." else f"{path}/"] = Holdings(file.read_text(encoding="utf-8"))
    return found


def holding(walk: str) -> list[str]:
    """The pages that hold what a walk goes to see."""
    return [page for page, held in holdings().items() if held.count[walk]]


def fewest(walk: str) -> list[str]:
    """Few of these pages that together hold every kind that any of them holds, chosen greedily."""
    return cover({page: held.kinds[walk] for page, held in holdings().items() if held.count[walk]})


def cover(kinds: Mapping[str, set[str]]) -> list[str]:
    """Names whose sets together hold all that any set holds: again and again the one with most that is still missing."""
    missing = set().union(*kinds.values())
    chosen: list[str] = []
    while missing:
        best = max(kinds, key=lambda name: len(kinds[name] & missing))
        chosen.append(best)
        missing -= kinds[best]
    for name in list(chosen):
        # What the later ones hold too was chosen in vain.
        if kinds[name] <= set().union(*(kinds[other] for other in chosen if other != name)):
            chosen.remove(name)
    return [name for name in kinds if name in chosen]
