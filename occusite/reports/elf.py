"""Reads ELF files: the sections by name, of objects, libraries and GPU code, whatever a damaged header claims.

Source: the System V ABI, chapter "Object Files"; only the 64-bit little-endian form, which all GPU code has.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from mmap import mmap
from typing import NamedTuple

from occusite.reports.report import ReportError

MAGIC = b"\x7fELF"

Buffer = bytes | memoryview | mmap

_HEADER = struct.Struct("<HHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BITS = 8
_LONGEST_NAME = 1 << 20


class Section(NamedTuple):
    """Where a section lies, in bytes of the file; `stored` is False for one that takes no room in it."""

    offset: int
    size: int
    flags: int
    stored: bool


class Image:
    """An ELF's sections by name; reading it is bounded, whatever its header claims.

    `machine`: the processor's number. `linked`: whether it is final (ET_EXEC). `abi`: the ABI's version. `flags`: the
    processor's flags. Raises `ReportError` naming the byte for a file that is no 64-bit little-endian ELF.
    """

    def __init__(self, data: Buffer, base: int = 0, packed: bool = False) -> None:
        """`base` is where `data` begins in the file the user knows, `packed` whether it was unpacked from there."""
        self.data, self.base, self.packed = data, base, packed
        self._left = 2 * len(data) + (1 << 20)
        if len(data) < 64 or data[:4] != MAGIC:
            raise ReportError(self.place(len(data)), "not a sound ELF file: its header is cut off")
        if data[4] != 2 or data[5] != 1:
            raise ReportError(self.place(4), "a 32-bit or big-endian ELF: GPU code is 64-bit little-endian")
        kind, self.machine, _, _, _, table, self.flags, _, _, _, each, count, names = _HEADER.unpack_from(data, 16)
        self.linked, self.abi = kind == 2, data[8]
        self.sections: Mapping[str, Section] = self._sections(table, each, count, names) if table else {}

    def _sections(self, table: int, each: int, count: int, names: int) -> dict[str, Section]:
        if each != _SECTION.size or table + each > len(self.data):
            raise ReportError(self.place(40), "not a sound ELF file: the section table is not where its header says")
        first = _SECTION.unpack_from(self.data, table)
        # Files of many sections keep both counts in the first section.
        count, names = count or first[5], first[6] if names == 0xFFFF else names
        if not names < count <= (len(self.data) - table) // each:
            raise ReportError(self.place(60), f"not a sound ELF file: {count:,} sections do not fit; is it cut off?")
        *_, offset, size, _, _, _, _ = _SECTION.unpack_from(self.data, table + each * names)
        strings = bytes(self.data[offset : offset + size])
        budget = 16 * len(strings) + _LONGEST_NAME
        sections: dict[str, Section] = {}
        find = strings.find
        for name, kind, flags, _, offset, size, _, _, _, _ in _SECTION.iter_unpack(
            self.data[table : table + each * count]
        ):
            end = find(b"\0", name)
            budget -= end - name
            if end < name or budget < 0:
                raise ReportError(self.place(table), "not a sound ELF file: a section has no name")
            sections[strings[name:end].decode("utf-8", "replace")] = Section(offset, size, flags, kind != _NO_BITS)
        return sections

    def place(self, at: int) -> str:
        """Byte `at` in the words of an error."""
        return f"byte {self.base:#x}, unpacked byte {at:#x}" if self.packed else f"byte {self.base + at:#x}"

    def content(self, name: str) -> Buffer:
        """A section's bytes; empty where there is no such section. Raises `ReportError` where it leaves the file."""
        section = self.sections.get(name)
        if section is None or not section.stored:
            return b""
        end = section.offset + section.size
        if end > len(self.data):
            raise ReportError(
                self.place(section.offset),
                f"section {name[:80]} ends {end - len(self.data):,} bytes past the file's end; is it cut off?",
            )
        self._left -= section.size
        if self._left < 0:
            raise ReportError(self.place(section.offset), "the ELF's sections overlap many times over")
        return self.data[section.offset : end]
