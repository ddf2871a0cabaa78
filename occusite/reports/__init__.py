"""Readers: what compilers and profilers report about kernels, turned into launches. One file a format.

To add a format, write its file and put its row into `FORMATS`: how to tell it, and what reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import NamedTuple, Protocol

from occusite.reports import archives, cuobjdump, fatbin, ncu, nsys, nvprof, ptxas, torch, triton
from occusite.reports.report import CalleeSpills, KernelReport, ReportError
from occusite.reports.source import LONGEST_LINE, Source, plain

__all__ = ["FORMATS", "CalleeSpills", "Format", "KernelReport", "LineReader", "ReportError", "each", "read"]


class LineReader(Protocol):
    """A format made of lines: `feed` gets each with its number and without its end, `finish` gives the kernels.

    Lines come block by block: a block without any of the format's marks is left out, unless the reader is `open`,
    that is, waits for what follows. `feed` gets foreign lines too.
    """

    @property
    def open(self) -> bool: ...

    def feed(self, number: int, line: str) -> None: ...

    def finish(self) -> list[KernelReport]: ...


class Format(NamedTuple):
    """One format: its name, what it is, how it is told, and what reads it.

    A whole file is told by `sniff`, from its first 4 KiB, and read by `read`. A format made of lines, of which one
    text may hold several, is told by `marks`, one of which each of its texts has, and read by a `LineReader`.
    """

    name: str
    describes: str
    sniff: Callable[[bytes], bool] | None = None
    read: Callable[[Source], Iterator[KernelReport]] | None = None
    marks: tuple[str, ...] = ()
    lines: Callable[[str], LineReader] | None = None


def _begins(*magics: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(magics)


def _binary(source: Source) -> Iterator[KernelReport]:
    return fatbin.each(memoryview(source.data())[archives.cupy(source.head) :])


FORMATS = (
    Format(
        "ptxas",
        "build logs with ptxas -v, nvcc --resource-usage or nvlink usage lines",
        marks=ptxas.MARKS,
        lines=ptxas.Reader,
    ),
    Format("cuobjdump", "cuobjdump --dump-resource-usage", marks=cuobjdump.MARKS, lines=cuobjdump.Reader),
    Format("ncu", "Nsight Compute: CSV (ncu --csv) and the text of its pages", marks=ncu.MARKS, lines=ncu.Reader),
    Format("nsys", "Nsight Systems: GPU trace as CSV or table", marks=nsys.MARKS, lines=nsys.Reader),
    Format("nvprof", "nvprof --print-gpu-trace, as table or CSV", marks=nvprof.MARKS, lines=nvprof.Reader),
    Format(
        "cubin",
        "cubins, fat binaries, and objects, libraries and programs that hold them",
        _begins(*archives.BINARY),
        _binary,
    ),
    Format("cupy", "cubins of CuPy's cache", lambda head: archives.cupy(head) > 0, _binary),
    Format("torch", "a trace of PyTorch's profiler", torch.sniff, torch.each),
    Format("triton", "a Triton cache folder, or a kernel's JSON in it", triton.sniff, triton.each),
    Format(
        "gzip", "any of these packed with gzip", _begins(archives.GZIP), lambda source: archives.packed(source, _each)
    ),
    Format(
        "zip",
        "zip archives, wheels and folders of any of these",
        _begins(archives.ZIP),
        lambda source: archives.archive(source, _each),
    ),
)


def read(source: str | bytes | PathLike[str] | Iterable[str], architecture: str = "") -> list[KernelReport]:
    """The kernels a report describes; the format is told from the content.

    `source`: a path (a file, or a folder of them), the content itself as `bytes` or text, or an iterable of lines
    (an open text file, `sys.stdin`). A `str` of one line that names a file or folder is a path. Files and iterables
    are read line by line: memory grows with the kernels found, not with the log. `architecture` ("sm_90") is taken
    for kernels whose report names none.
    Raises `ReportError` naming the line or byte for content that cannot be read or holds no kernel, `OSError` for a
    path that cannot be opened, `ValueError` for a malformed `architecture`.
    """
    return list(each(source, architecture))


def each(source: str | bytes | PathLike[str] | Iterable[str], architecture: str = "") -> Iterator[KernelReport]:
    """The kernels that `read` gives, one by one: of binaries and archives the first come before the last is read.

    Errors as of `read`; those of a binary's or an archive's end come after its first kernels.
    """
    if architecture and not re.fullmatch(r"sm_\d{2,3}[af]?", architecture):
        raise ValueError(f'architecture: {architecture!r} is not allowed; give one like "sm_90"')
    if isinstance(source, str):
        if _names_a_path(source):
            return _path(Path(source), architecture)
        if "\n" not in source and "{" not in source and len(source) < 4096 and "info" not in source:
            raise ReportError(source[:200], "there is no such file, and as text it holds no kernel")
        return _each(Source(architecture, text=source))
    if isinstance(source, PathLike):
        return _path(Path(source), architecture)
    if isinstance(source, bytes | bytearray | memoryview):
        return _each(Source(architecture, content=bytes(source)))
    return _each(Source(architecture, lines=source))


def _names_a_path(text: str) -> bool:
    try:
        return len(text) < 4096 and "\n" not in text and bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _path(path: Path, architecture: str) -> Iterator[KernelReport]:
    if path.is_dir():
        return archives.folder(path, architecture, _each)
    return _each(Source(architecture, path=path))


def _each(source: Source) -> Iterator[KernelReport]:
    """The kernels of one source: of the format whose mark it begins with, else of those made of lines."""
    text = None
    for format in FORMATS:
        if format.sniff is None or format.read is None or not format.sniff(source.head):
            continue
        if source.head[:1].isspace() or source.head[:1] in (b"{", b"[", b"\xef"):
            try:
                return iter(list(format.read(source)))
            except ReportError as error:
                text = text or error
        elif source.binary:
            return format.read(source)
    return iter(_lines(source, text))


def _lines(source: Source, otherwise: ReportError | None = None) -> list[KernelReport]:
    """The kernels found by the formats made of lines; without any, `otherwise` is raised."""
    readers = [(format.lines(source.architecture), format.marks) for format in FORMATS if format.lines]
    number = 0
    for block in source.blocks():
        feeds = [reader.feed for reader, marks in readers if reader.open or any(mark in block for mark in marks)]
        if not feeds:
            number += block.count("\n") + (not block.endswith("\n"))
            continue
        lines = plain(block).split("\n")
        if not lines[-1]:
            lines.pop()
        for line in lines:
            number += 1
            for piece in line.rstrip("\r")[:LONGEST_LINE].split("\r") if "\r" in line else (line,):
                for feed in feeds:
                    feed(number, piece)
    reports = [report for reader, _ in readers for report in reader.finish()]
    if not reports:
        said = "; ".join(format.describes for format in FORMATS)
        raise otherwise or ReportError("", f"no kernel found in {number:,} lines; what can be read: {said}")
    return reports
