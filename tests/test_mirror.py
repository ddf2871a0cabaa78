"""Each module of the package has its test module, in the same place under the same name, and no test module is left over."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Folders of tests that judge no single module: the site in browsers, the scripts, the page's JavaScript, data.
ELSEWHERE = ("browser", "scripts", "js", "data")

# Modules without a test module of their own, each with what judges it.
EXCEPTIONS = {
    "occusite/__init__.py": "tests/model/test_answer.py asks by it",
    "occusite/__main__.py": "tests/cli/test_process.py starts it",
    "model/__init__.py": "it only passes names on",
    "nvidia/__init__.py": "it only passes names on",
    "amd/__init__.py": "it only passes names on",
    "intel/__init__.py": "it only passes names on",
    "amd/fast.py": "tests/test_every_device.py holds it equal to the rich answer",
    "amd/rules.py": "tests/amd/test_compiler.py asks about every target, test_hardware.py about their units",
    "nvidia/limits.py": "tests/nvidia/test_header.py compares every output with the vendor's header",
    "nvidia/fast.py": "tests/nvidia/test_header.py and tests/test_every_device.py hold it equal to the rich answer",
    "nvidia/properties.py": "tests/nvidia/test_launch.py and test_device.py make devices with odd properties",
    "reports/__init__.py": "tests/reports/test_report.py and test_archives.py read by it",
    "reports/elf.py": "tests/reports/test_cubin.py and test_hostile.py",
    "reports/gathered.py": "tests/reports/test_traces.py",
    "reports/nsys.py": "tests/reports/test_traces.py",
    "reports/nvprof.py": "tests/reports/test_traces.py",
    "reports/source.py": "tests/reports/test_archives.py and test_hostile.py",
    "reports/tables.py": "tests/reports/test_ncu.py and test_traces.py",
    "reports/torch.py": "tests/reports/test_traces.py",
    "cli/__init__.py": "tests/cli/test_process.py starts it",
    "cli/app.py": "tests/cli/test_commands.py runs each command",
    "cli/asked.py": "tests/cli/test_commands.py and test_jsonl.py name devices well and badly",
    "cli/block_size.py": "tests/cli/test_commands.py",
    "cli/builds.py": "tests/cli/test_diff.py and test_check.py read builds well and badly",
    "cli/devices.py": "tests/cli/test_commands.py",
    "cli/explain.py": "tests/cli/test_commands.py",
    "cli/occupancy.py": "tests/cli/test_commands.py",
    "cli/options.py": "tests/cli/test_commands.py looks for every field's option",
    "cli/output.py": "tests/cli/test_commands.py",
    "cli/sweep.py": "tests/cli/test_commands.py",
    "book/build/plugin.py": "tests/book/build/test_notebook.py runs it as MkDocs does, on a small book",
    "book/exercises/*/*.py": "tests/book/exercises/test_exercises.py tries every exercise: solution, starter, wrong answers",
    "book/widgets/__init__.py": "tests/book/parts/test_widget.py loads every widget by it",
}
# Test modules that mirror no module, each with what it judges.
OTHERS = {
    "test_book_numbers.py": "the numbers that the book's plan promises",
    "test_every_device.py": "what must hold for every launch on every device",
    "test_mirror.py": "the tests' places",
    "test_rooms.py": "imports",
    "test_scripts.py": "the scripts",
    "cli/test_commands.py": "every command",
    "cli/test_process.py": "the command as a process",
    "reports/test_hostile.py": "every reader, with damaged input",
    "reports/test_ptxas_traps.py": "logs that once misled the reader",
    "reports/test_traces.py": "profilers' traces and tables",
    "nvidia/test_golden.py": "stored answers of the vendor's header",
    "nvidia/test_header.py": "the vendor's header, asked now",
    "book/test_by_hand.py": "the tests' own arithmetic",
    "book/test_pages.py": "the built site",
    "book/test_claims.py": "what the book's prose claims about machines",
}


def modules() -> list[Path]:
    """The modules with code, below the package; a folder's `__init__` of one line says only what it is for."""
    found = sorted((ROOT / "occusite").rglob("*.py"))
    code = [f for f in found if f.stem != "__init__" or f.read_text(encoding="utf-8").count("\n") > 1]
    return [f.relative_to(ROOT / "occusite") for f in code]


def mirror(module: Path) -> Path:
    """The test module of a module; an `__init__` goes by its folder's name."""
    name = module.parent.name if module.stem == "__init__" else module.stem
    return module.with_name(f"test_{name}.py")


def excepted(module: Path) -> bool:
    """Whether an exception names the module."""
    return any(Path("occusite", module).match(pattern) for pattern in EXCEPTIONS)


MODULES = modules()


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_has_its_test_module(module: Path) -> None:
    there = (ROOT / "tests" / mirror(module)).is_file()
    if excepted(module):
        assert not there, f"{module} is an exception and has tests/{mirror(module)}: take it from EXCEPTIONS"
        return
    assert there, f"{module} has no tests/{mirror(module)}; write it, or name what judges it in EXCEPTIONS"


def test_a_test_module_has_its_module() -> None:
    mirrors = {mirror(module) for module in MODULES} | {Path(name) for name in OTHERS}
    tests = [t.relative_to(ROOT / "tests") for t in (ROOT / "tests").rglob("test_*.py")]
    tests = [t for t in tests if t.parts[0] not in ELSEWHERE]
    assert not sorted(set(tests) - mirrors), "they mirror no module; move them, or say what they judge in OTHERS"


def test_no_exception_outlives_its_module() -> None:
    for pattern in EXCEPTIONS:
        assert any(Path("occusite", module).match(pattern) for module in MODULES), f"{pattern} is no module any more"
