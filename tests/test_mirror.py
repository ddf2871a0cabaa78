"""Each module of the book has its test module, in the same place under the same name, and no test module is left over."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# The rooms held to the rule, and the folder of their tests.
ROOMS = {"occusite/book": "tests/book"}

# Modules without a test module of their own, each with what judges it.
EXCEPTIONS = {
    "book/build/plugin.py": "tests/book/build/test_notebook.py runs it as MkDocs does, on a small book",
    "book/exercises/*/*.py": "tests/book/exercises/test_exercises.py tries every exercise: solution, starter, wrong answers",
    "book/widgets/__init__.py": "tests/book/parts/test_widget.py loads every widget by it",
}
# Test modules that mirror no module, each with what it judges.
OTHERS = {
    "book/test_by_hand.py": "the tests' own arithmetic",
    "book/test_pages.py": "the built site",
    "book/test_claims.py": "what the book's prose claims about machines",
}


def modules(room: str) -> list[Path]:
    """The room's modules with code, below the package; a folder's `__init__` of one line says only what it is for."""
    found = sorted((ROOT / room).rglob("*.py"))
    code = [f for f in found if f.stem != "__init__" or f.read_text(encoding="utf-8").count("\n") > 1]
    return [f.relative_to(ROOT / "occusite") for f in code]


def mirror(module: Path) -> Path:
    """The test module of a module; an `__init__` goes by its folder's name."""
    name = module.parent.name if module.stem == "__init__" else module.stem
    return module.with_name(f"test_{name}.py")


def excepted(module: Path) -> bool:
    """Whether an exception names the module."""
    return any(module.match(pattern) for pattern in EXCEPTIONS)


MODULES = [module for room in ROOMS for module in modules(room)]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_has_its_test_module(module: Path) -> None:
    there = (ROOT / "tests" / mirror(module)).is_file()
    if excepted(module):
        assert not there, f"{module} is an exception and has tests/{mirror(module)}: take it from EXCEPTIONS"
        return
    assert there, f"{module} has no tests/{mirror(module)}; write it, or name what judges it in EXCEPTIONS"


def test_a_test_module_has_its_module() -> None:
    mirrors = {mirror(module) for module in MODULES} | {Path(name) for name in OTHERS}
    tests = [t.relative_to(ROOT / "tests") for folder in ROOMS.values() for t in (ROOT / folder).rglob("test_*.py")]
    assert not sorted(set(tests) - mirrors), "they mirror no module; move them, or say what they judge in OTHERS"


def test_no_exception_outlives_its_module() -> None:
    for pattern in EXCEPTIONS:
        assert any(module.match(pattern) for module in MODULES), f"{pattern} is no module any more"
