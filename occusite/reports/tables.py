"""Rows and numbers as profilers print them: CSV with any separator, quoted or not, and rounded numbers with units."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from occusite.reports.report import ReportError, Size, rounded

_SEPARATORS = ",;\t|"
_OPENING, _CLOSING = "([{<", ")]}>"
_LONGEST_ROW = 1 << 17
_NUMBER = re.compile(
    r"(?P<plain>\d{1,15})(?:\.(?P<point>\d{1,12})|,(?P<comma>\d{1,2}))?|"
    r"(?P<english>\d{1,3}(?:,\d{3}){1,4})(?:\.(?P<cents>\d{1,12}))?|"
    r"(?P<german>\d{1,3}(?:\.\d{3}){1,4}),(?P<after>\d{1,12})"
)
_UNIT = re.compile(r"([KMGT]?)(i?)(?:bytes?|B)(?:/block)?", re.IGNORECASE)


def separator(header: str, first: str) -> str:
    """What separates a header's cells, the first of which is `first`; "" where this is no such header."""
    rest = header.lstrip().removeprefix('"')
    if not rest.startswith(first):
        return ""
    after = rest[len(first) :].removeprefix('"')[:1]
    return after if after and after in _SEPARATORS else ""


def cells(line: str, by: str, number: int, columns: int = 0) -> list[str]:
    """The cells of row `number`. Commas within brackets do not separate where nothing is quoted, or the cells
    are more than `columns`.

    Raises `ReportError` for a quote that does not end.
    """
    if '"' not in line:
        row = [cell.strip() for cell in line.split(by)]
        if "(" in line and len(line) < _LONGEST_ROW and any(cell.count("(") != cell.count(")") for cell in row):
            return _outside_brackets(line, by)
    else:
        try:
            row = [cell.strip() for cell in next(csv.reader([line], delimiter=by, strict=True))]
        except csv.Error as error:
            raise ReportError(f"line {number}", f"not a row of CSV: {error}") from None
    return _outside_brackets(line, by) if 0 < columns < len(row) and len(line) < _LONGEST_ROW else row


def _outside_brackets(line: str, by: str) -> list[str]:
    row, depth, start = [], 0, 0
    for at, sign in enumerate(line):
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth = max(0, depth - 1)
        elif sign == by and not depth:
            row.append(line[start:at].strip().strip('"'))
            start = at + 1
    return [*row, line[start:].strip().strip('"')]


def columns_of(header: Sequence[str]) -> dict[str, int]:
    """Where each column stands; of two of one name, the first."""
    return {name: at for at, name in reversed(list(enumerate(header)))}


def number(text: str) -> tuple[str, str] | None:
    """Digits before and after the decimal sign, of "1,024", "65.54", "65,54" or "1.024,00"; None for anything else."""
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        return None
    if match["plain"]:
        return match["plain"], match["point"] or match["comma"] or ""
    if match["english"]:
        return match["english"].replace(",", ""), match["cents"] or ""
    return match["german"].replace(".", ""), match["after"]


def whole(text: str) -> int | None:
    """A count as a table prints it: "384", "1,024", "384.00"; None for anything else."""
    value = number(text)
    return int(value[0]) if value and not value[1].strip("0") else None


def unit(text: str, kilo: int = 1000) -> int | None:
    """Bytes in a unit such as "Kbyte/block", "KB", "MiB" or "B"; None for anything else.

    `kilo`: what this profiler's K is; Ki is always 1,024.
    """
    match = _UNIT.fullmatch(text.strip())
    if not match:
        return None
    base = 1024 if match[2] else kilo
    return int(base ** ("KMGT".index(match[1].upper()) + 1)) if match[1] else 1


def size(text: str, of: int | None) -> Size | None:
    """The bytes that a size printed as `text`, in units of `of` bytes, can be; None where it is no size.

    "12,800" in kilobytes is none: it could be 12.8 or 12,800 of them.
    """
    value = number(text)
    if value is None or of is None or (of > 1 and "," in text and not value[1]):
        return None
    return rounded(*value, of)
