"""An answer for people: a line, a sentence, and HTML with a bar for each budget, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from occusite.model.terms import counted

if TYPE_CHECKING:
    from occusite.model.answer import Occupancy

# The colour of each slot for budgets, as in the book (Okabe–Ito, legible on dark and light ground).
COLOURS = {
    "registers": "#4a9fd8",
    "memory": "#d99100",
    "warps": "#009e73",
    "blocks": "#cc79a7",
    "barriers": "#d5651e",
    "other": "#8a939e",
}
_BAR = "display:inline-block;width:12em;height:.8em;border:1px solid #8a939e;vertical-align:middle"
_CELL = "padding:0 .8em 0 0;text-align:left"


def short(answer: Occupancy) -> str:
    """The answer as its `repr`: "<Occupancy 40 of 48 warps, 5 blocks, limited by registers: GeForce RTX 4090>"."""
    return f"<Occupancy {_said(answer)}: {answer.device.name}>"


def sentence(answer: Occupancy) -> str:
    """The answer as its `str`: "83.33 % on GeForce RTX 4090: 40 of 48 warps, 5 blocks, limited by registers"."""
    if not answer.runs:
        return f"cannot run on {answer.device.name}: {answer.reason}"
    return f"{_percent(answer)} on {answer.device.name}: {_said(answer)}"


def html(answer: Occupancy) -> str:
    """The sentence, and a table of budgets: a bar of what each would allow, and its number; limiters are marked.

    It stands by itself: its styles are inline, and it has no script. Bars are hidden from screen readers, since the
    number beside says the same.
    """
    terms, rows = answer.device.terms, []
    for budget in answer.device.budgets:
        limit, binds = answer.limits[budget.key], budget.key in answer.limiters
        if budget.slot in ("barriers", "other") and limit.warps is None:
            continue
        most = answer.slots if limit.warps is None else min(limit.warps, answer.slots)
        told = "no limit" if limit.warps is None else counted(limit.warps, f"{terms.warp}s")
        if limit.blocks is not None:
            told = f"{counted(limit.blocks, f'{terms.block}s')}, {told}"
        fill = f"display:block;width:{100 * most // answer.slots}%;height:100%;background:{COLOURS[budget.slot]}"
        name = f"<strong>{escape(budget.name)} ◂</strong>" if binds else escape(budget.name)
        rows.append(
            f'<tr><th scope="row" style="{_CELL};font-weight:normal">{name}</th>'
            f'<td style="{_CELL}"><span aria-hidden="true" style="{_BAR}"><span style="{fill}"></span></span></td>'
            f'<td style="{_CELL}">{told}</td></tr>'
        )
    return f"<div><p>{escape(sentence(answer))}</p><table>{''.join(rows)}</table></div>"


def _said(answer: Occupancy) -> str:
    if not answer.runs:
        return f"cannot run, {answer.reason}"
    terms = answer.device.terms
    blocks = counted(answer.blocks, f"{terms.block}s")
    return f"{answer.warps} of {answer.slots} {terms.warp}s, {blocks}, limited by {answer.limiter}"


def _percent(answer: Occupancy) -> str:
    return f"{round(100 * answer.warps / answer.slots, 2):g} %"
