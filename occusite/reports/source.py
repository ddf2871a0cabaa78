"""What a report is read from: a file, bytes, a text, or lines; as blocks of text, or as a whole when it is binary."""

from __future__ import annotations

import codecs
import html
import io
import json
import mmap
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from occusite.reports.elf import Buffer
from occusite.reports.report import ReportError

LONGEST_LINE = 1 << 20
_HEAD = 4096
_BLOCK = 1 << 18
_COLOURS = re.compile(r"\x1b\[[0-9;:?]{0,40}[ -/]?[@-~]|\x1b\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)")
# What log collectors call a line's text in the JSON object they make of each.
_ENVELOPES = ("log", "message", "msg", "line", "MESSAGE", "text", "textPayload", "content")
_ENTITY = re.compile(r"&(?:#\d{1,5}|#[xX][0-9a-fA-F]{1,4}|quot|apos|lt|gt|amp|nbsp);")
_MARKUP = re.compile(
    r"</?(?:span|font|pre|code|div|p|b|i|a|em|strong|td|tr|li|br)(?:\s[^<>]{0,400})?/?>", re.IGNORECASE
)
_BREAK = re.compile(r"<(?:br|/p|/div|/tr)[^<>]{0,40}>", re.IGNORECASE)


class Source:
    """One source of reports.

    `name` goes before the places in it; `path` is the file itself, where there is one. Exactly one of `content`,
    `text`, `lines` and `opened` (gives the bytes anew at each call) is what it holds; `limit`: the most bytes that
    `opened` may give; `depth`: in how many archives it lies.
    """

    def __init__(
        self,
        architecture: str = "",
        *,
        name: str = "",
        path: Path | None = None,
        content: Buffer | None = None,
        text: str | None = None,
        lines: Iterable[str] | None = None,
        opened: Callable[[], BinaryIO] | None = None,
        limit: int | None = None,
        depth: int = 0,
    ) -> None:
        self.architecture, self.name, self.path, self.depth = architecture, name, path, depth
        self._content, self._text, self._opened, self._limit = content, text, opened, limit
        self._lines = _gathered(lines) if lines is not None else None
        self._first: str | None = None
        self.head = self._begin()

    def _begin(self) -> bytes:
        """The first 4 KiB, of a text as UTF-8."""
        if self._text is not None:
            return self._text[:_HEAD].encode("utf-8", "replace")
        if self._lines is not None:
            self._first = next(self._lines, "")
            return self._first[:_HEAD].encode("utf-8", "replace")
        if self._content is not None:
            return bytes(self._content[:_HEAD])
        with self._open() as file:
            return file.read(_HEAD)

    def _open(self) -> BinaryIO:
        if self._opened is not None:
            return self._opened()
        assert self.path is not None
        return self.path.open("rb")

    @property
    def binary(self) -> bool:
        """Whether this can be had as bytes."""
        return self._text is None and self._lines is None

    @property
    def plain_file(self) -> bool:
        """Whether this is the file at `path` itself."""
        return self._opened is None and self._content is None and self.path is not None

    def data(self) -> Buffer:
        """All bytes; of a file, mapped into memory. Raises `ReportError` where an archive unpacks to too much."""
        if self._content is not None:
            return self._content
        if self._opened is None and self.path is not None:
            with self.path.open("rb") as file:
                # Left to the garbage collector: views into the map outlive this block in tracebacks.
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        with self._open() as packed, tempfile.TemporaryFile() as file:
            size = 0
            while piece := packed.read(1 << 20):
                size += len(piece)
                self._check(size)
                file.write(piece)
            file.flush()
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def _check(self, size: int) -> None:
        if self._limit is not None and size > self._limit:
            raise ReportError(self.name, f"unpacks to more than {self._limit:,} bytes")

    def blocks(self) -> Iterator[str]:
        """The text in blocks of whole lines; of a line longer than `LONGEST_LINE`, its beginning."""
        if self._lines is not None:
            if self._first:
                yield self._first
            yield from self._lines
        elif self._text is not None:
            yield from _whole_lines(_Slices(self._text).read)
        else:
            file = io.BytesIO(self._content) if self._content is not None else self._open()
            with file:
                decoder = codecs.getincrementaldecoder(_encoding(self.head))("replace")
                yield from _whole_lines(lambda: self._decoded(file, decoder))

    def _decoded(self, file: BinaryIO, decoder: codecs.IncrementalDecoder) -> str:
        while piece := file.read(_BLOCK):
            if self._limit is not None:
                self._check(file.tell())
            if text := decoder.decode(piece):
                return text
        return ""

    def beginning(self, most: int) -> str:
        """The text up to `most` characters, or a little more."""
        pieces, size = [], 0
        for block in self.blocks():
            pieces.append(block)
            size += len(block)
            if size > most:
                break
        return "".join(pieces)


class _Slices:
    """A text in pieces, without a second copy of it."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def read(self) -> str:
        self._at += _BLOCK
        return self._text[self._at - _BLOCK : self._at]


def _whole_lines(read: Callable[[], str]) -> Iterator[str]:
    """Pieces of a text as blocks that end where lines end."""
    rest: list[str] = []
    size, skipping = 0, False
    while piece := read():
        if skipping:
            end = piece.find("\n")
            if end < 0:
                continue
            piece, skipping = piece[end:], False
        end = piece.rfind("\n") + 1
        if end:
            yield "".join([*rest, piece[:end]])
            rest, size = [], 0
            piece = piece[end:]
        if piece:
            rest.append(piece)
            size += len(piece)
            if size > LONGEST_LINE:
                yield "".join(rest)[:LONGEST_LINE]
                rest, size, skipping = [], 0, True
    if rest:
        yield "".join(rest)


def _gathered(lines: Iterable[str]) -> Iterator[str]:
    """Lines, with their ends or without, as blocks."""
    block: list[str] = []
    size = 0
    for line in lines:
        line = line[:LONGEST_LINE]
        block.append(line if line.endswith("\n") else f"{line}\n")
        size += len(line) + 1
        if size > _BLOCK:
            yield "".join(block)
            block, size = [], 0
    if block:
        yield "".join(block)


def _encoding(head: bytes) -> str:
    """UTF-16 where a mark says so (what PowerShell's `>` writes), else UTF-8."""
    return "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def plain(block: str) -> str:
    """A block without what is put around a log's lines: colours, Docker's JSON, HTML. Each line keeps its number."""
    if "\x1b" in block:
        block = _COLOURS.sub("", block)
    if '{"' in block and any(f'"{key}"' in block for key in _ENVELOPES):
        block = "\n".join([_opened(line) if line.startswith('{"') else line for line in block.split("\n")])
    if "&" in block and _ENTITY.search(block):
        block = "\n".join([_unescaped(line) for line in block.split("\n")])
    return block


def _opened(line: str) -> str:
    """The text in a log collector's JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line
    for key in _ENVELOPES if isinstance(record, dict) else ():
        if isinstance(text := record.get(key), str):
            return text.rstrip("\r\n").replace("\n", "\r")
    return line


def _unescaped(line: str) -> str:
    if "&" not in line or not _ENTITY.search(line):
        return _MARKUP.sub("", line) if "<" in line else line
    return html.unescape(_MARKUP.sub("", _BREAK.sub("\r", line))).replace("\xa0", " ").replace("\n", " ")
