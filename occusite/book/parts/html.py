"""HTML the book's pages are made of: escaping, tables, and the marks that give each budget its colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from occusite.model.answer import Occupancy, budgets_of
from occusite.model.terms import Budget

# A narrow no-break space: before units, and between thousands.
THIN = "\u202f"

# What an author's text calls the slots that budgets are shown in, where no vendor is spoken of.
SLOT_NAMES = {
    "registers": "registers",
    "memory": "shared memory",
    "warps": "warp slots",
    "blocks": "block slots",
    "barriers": "barriers",
    "other": "other budgets",
}


class Markup(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


def text(value: object) -> str:
    """HTML for any value: escaped, unless it is `Markup`; integers with thin spaces between thousands; None as "–"."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return "–" if value is None else escape(str(value))


def count(value: int) -> str:
    """An integer with thin spaces between thousands, from 10 000 on."""
    return f"{value:,}".replace(",", THIN) if abs(value) >= 10_000 else str(value)


def budget(shown: Budget | str, label: str | None = None) -> Markup:
    """A budget's name carrying its colour and its mark: a device's budget, or a slot's name where no vendor is meant."""
    if isinstance(shown, str):
        if shown not in SLOT_NAMES:
            raise ValueError(f"budget: {shown!r} is not allowed; give one of {', '.join(SLOT_NAMES)}")
        shown = Budget(shown, SLOT_NAMES[shown], shown)
    return Markup(f'<span class="occ-budget occ-budget--{shown.slot}">{escape(label or shown.name)}</span>')


def budgets(shown: Sequence[Budget]) -> Markup:
    """Several budgets, joined by plus signs: every tied one."""
    return Markup(" + ".join(map(budget, shown)))


def limiters(answer: Occupancy, keys: tuple[str, ...] | None = None) -> Markup:
    """The answer's limiters in their colours; or the budgets of its device with these keys."""
    return budgets(answer.limiting if keys is None else budgets_of(answer.device, keys))


@dataclass(frozen=True)
class Table:
    """A table with a caption. `columns` are headings, `rows` cells (any value; `Markup` for HTML).

    Columns whose cells are all numbers (None is "–") are set in tabular figures, to the right. `marked` are the indices of rows
    to bring forward. `head` says whether each row's first cell is its heading.
    """

    columns: Sequence[object]
    rows: Sequence[Sequence[object]]
    caption: str = ""
    marked: frozenset[int] = field(default_factory=frozenset)
    head: bool = True

    def html(self, caption: str = "") -> str:
        """The table as HTML, in a box that scrolls sideways on narrow screens and can be focused."""
        title = caption or self.caption
        numeric = [
            bool(self.rows)
            and all(r[i] is None or (isinstance(r[i], int | float) and not isinstance(r[i], bool)) for r in self.rows)
            for i in range(len(self.columns))
        ]
        classes = [' class="occ-num"' if n else "" for n in numeric]
        parts = [
            f'<div class="occ-table" role="region" aria-label="{escape(title or "Table")}" tabindex="0"><table class="occ-grid">'
        ]
        if title:
            parts.append(f"<caption>{escape(title)}</caption>")
        heads = "".join(f'<th scope="col"{c}>{text(h)}</th>' for h, c in zip(self.columns, classes, strict=True))
        parts.append(f"<thead><tr>{heads}</tr></thead><tbody>")
        for index, row in enumerate(self.rows):
            cells = []
            for i, (value, c) in enumerate(zip(row, classes, strict=True)):
                tag, scope = ("th", ' scope="row"') if i == 0 and self.head else ("td", "")
                cells.append(f"<{tag}{scope}{c}>{text(value)}</{tag}>")
            mark = ' class="occ-marked"' if index in self.marked else ""
            parts.append(f"<tr{mark}>{''.join(cells)}</tr>")
        parts.append("</tbody></table></div>")
        return "".join(parts)

    _repr_html_ = html

    def __str__(self) -> str:
        return "\n".join("  ".join(str(c) for c in row) for row in [self.columns, *self.rows])


def percent(value: float | None) -> str:
    """A percentage without decimals, with the thin space the page uses; "–" where there is none."""
    return "–" if value is None else f"{value:.0f}{THIN}%"
