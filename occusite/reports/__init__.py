"""Readers: what compilers and profilers report about kernels, turned into launches. One file a format."""

from __future__ import annotations

import io
import mmap
import re
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Protocol

from occusite.reports import cuobjdump, elf, fatbin, ncu, ptxas, triton
from occusite.reports.report import KernelReport, ReportError

__all__ = ["FORMATS", "KernelReport", "LineReader", "ReportError", "read"]

# What `read` tells apart, for messages and help texts.
FORMATS = {
    "ptxas": "build logs with ptxas -v, nvcc --resource-usage or nvlink usage lines",
    "cuobjdump": "cuobjdump --dump-resource-usage",
    "cubin": "cubins, fat binaries, and objects, libraries and programs that hold them",
    "triton": "a Triton cache folder, or a kernel's JSON in it",
    "ncu": "Nsight Compute CSV (ncu --csv)",
}

LONGEST_LINE = 1 << 20
_COLOURS = re.compile(r"\x1b\[[0-9;:?]{0,40}[ -/]?[@-~]|\x1b\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)")
_BINARY = (elf.MAGIC, fatbin.MAGIC, b"MZ", b"!<arch>\n")


class LineReader(Protocol):
    """A format made of lines: `feed` gets each with its number and without its end, `finish` gives the kernels.

    Every line of every text goes through every such reader: `feed` must pass over foreign lines fast.
    """

    def feed(self, number: int, line: str) -> None: ...

    def finish(self) -> list[KernelReport]: ...


def _line_readers(architecture: str) -> tuple[LineReader, ...]:
    return ptxas.Reader(architecture), cuobjdump.Reader(architecture), ncu.Reader(architecture)


def read(source: str | bytes | PathLike[str] | Iterable[str], architecture: str = "") -> list[KernelReport]:
    """The kernels a report describes; the format is told from the content.

    `source`: a path (a file, or a Triton cache folder), the content itself as `bytes` or text, or an iterable of
    lines (an open text file, `sys.stdin`). A `str` of one line that names a file or folder is a path. Files and
    iterables are read line by line: memory grows with the kernels found, not with the log. `architecture` ("sm_90")
    is taken for kernels whose report names none.
    Raises `ReportError` naming the line or byte for content that cannot be read or holds no kernel, `OSError` for a
    path that cannot be opened, `ValueError` for a malformed `architecture`.
    """
    if architecture and not re.fullmatch(r"sm_\d{2,3}[af]?", architecture):
        raise ValueError(f'architecture: {architecture!r} is not allowed; give one like "sm_90"')
    if isinstance(source, str):
        if _names_a_path(source):
            return _read_path(Path(source), architecture)
        if "\n" not in source and "{" not in source and len(source) < 4096 and "info" not in source:
            raise ReportError(source[:200], "there is no such file, and as text it holds no kernel")
        return _read_json_or_lines(source, _pieces(source), architecture)
    if isinstance(source, PathLike):
        return _read_path(Path(source), architecture)
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
        if data.startswith(_BINARY):
            return fatbin.read(data)
        text = io.TextIOWrapper(io.BytesIO(data), _encoding(data[:4]), "replace", newline="\n")
        json = data[: triton.LARGEST_JSON].decode("utf-8", "replace") if data.lstrip()[:1] == b"{" else ""
        return _read_json_or_lines(json, _lines(text), architecture)
    return _read_lines(source, architecture)


def _names_a_path(text: str) -> bool:
    try:
        return len(text) < 4096 and "\n" not in text and bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _read_path(path: Path, architecture: str) -> list[KernelReport]:
    if path.is_dir():
        return triton.read_folder(path)
    with path.open("rb") as file:
        head = file.read(4096)
        if head.startswith(_BINARY):
            # Left to the garbage collector: views into the map outlive this block in tracebacks.
            return fatbin.read(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    with path.open(encoding=_encoding(head), errors="replace", newline="\n") as text:
        if head.lstrip()[:1] != b"{":
            return _read_lines(_lines(text), architecture)
        try:
            return triton.read_file(path)
        except ReportError as error:
            return _read_lines(_lines(text), architecture, error)


def _read_json_or_lines(json: str, lines: Iterable[str], architecture: str) -> list[KernelReport]:
    if not json.lstrip().startswith("{") or len(json) > triton.LARGEST_JSON:
        return _read_lines(lines, architecture)
    try:
        return triton.read_json(json)
    except ReportError as error:
        return _read_lines(lines, architecture, error)


def _read_lines(lines: Iterable[str], architecture: str, otherwise: ReportError | None = None) -> list[KernelReport]:
    """The kernels found by the formats made of lines; without any, `otherwise` is raised."""
    readers = _line_readers(architecture)
    number = 0
    for number, line in enumerate(lines, 1):
        if "\x1b" in line:
            line = _COLOURS.sub("", line)
        line = line[:LONGEST_LINE].rstrip("\r\n")
        for piece in line.split("\r") if "\r" in line else (line,):
            for reader in readers:
                reader.feed(number, piece)
    reports = [report for reader in readers for report in reader.finish()]
    if not reports:
        raise otherwise or ReportError(
            "", f"no kernel found in {number:,} lines; what can be read: {'; '.join(FORMATS.values())}"
        )
    return reports


def _lines(text: io.TextIOBase) -> Iterator[str]:
    """Lines of a file; of a longer one than `LONGEST_LINE`, its beginning."""
    whole = True
    while line := text.readline(LONGEST_LINE):
        if whole:
            yield line
        whole = line.endswith("\n")


def _pieces(text: str) -> Iterator[str]:
    """Lines of a text, without a second copy of it."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start : min(end, start + LONGEST_LINE)]
        start = end + 1


def _encoding(head: bytes) -> str:
    """UTF-16 where a mark says so (what PowerShell's `>` writes), else UTF-8."""
    return "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
