"""The planted faults of scripts/mutate.py: which a source gets, and that only what can show is changed."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "scripts" / "mutate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module
    spec.loader.exec_module(module)
    return module


# A source, and every change it gets.
SOURCES = [
    ("x = a < b and c", ["a < b and c  →  a < b or c", "a < b  →  a <= b"]),
    ("x = n // 8", ["n // 8  →  n / 8", "n // 8  →  n // 9", "n // 8  →  n // 7"]),
    ("x = 'registers'", ["x = 'registers'  →  x = 'shared_memory'"]),
    ("x = 'two words'", ["x = 'two words'  →  x = 'two§ words'"]),
    ("x = f'<b class=\"a\">{n} warps</b>'", [
        "x = f'<b class=\"a\">{n} warps</b>'  →  x = f'<b class=\"a§\">{n} warps</b>'",
        "x = f'<b class=\"a\">{n} warps</b>'  →  x = f'<b class=\"a\">{n} warps§</b>'",
    ]),
    ("x = [p, q]", ["[p, q]  →  [p]"]),
    ("x = [f(p) for p in q]", ["[f(p) for p in q]  →  [f(p) for p in q][:-1]"]),
    ("rows.append(p)", ["rows.append(p)  →  pass"]),
    ("x = answer.blocks", ["x = answer.blocks  →  x = answer.warps"]),
    ("x = not p", ["not p  →  x = p"]),
    ("def f(n: int = 3) -> int:\n    '''3 words.'''\n    return n", [
        "def f(n: int=3) -> int: \"\"\"3 words.\"\"\" return n  →  def f(n: int=4) -> int: \"\"\"3 words.\"\"\" return n",
        "def f(n: int=3) -> int: \"\"\"3 words.\"\"\" return n  →  def f(n: int=2) -> int: \"\"\"3 words.\"\"\" return n",
    ]),
    ("from __future__ import annotations\nx: 'int > 3' = p\nzip(p, q, strict=True)", ["zip(p, q, strict=True)  →  pass"]),
    ("x = 'a' + p", ["'a' + p  →  'a§' + p"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "changes"), SOURCES, ids=[s.splitlines()[0] for s, _ in SOURCES])
def test_a_source_gets_these_faults(mutate: ModuleType, source: str, changes: list[str]) -> None:
    found = list(mutate.mutants(source))
    assert [m.change for m in found] == changes
    for mutant in found:
        compile(mutant.tree, "a mutant", "exec")
        assert ast.unparse(mutant.tree) != ast.unparse(ast.parse(source))


def test_each_mutant_changes_one_place(mutate: ModuleType) -> None:
    source = (ROOT / "occusite" / "book" / "parts" / "bars.py").read_text(encoding="utf-8")
    lines = ast.unparse(ast.parse(source)).splitlines()
    found = list(mutate.mutants(source))
    assert len(found) > 100 and {m.where for m in found} == {"", "budget_bars", "_cells", "slot_bar"}
    for mutant in found[::7]:
        changed = ast.unparse(mutant.tree).splitlines()
        assert sum(a != b for a, b in zip(lines, changed, strict=False)) >= 1 and abs(len(lines) - len(changed)) <= 1


def test_a_file_is_judged_by_its_mirror(mutate: ModuleType) -> None:
    table = {"questions/staircase.py": ["a", "b"], "nvidia": ["c"]}
    package = ROOT / "occusite"
    assert mutate.tests_of(package / "book/parts/bars.py", {}) == ["tests/book/parts/test_bars.py"]
    assert mutate.tests_of(package / "questions/staircase.py", table) == ["a", "b"]
    assert mutate.tests_of(package / "nvidia/limits.py", table) == ["c"]
    with pytest.raises(SystemExit, match=r"book/build/plugin.py: no tests/book/build/test_plugin.py; name its tests"):
        mutate.tests_of(package / "book/build/plugin.py", {})
