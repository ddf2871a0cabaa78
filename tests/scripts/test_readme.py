"""The README's program: it prints what stands below it, and strict mypy has nothing to say against it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM, PRINTS = re.findall(r"```(?:python|text)\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "snippet.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_it_prints_what_the_readme_shows(program: Path) -> None:
    command = [sys.executable, "-X", "utf8", str(program)]
    found = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True
    )
    assert found.stdout.decode() == PRINTS


def test_it_is_typed(program: Path) -> None:
    """As a user's program beside the installed package, whose annotations count since it says it is typed."""
    assert (ROOT / "occusite" / "py.typed").is_file()
    wrong = program.with_name("wrong.py")
    wrong.write_text(PROGRAM.replace("answer.warps", "answer.warpz"), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir=.mypy_cache"]
    found = subprocess.run([*command, str(program)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
    found = subprocess.run([*command, str(wrong)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "warpz" in found.stdout, found.stdout
