"""The page of all exercises with the reader's progress."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from occusite.book import exercises
from occusite.book.parts.exercise import KINDS, Highlight, anchor, render
from occusite.book.parts.html import Markup, Table


def overview(pages: Mapping[str, str], highlight: Highlight) -> str:
    """Every exercise by chapter with, live, how far one is; then those that no page holds.

    `pages`: an exercise's name to its address.
    """
    order = sorted(exercises.names(), key=lambda name: (exercises.load(name).chapter, exercises.load(name).title))
    rows: list[list[object]] = []
    for name in order:
        link = f'<a href="{escape(pages.get(name, "#" + anchor(name)))}">{escape(exercises.load(name).title)}</a>'
        state = Markup(f'<span data-progress="{name}">–</span>')
        rows.append([exercises.load(name).chapter, Markup(link), KINDS[exercises.load(name).kind].lower(), state])
    table = Table(("chapter", "exercise", "kind", "progress"), rows, "The exercises and your progress", head=False)
    rest = [render(exercises.load(name), name, anchor(name), highlight) for name in order if name not in pages]
    more = f"<h2>More to practise</h2>{''.join(rest)}" if rest else ""
    return (
        '<section class="occ-progress"><p class="occ-progress-summary" role="status">'
        f'{len(rows)} exercises.</p><div class="occ-progress-tools"></div>{table.html()}</section>{more}'
    )
