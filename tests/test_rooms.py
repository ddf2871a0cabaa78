"""The rooms of the package: an import goes down, never up; what the browser loads needs the standard library alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "occusite"

# The floor of each room. A file imports from its own room, or from rooms on floors below it.
ROOMS = {
    "model": 0,
    "paper": 1,
    "nvidia": 1,
    "amd": 1,
    "intel": 1,
    "littles_law": 1,
    "scheduler": 1,
    "devices": 2,
    "objects": 3,
    "questions": 3,
    "reports": 2,
    "cli": 5,
    "book/parts": 5,
    "book/content": 6,
    "book/widgets": 7,
    "book/exercises": 7,
    "book/runtime": 8,
    "book/build": 9,
}
# What one file or room may need beyond the standard library.
LIBRARIES = {
    "nvidia/sweep_numpy.py": {"numpy"},
    "cli": {"click", "rich"},
    # Outside the book a notebook shows a chart's picture where vl-convert is installed.
    "book/parts/jupyter.py": {"vl_convert"},
}
BUILD = "book/build"

FILES = [
    file
    for file in sorted(PACKAGE.rglob("*.py"))
    if file.parent != PACKAGE or file.stem not in ("__init__", "__main__")
]


def room(module: tuple[str, ...]) -> str:
    """The room of a module of occusite, given as its parts below the package."""
    return "/".join(module[:2]) if module[:1] == ("book",) else module[0] if module else ""


def place(file: Path) -> tuple[str, ...]:
    """A file's module as its parts below the package."""
    return file.relative_to(PACKAGE).with_suffix("").parts


def imports(file: Path, top_only: bool = False) -> Iterator[tuple[str, ...]]:
    """Every module a file imports, as its dotted parts; `top_only` leaves out what functions import when called."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    here = ("occusite", *place(file))
    nodes = ast.walk(tree) if not top_only else _at_import(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            yield from ((*module, alias.name) for alias in node.names)


def _at_import(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        guarded = isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")
        if guarded or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        yield child
        yield from _at_import(child)


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_an_import_goes_down(file: Path) -> None:
    own = room(place(file))
    if place(file) == ("book", "__init__"):
        return
    assert own in ROOMS, f"{file.relative_to(PACKAGE)} is in no room; give its room a floor in ROOMS"
    for module in imports(file):
        if module[0] != "occusite" or len(module) < 2:
            continue
        other = room(module[1:])
        if other not in ROOMS or other == own:
            continue
        assert ROOMS[other] < ROOMS[own], f"{file.relative_to(PACKAGE)} imports {'.'.join(module)}: not below {own}"


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_only_the_room_of_the_build_needs_a_build_tool(file: Path) -> None:
    if room(place(file)) == BUILD:
        return
    name = file.relative_to(PACKAGE).as_posix()
    allowed = {"occusite", "__future__"}.union(*(tools for key, tools in LIBRARIES.items() if name.startswith(key)))
    for module in imports(file):
        assert module[0] in sys.stdlib_module_names or module[0] in allowed, f"{name} imports {module[0]}"


def test_an_extra_is_imported_only_when_asked_for() -> None:
    """`import occusite` and all but the command line and NumPy's sweep work where no extra is installed."""
    for file in FILES:
        name = file.relative_to(PACKAGE).as_posix()
        if name.startswith((BUILD, "cli/", "nvidia/sweep_numpy.py")):
            continue
        modules = {m[0] for m in imports(file, top_only=True)}
        assert modules <= set(sys.stdlib_module_names) | {"occusite", "__future__"}, name
