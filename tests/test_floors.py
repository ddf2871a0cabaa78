"""The three floors: an import goes down, never up; the domain needs the standard library alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "occusite"
FLOORS = {"domain": 1, "reports": 2, "book": 3, "cli": 3}
# What an extra allows in one place of the domain or the readers.
EXTRAS = {"sweep_numpy.py": {"numpy"}, "reports": {"elftools"}}
# What runs in the reader's browser: nothing of these may need more than the standard library.
BUILD_ONLY = {
    "yaml",
    "latex2mathml",
    "pygments",
    "pymdownx",
    "vl_convert",
    "markdown",
    "mkdocs",
    "nbformat",
}

FILES = sorted(PACKAGE.rglob("*.py"))


def floor(module: tuple[str, ...]) -> int:
    """The floor of a module of occusite, by its first name below the package."""
    name = module[0] if module else ""
    if name == "__main__":
        return 3
    return FLOORS.get(name, 1)


def imports(file: Path, top_only: bool = False) -> Iterator[tuple[str, ...]]:
    """Every module a file imports, as its dotted parts; `top_only` leaves out what functions import when called."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    here = ("occusite", *file.relative_to(PACKAGE).with_suffix("").parts)
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
    own = floor(file.relative_to(PACKAGE).with_suffix("").parts)
    for module in imports(file):
        if module[0] == "occusite":
            assert floor(module[1:]) <= own, f"{file.relative_to(PACKAGE)} imports {'.'.join(module)}, a floor above"


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_the_lower_floors_need_the_standard_library_alone(file: Path) -> None:
    place = file.relative_to(PACKAGE).parts
    if floor(place) == 3:
        return
    allowed = EXTRAS.get(place[0], set())
    for module in imports(file):
        known = module[0] in sys.stdlib_module_names or module[0] in {"occusite", "__future__"} | allowed
        assert known, f"{file.relative_to(PACKAGE)} imports {module[0]}"


def test_an_extra_is_imported_only_when_asked_for() -> None:
    """`import occusite` and its domain work where no extra is installed."""
    for file in FILES:
        place = file.relative_to(PACKAGE).parts
        if floor(place) < 3 and place[0] not in EXTRAS:
            modules = {m[0] for m in imports(file, top_only=True)}
            assert modules <= set(sys.stdlib_module_names) | {"occusite"}


def test_what_the_browser_imports_needs_no_build_tool() -> None:
    """From `occusite.book.live` on, following imports made at import, nothing of the build is reached."""
    waiting, seen = [("occusite", "book", "live")], set()
    widgets = [("occusite", "book", "widgets", f.stem) for f in (PACKAGE / "book" / "widgets").glob("*.py")]
    exercises = [("occusite", "book", "exercises", f.stem) for f in (PACKAGE / "book" / "exercises").glob("*.py")]
    waiting += widgets + exercises
    while waiting:
        module = waiting.pop()
        file = _file(module)
        if file is None or file in seen:
            continue
        seen.add(file)
        for found in imports(file, top_only=True):
            assert found[0] not in BUILD_ONLY, f"{file.relative_to(PACKAGE)} imports {found[0]}"
            if found[0] == "occusite":
                waiting += [found, found[:-1]]
    assert len(seen) > 20


def _file(module: tuple[str, ...]) -> Path | None:
    path = PACKAGE.joinpath(*module[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None
