"""Packs what the browser's Python loads into archives; run by Pyodide itself, whose bytecode they hold.

An archive is a zip without compression inside an xz stream: a quarter smaller than a server's gzip, and the browser
unpacks it while it comes.
"""

from __future__ import annotations

import importlib.util
import io
import json
import lzma
import sys
import zipfile
from collections.abc import Iterable
from importlib import _bootstrap_external
from pathlib import Path

# One date for all entries, so that equal content gives an equal file.
DATE = (2020, 1, 1, 0, 0, 0)

# Parts of the package for the command line, for machines with NumPy, for the page about the book's speed, and the whole
# census, of which the pages need what it comes to.
ELSEWHERE = (
    "occusite/cli/",
    "occusite/nvidia/sweep_numpy.py",
    "occusite/data/measured/",
    "occusite/data/measurements/census.csv.gz",
)

# Standard modules that readers may well try, beyond those the book itself uses.
READERS = """
array base64 bisect calendar cmath collections.abc colorsys copy csv datetime decimal difflib fractions functools
graphlib hashlib heapq html itertools json math numbers operator pprint queue random rlcompleter secrets statistics
string textwrap time timeit tomllib typing
"""


def package(root: str | Path, modules: Iterable[str]) -> bytes:
    """The package `occusite` below `root` as an archive to import from.

    Of the book, only what is in `modules` goes along: the rest builds pages. Its sources stay at home; those of the
    domain and the readers go along for tracebacks and for readers who look.
    """
    wanted = set(modules)
    entries: list[tuple[str, bytes]] = []
    for path in sorted(Path(root).glob("occusite/**/*")):
        name = path.relative_to(root).as_posix()
        if not path.is_file() or path.suffix == ".pyc" or name.startswith(ELSEWHERE):
            continue
        book = name.startswith("occusite/book/")
        if path.suffix != ".py" or not book:
            entries.append((name, path.read_bytes()))
        if path.suffix == ".py" and (not book or _module(name) in wanted):
            entries.append((f"{name}c", bytecode(path.read_bytes(), name)))
    return _archive(entries)


def library(whole: str | Path, modules: Iterable[str]) -> bytes:
    """The part of the standard library in the zip `whole` that `modules` name, as bytecode without docstrings.

    The entry `REST` lists the modules left out, one a line.
    """
    wanted = set(modules)
    with zipfile.ZipFile(whole) as archive:
        sources = {_module(name): name for name in archive.namelist() if name.endswith(".py")}
        packed = [sources[module] for module in sorted(wanted & sources.keys())]
        entries = [(f"{name}c", bytecode(archive.read(name), f"{whole}/{name}", optimize=2)) for name in packed]
    return _archive([*entries, ("REST", "\n".join(sorted(sources.keys() - wanted)).encode())])


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def used() -> list[str]:
    """The modules in use once the book's pages have all been served, and those for readers."""
    from occusite.book import exercises, widgets
    from occusite.book.runtime import api, interpreter

    interpreter.warm()
    for name in exercises.names():
        exercises.load(name)
    for name in widgets.names():
        api.view(name, json.dumps({c.name: c.default for c in widgets.load(name).controls}))
    api.run("pack", "cell 1", "1 / 0")
    for name in READERS.split():
        importlib.import_module(name)
    return sorted(sys.modules)


def bytecode(source: bytes, filename: str, optimize: int = -1) -> bytes:
    """The `.pyc` of `source`, never checked against it; tracebacks name `filename`."""
    code = compile(source, filename, "exec", dont_inherit=True, optimize=optimize)
    made = _bootstrap_external._code_to_hash_pyc(code, importlib.util.source_hash(source), False)  # type: ignore[attr-defined]
    return bytes(made)


def packed(data: bytes) -> bytes:
    """`data` as an xz stream that the page's small decoder reads."""
    return lzma.compress(data, check=lzma.CHECK_CRC32)


def _archive(entries: Iterable[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name, DATE), data)
    return packed(buffer.getvalue())
