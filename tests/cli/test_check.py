"""`occusite check`: its exit code, and findings as text and JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.asked import run
from tests.questions.builds import Kernel, log

RULES = '[[rule]]\nmax_registers = 72\nmax_spills = 0\n\n[[rule]]\nkernel = "gone*"\nmax_stack = "1KiB"\n'


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "before.log").write_text(log(Kernel(), Kernel("_Z5otherPf", 20)))
    (tmp_path / "after.log").write_text(log(Kernel(registers=74, spills=20), Kernel("_Z5otherPf", 20)))
    (tmp_path / "more.log").write_text(log(Kernel("_Z4morePf", 100)))
    (tmp_path / "limits.toml").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_against_a_baseline(at: Path) -> None:
    assert run("check", "before.log", "--baseline", "before.log", "-t", "256") == "2 kernels passed\n"
    text = run("check", "after.log", "--baseline", "before.log", "-t", "256", code=1)
    assert text.splitlines() == [
        "after.log: line 1: matmul (sm_89): registers 64 → 74",
        "after.log: line 1: matmul (sm_89): spills 0 → 20 bytes",
        "after.log: line 1: matmul (sm_89): occupancy 66.67 → 50 %",
        "1 of 2 kernels failed",
    ]


def test_against_limits(at: Path) -> None:
    assert run("check", "before.log", "--limits", "limits.toml", "-t", "256") == "2 kernels passed\n"
    text = run("check", "before.log", "after.log", "more.log", "--limits", "limits.toml", "-t", "256", code=1)
    assert text.splitlines() == [
        "after.log: line 1: matmul (sm_89): 74 registers, the limit is 72",
        "after.log: line 1: matmul (sm_89): spills of 20 bytes, the limit is 0",
        "more.log: line 1: more (sm_89): 100 registers, the limit is 72",
        "2 of 5 kernels failed",
    ]


def test_json(at: Path) -> None:
    import json

    made = json.loads(run("check", "after.log", "--limits", "limits.toml", "-t", "256", "--format", "json", code=1))
    assert made["kernels"] == 2
    assert made["findings"][0] == {
        "path": "after.log",
        "where": "line 1",
        "kernel": "_Z6matmulPKfS0_Pf",
        "name": "matmul",
        "architecture": "sm_89",
        "measure": "registers",
        "rule": "limit",
        "text": "74 registers, the limit is 72",
    }
    passed = run("check", "before.log", "--baseline", "before.log", "-t", "256", "--json")
    assert json.loads(passed) == {"kernels": 2, "findings": []}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("before.log", "baseline, limits: missing; give --baseline, --limits or both"),
        ("before.log --limits none.toml", "limits: 'none.toml' cannot be read; No such file"),
        ("before.log --limits before.log", "limits: 'before.log' is not TOML"),
        ("before.log --baseline none.log", "none.log: No such file"),
        ("before.log --baseline limits.toml", "limits.toml: no kernel found"),
        (
            "before.log --baseline before.log --format xml",
            "format: 'xml' is not allowed; give one of text, json, sarif",
        ),
        ("--baseline before.log", "PATH: missing; give reports to check"),
    ],
)
def test_what_cannot_be_read_is_no_pass(at: Path, arguments: str, said: str) -> None:
    assert said in run("check", *arguments.split(), code=2)
