"""Packs what the browser's Python needs into zip files; run by Pyodide itself, whose bytecode they hold."""

from __future__ import annotations

import importlib.util
import io
import zipfile
from importlib import _bootstrap_external  # type: ignore[attr-defined]
from pathlib import Path

# One date for all entries, so that equal content gives an equal file.
DATE = (2020, 1, 1, 0, 0, 0)


def package(root: str | Path) -> bytes:
    """The package `occusite` below `root` as a zip to unpack: each source, and beside it its bytecode.

    The bytecode is marked as never to be checked, so an import neither compiles nor compares dates; the sources are
    there for tracebacks.
    """
    return _zip(
        entry
        for path in sorted(Path(root).glob("occusite/**/*"))
        if path.is_file() and path.suffix in (".py", ".toml", ".json", ".csv") and "cli" not in path.parts
        for entry in _entries(path, path.relative_to(root).as_posix())
    )


def _entries(path, name):
    data = path.read_bytes()
    yield name, data
    if path.suffix == ".py":
        yield importlib.util.cache_from_source(name), bytecode(data, f"/book/{name}")


def bytecode(source: bytes, filename: str, optimize: int = -1) -> bytes:
    """A hash-based, unchecked `.pyc` of `source`, whose tracebacks name `filename`."""
    code = compile(source, filename, "exec", dont_inherit=True, optimize=optimize)
    return bytes(_bootstrap_external._code_to_hash_pyc(code, importlib.util.source_hash(source), False))


def _zip(entries) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in entries:
            info = zipfile.ZipInfo(name, DATE)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()
