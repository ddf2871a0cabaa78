"""What the commands print: tables and plots by rich in a terminal, plain aligned text in a pipe, or JSON."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from occusite.model.shown import COLOURS
from occusite.model.terms import Budget

_GAP = "  "
_LONGEST_CELL = 120
_LONGEST_WORD = 24


class Cell(NamedTuple):
    """A table's cell, or a line, with the colour of a slot for budgets."""

    text: str
    slot: str


class Limiters(NamedTuple):
    """A table's cell naming the budgets that limit, each in its colour; `otherwise` where there is none."""

    budgets: Sequence[Budget]
    otherwise: str = "cannot run"
    short: bool = False

    @property
    def words(self) -> list[str]:
        """Each budget's name; `short` for a narrow column."""
        return [budget.name.removesuffix(" memory") if self.short else budget.name for budget in self.budgets]

    @property
    def text(self) -> str:
        """The names joined by plus signs."""
        return " + ".join(self.words) or self.otherwise


class Name(NamedTuple):
    """A table's cell with a kernel's name, which a terminal folds behind `_`, `::`, `,` and `<`, not in mid-word."""

    text: str

    def lines(self, width: int = 20) -> list[str]:
        """The name in lines of at most `width`, where its parts allow it."""
        lines = [""]
        for piece in re.findall(r".+?(?:_+|::|[,<>]+|\s+|$)", _text(self.text)):
            if lines[-1] and len(lines[-1] + piece.rstrip()) > width:
                lines.append("")
            lines[-1] += piece
        return [line.rstrip() for line in lines]


@dataclass
class Table:
    """Rows under headings; `right` are the columns set to the right; `marked` rows are brought forward (plain: "*").

    A terminal that is too narrow folds the columns `folds`, by default any.
    """

    columns: Sequence[str]
    rows: list[Sequence[object]] = field(default_factory=list)
    right: frozenset[int] = frozenset()
    marked: set[int] = field(default_factory=set)
    folds: frozenset[int] | None = None


def in_terminal() -> bool:
    """Whether the output goes to someone's eyes: a terminal, or `FORCE_COLOR` says so."""
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def show_json(value: Any) -> None:
    """Print a value as JSON, indented for reading."""
    import json

    print(json.dumps(value, indent=2))


def show(*parts: object) -> None:
    """Print text and tables one under the other."""
    if in_terminal():
        _show_rich(parts)
        return
    for part in parts:
        print("\n".join(_plain(part)) if isinstance(part, Table) else part.text if isinstance(part, Cell) else part)


def note(text: str) -> None:
    """A remark beside the answer: on the error stream, so that a pipe carries the answer alone."""
    print(text, file=sys.stderr)


def percent(warps: int, slots: int) -> str:
    """Occupancy with two decimals at most: "66.67 %"."""
    return f"{round(100 * warps / slots, 2):g} %"


def bar(part: int, whole: int, width: int = 24) -> str:
    """A bar of `width` characters, `part` ÷ `whole` filled, in eighths."""
    filled, rest = divmod(8 * width * part // whole, 8)
    return ("█" * filled + " ▏▎▍▌▋▊▉"[rest].strip()).ljust(width, "·")


def staircase(levels: Sequence[int], most: int, height: int) -> list[str]:
    """A step plot, a column for each of `levels` (0–`most`), as lines of block characters, highest line first."""
    eighths = [8 * height * level // most for level in levels]
    return ["".join(" ▁▂▃▄▅▆▇█"[max(0, min(8, e - 8 * row))] for e in eighths) for row in range(height - 1, -1, -1)]


def _text(cell: object) -> str:
    text = cell.text if isinstance(cell, Cell | Limiters | Name) else str(cell)
    text = text[: _LONGEST_CELL + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else "�" for c in text)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def _plain(table: Table) -> list[str]:
    """Columns aligned by spaces, the last one as long as it is; a marked row ends with an asterisk."""
    rows = [[_text(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for index, row in enumerate(rows):
        cells = [
            text.rjust(width) if i in table.right else text.ljust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((_GAP.join(cells) + (_GAP + "*" if index - 1 in table.marked else "")).rstrip())
    return lines


def _show_rich(parts: Sequence[object]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for part in parts:
        if isinstance(part, Table):
            console.print(_rich(part))
        elif isinstance(part, Cell):
            console.print(Text(part.text, f"bold {COLOURS.get(part.slot, '')}"), soft_wrap=True)
        else:
            console.print(Text(wrapped(str(part), console.width)), soft_wrap=True)


def wrapped(text: str, width: int) -> str:
    """Text in lines of at most `width`, cut between words; a cut line goes on below its own beginning or label."""
    import textwrap

    lines = []
    for line in text.split("\n"):
        label = re.match(r"\s*(?:[\w ]{1,20}:\s+)?", line)
        indent = " " * (len(label[0]) if label else 0)
        settings = {"break_long_words": False, "break_on_hyphens": False, "subsequent_indent": indent}
        lines += textwrap.wrap(line, width, **settings) if len(line) > width else [line]  # type: ignore[arg-type]
    return "\n".join(lines)


def _rich(table: Table) -> Any:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), header_style="bold")
    for i, column in enumerate(table.columns):
        whole = table.folds is not None and i not in table.folds
        cells = [column, *("" if isinstance(row[i], Name) else _text(row[i]) for row in table.rows)]
        # A column may be narrow, but not narrower than its longest word.
        least = max((len(word) for cell in cells for word in cell.split()), default=0)
        right = "right" if i in table.right else "left"
        made.add_column(column, justify=right, overflow="fold", no_wrap=whole, min_width=min(least, _LONGEST_WORD))  # type: ignore[arg-type]

    def styled(cell: object) -> Text:
        if isinstance(cell, Limiters) and cell.budgets:
            return Text(" + ").join(map(Text, cell.words, [COLOURS[budget.slot] for budget in cell.budgets]))
        if isinstance(cell, Name):
            return Text("\n".join(cell.lines()))
        return Text(_text(cell), COLOURS.get(cell.slot, "") if isinstance(cell, Cell) else "")

    for index, row in enumerate(table.rows):
        made.add_row(*map(styled, row), style="bold" if index in table.marked else "")
    return made
