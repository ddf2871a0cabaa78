"""Where sources contradict each other, as tables: who says what, and what the package answers with."""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any

from occusite import devices, nvidia
from occusite.book.content import bibliography
from occusite.book.content.values import kib
from occusite.book.parts.html import Markup, Table, text

chip = nvidia.device
board = devices.gpu


@cache
def disagreements() -> dict[str, list[dict[str, Any]]]:
    """The rows of the file by their kind, "architecture" or "board"."""
    return tomllib.loads((pkgutil.get_data("occusite", "data/disagreements.toml") or b"").decode())


def followed(row: dict[str, Any]) -> object:
    """The package's own answer where sources disagree."""
    return eval(row["followed"], {"chip": chip, "board": board, "kib": kib})


def table(kind: str, base: str) -> Table:
    """Every disagreement of one kind: who says what, and what the book answers with."""
    rows = [
        (row["of"], row["about"], Markup("<br>".join(_said(row["says"], base))), text(followed(row)), row["why"])
        for row in disagreements()[kind]
    ]
    columns = ("CC" if kind == "architecture" else "GPU", "about", "who says what", "this book", "why")
    title = {"architecture": "Limits on which sources disagree", "board": "Boards on which sources disagree"}[kind]
    return Table(columns, rows, title)


def latencies(base: str) -> Table:
    """Chips whose latency to DRAM was measured more than once: every figure, and how far they are apart."""
    by_chip: dict[str, list[tuple[str, devices.Latency]]] = {}
    for gpu in devices.gpus():
        for entry in gpu.latency:
            by_chip.setdefault(gpu.chip, []).append((gpu.name, entry))
    rows = []
    for name, entries in by_chip.items():
        if len(entries) < 2:
            continue
        ordered = sorted(entries, key=lambda pair: pair[1].dram_cycles)
        lines = [
            f"{_range(e.dram_cycles)} ({escape(gpu + ', ' if len({g for g, _ in entries}) > 1 else '')}"
            f"{escape(e.method)}) {_cited(e.source, base)}"
            for gpu, e in ordered
        ]
        least, most = ordered[0][1].dram_cycles[0], max(e.dram_cycles[1] for _, e in ordered)
        rows.append((name, Markup("<br>".join(lines)), f"{most / least:.1f} ×"))
    return Table(("chip", "cycles to DRAM", "most ÷ least"), rows, "One chip, several measurements")


def _said(says: dict[str, str], base: str) -> Iterator[str]:
    """One line a value, with all sources that give it."""
    for value in dict.fromkeys(says.values()):
        yield f"{escape(value)} {' '.join(bibliography.link(key, base) for key, v in says.items() if v == value)}"


def _cited(said: str, base: str) -> str:
    return " ".join(bibliography.link(s.key, base) for s in bibliography.sources().values() if s.means(said))


def _range(pair: tuple[float, float]) -> str:
    return f"{pair[0]:g}" if pair[0] == pair[1] else f"{pair[0]:g} to {pair[1]:g}"
