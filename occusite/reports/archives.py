"""Reads what holds several reports: folders, zip archives and wheels, and single files packed with gzip."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, BinaryIO, cast

from occusite.reports import elf, fatbin
from occusite.reports.report import KernelReport, ReportError
from occusite.reports.source import Source

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
BINARY = (elf.MAGIC, fatbin.MAGIC, b"MZ", b"!<arch>\n")
Each = Callable[[Source], Iterator[KernelReport]]

_MOST_FILES = 100_000
# What may hold a report without a mark at its beginning.
_TEXTS = (".log", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".out", ".err", ".md", ".html", ".ptxas", ".trace")
# Real archives unpack to a few times their size; a text of one line repeated to a thousand times.
_MOST_TIMES, _AT_LEAST = 64, 1 << 30
_DEEPEST = 3
# Errors that mean only: this file is about something else.
_NOTHING = re.compile(r"no kernel found in (?:[\d,]+ lines|its files$)|no Triton metadata|without GPU code")


def packed(source: Source, each: Each) -> Iterator[KernelReport]:
    """The reports of a file packed with gzip, read by `each`."""
    limit = _limit(_length(source))
    inner = Source(
        source.architecture,
        name=source.name,
        opened=lambda: _unpacked(lambda: cast(IO[bytes], gzip.GzipFile(fileobj=_file(source))), source.name),
        limit=limit,
        depth=_deeper(source),
    )
    yield from each(inner)


def archive(source: Source, each: Each) -> Iterator[KernelReport]:
    """The reports of all files in a zip archive or wheel, with the file's name before each place."""
    depth = _deeper(source)
    try:
        opened = zipfile.ZipFile(_file(source))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ReportError(source.name, f"not a sound zip archive: {str(error)[:200]}") from None
    with opened:
        members = [member for member in opened.infolist() if not member.is_dir()]
        if len(members) > _MOST_FILES:
            raise ReportError(source.name, f"more than {_MOST_FILES:,} files in one archive")
        left = [_limit(_length(source))]
        yield from _several(_members(opened, members, source, left, depth), each, source.name or "this archive")


def folder(path: Path, architecture: str, each: Each) -> Iterator[KernelReport]:
    """The reports of all files in a folder, at any depth, ordered by path.

    Raises `ReportError` when it has none, or more than 100,000 files.
    """
    files = sorted(islice((file for file in path.rglob("*") if file.is_file()), _MOST_FILES + 1))
    if len(files) > _MOST_FILES:
        raise ReportError(path.name, f"more than {_MOST_FILES:,} files; give a smaller folder")
    names = set(files)
    yield from _several(_files(files, names, path, architecture), each, path.name)


def _several(sources: Iterable[Callable[[], Source] | Source], each: Each, where: str) -> Iterator[KernelReport]:
    """The reports of several sources. What could not be read is said in the last report, or raised without one."""
    problems: list[str] = []
    last: KernelReport | None = None
    for make in sources:
        name = ""
        try:
            source = make if isinstance(make, Source) else make()
            name = source.name
            if not promising(source):
                continue
            for report in each(source):
                if last is not None:
                    yield last
                own = "" if report.where == Path(name).name else report.where
                last = replace(report, where=f"{name}: {own}" if own else name)
        except ReportError as error:
            # A text in which there is nothing is no problem among others.
            if not _NOTHING.search(error.problem):
                problems.append(f"{name}: {error}" if name and name not in str(error) else str(error))
        except OSError as error:
            problems.append(f"{name}: {str(error)[:200]}")
    if last is None:
        detail = f"; {problems[0]}" if problems else ""
        raise ReportError(where, f"no kernel found in its files{detail}")
    if problems:
        note = f"{len(problems):,} other files were not read; the first: {problems[0][:500]}"
        last = replace(last, notes=(*last.notes, note))
    yield last


def _members(
    opened: zipfile.ZipFile, members: list[zipfile.ZipInfo], source: Source, left: list[int], depth: int
) -> Iterator[Callable[[], Source]]:
    """The files of an archive as sources; `left`: the bytes that all together may still unpack to."""
    for member in members:

        def make(member: zipfile.ZipInfo = member) -> Source:
            left[0] -= member.file_size
            if left[0] < 0:
                raise ReportError(member.filename[:200], "the archive unpacks to many times its size")
            if member.flag_bits & 1:
                raise ReportError(member.filename[:200], "encrypted")
            return Source(
                source.architecture,
                name=member.filename[:1000],
                opened=lambda: _unpacked(lambda: opened.open(member), member.filename[:200]),
                limit=member.file_size,
                depth=depth,
            )

        yield make


def _files(files: list[Path], names: set[Path], path: Path, architecture: str) -> Iterator[Callable[[], Source]]:
    """The files of a folder as sources, without those that another one is read with."""
    for file in files:
        beside = file.suffix == ".cubin" and file.with_suffix(".json") in names
        if not beside and not file.name.startswith("__grp__"):
            yield partial(Source, architecture, name=file.relative_to(path).as_posix(), path=file)


def promising(source: Source) -> bool:
    """Whether a file among many may hold a report: told from how it begins, or from what it is called."""
    if source.head.startswith((*BINARY, GZIP, ZIP)) or cupy(source.head):
        return True
    name = source.name.lower()
    return bool(source.head) and name.endswith(_TEXTS) and b"\0" not in source.head.replace(b"\0", b"", 2048)


def cupy(head: bytes) -> int:
    """Where the cubin begins that CuPy keeps in its cache, behind a digest of it in hexadecimal; 0 for other files."""
    for size in (40, 32):
        if head[size : size + 4] == elf.MAGIC and re.fullmatch(rb"[0-9a-f]+", head[:size]):
            return size
    return 0


# What the standard library raises for damaged, foreign or encrypted packed files.
_DAMAGE = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    zipfile.BadZipFile,
)


@contextmanager
def _damage_of(name: str) -> Iterator[None]:
    """Raise the damage of a packed file as a `ReportError`."""
    try:
        yield
    except ReportError:
        raise
    except _DAMAGE as error:
        raise ReportError(name, f"cannot be unpacked: {str(error)[:200] or 'it is cut off'}") from None


def _unpacked(opens: Callable[[], IO[bytes]], name: str) -> BinaryIO:
    """The packed file that `opens`, whose damage is raised as a `ReportError` here and while it is read."""
    with _damage_of(name):
        return cast(BinaryIO, _Unpacked(opens(), name))


class _Unpacked:
    """A packed file whose damage is raised as a `ReportError`."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name, self._at = file, name, 0

    def read(self, size: int = -1) -> bytes:
        with _damage_of(self._name):
            piece = self._file.read(size)
        self._at += len(piece)
        return piece

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> _Unpacked:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _file(source: Source) -> BinaryIO:
    """The packed file itself, to seek in."""
    if source.path is not None and source.plain_file:
        return source.path.open("rb")
    return cast(BinaryIO, io.BytesIO(source.data()))


def _length(source: Source) -> int:
    return source.path.stat().st_size if source.path is not None and source.plain_file else len(source.data())


def _limit(size: int) -> int:
    return _MOST_TIMES * size + _AT_LEAST


def _deeper(source: Source) -> int:
    if source.depth >= _DEEPEST:
        raise ReportError(source.name, f"more than {_DEEPEST} archives within one another")
    return source.depth + 1
