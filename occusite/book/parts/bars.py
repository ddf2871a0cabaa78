"""Bars that count whole things: one cell a block, one cell a warp slot (SVG; colours come from the style sheet)."""

from __future__ import annotations

from occusite.book.parts.html import budget, count, percent
from occusite.model.answer import Occupancy

CELLS = 32


def budget_bars(answer: Occupancy) -> str:
    """One row a budget: how many blocks it allows, those resident filled, those it could still hold faint.

    A budget that allows more than fit in a row ends in an open edge; its number stands beside it.
    """
    rows = []
    shown = min(CELLS, max([answer.blocks, *(v.blocks for v in answer.limits.values() if v.blocks is not None)]))
    shown = max(shown, 8)
    for stock in answer.device.budgets:
        allows, binds = answer.limits[stock.key].blocks, stock.key in answer.limiters
        if stock.slot in ("barriers", "other") and not binds:
            continue
        blocks = "no limit" if allows is None else f"{count(allows)} block{'s' if allows != 1 else ''}"
        mark = "occ-allow occ-binds" if binds else "occ-allow"
        rows.append(
            f'<div class="occ-row"><span>{budget(stock)}{" <b aria-hidden=true>◂</b>" if binds else ""}</span>{_cells(stock.slot, allows, answer.blocks, shown)}'
            f'<span class="{mark}">{blocks}</span></div>'
        )
    return f'<div class="occ-bars">{"".join(rows)}</div>'


def _cells(slot: str, allows: int | None, resident: int, shown: int) -> str:
    drawn = shown if allows is None else min(allows, shown)
    cells = [
        f'<rect class="{"used" if i < resident else "spare"}" x="{i * 10 + 0.6}" width="8.8" height="20"/>'
        for i in range(drawn)
    ]
    edge = f'<line class="min" x1="{drawn * 10}" x2="{drawn * 10}" y1="-1" y2="21"/>' if allows == resident else ""
    return (
        f'<svg class="occ-bar occ-bar--{slot}" viewBox="0 0 {shown * 10} 20" preserveAspectRatio="none" '
        f'aria-hidden="true" focusable="false"><rect class="track" width="{shown * 10}" height="20"/>'
        f"{''.join(cells)}{edge}</svg>"
    )


def slot_bar(answer: Occupancy) -> str:
    """The SM's warp slots, one cell each; neighbouring blocks alternate in shade."""
    per_block = answer.warps // answer.blocks if answer.blocks else 0
    share = f" · <strong>{percent(answer.percent)}</strong> occupancy" if answer.runs else ""
    cells = []
    for i in range(answer.slots):
        kind = "empty" if i >= answer.warps else "warp odd" if (i // per_block) % 2 else "warp"
        cells.append(f'<rect class="{kind}" x="{i * 10 + 0.8}" width="8.4" height="20"/>')
    return (
        f'<div class="occ-slots"><svg viewBox="0 0 {answer.slots * 10} 20" preserveAspectRatio="none" '
        f'aria-hidden="true" focusable="false">{"".join(cells)}</svg>'
        f"<p><strong>{answer.warps}</strong> of {answer.slots} {answer.device.terms.warp} slots filled{share}</p></div>"
    )
