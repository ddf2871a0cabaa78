"""The GitHub action that checks kernels: its shell, run as a runner would, with inputs as it passes them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.questions.builds import Kernel, log

ROOT = Path(__file__).parents[2]
ACTION: Any = yaml.safe_load((ROOT / ".github" / "actions" / "check" / "action.yml").read_text(encoding="utf-8"))
STEP = ACTION["runs"]["steps"][-1]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="needs a POSIX bash")


def act(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    inputs = {name: given.get(name.replace("-", "_"), row.get("default", "")) for name, row in ACTION["inputs"].items()}
    passed = {key: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")] for key, value in STEP["env"].items()}
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", STEP["run"]],
        cwd=folder,
        env={**os.environ, **passed, "PATH": places, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def at(tmp_path: Path) -> Path:
    (tmp_path / "before.log").write_text(log(Kernel()))
    (tmp_path / "a build.log").write_text(log(Kernel(registers=74)))
    (tmp_path / "limits.toml").write_text("[[rule]]\nmax_registers = 80\n")
    return tmp_path


def test_a_regression_fails_and_is_in_the_sarif_file(at: Path) -> None:
    found = act(at, reports="a build.log\n", baseline="before.log", threads="16x16")
    assert found.returncode == 1
    assert "registers 64 → 74" in found.stdout
    results = json.loads((at / "occusite.sarif").read_text())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["registers", "occupancy"]


def test_a_good_build_passes(at: Path) -> None:
    found = act(at, reports="before.log\na build.log", limits="limits.toml", threads="256", sarif="found.sarif")
    assert (found.returncode, found.stdout) == (0, "2 kernels passed\n")
    assert json.loads((at / "found.sarif").read_text())["runs"][0]["results"] == []


def test_what_cannot_be_read_is_no_pass(at: Path) -> None:
    found = act(at, reports="none.log", baseline="before.log")
    assert found.returncode == 2
    assert "none.log: No such file" in found.stderr


def test_an_input_is_never_a_command(at: Path) -> None:
    found = act(at, reports="$(touch made).log\n--version", baseline="before.log")
    assert found.returncode == 2
    assert not (at / "made").exists()


def test_every_input_is_passed_on() -> None:
    used = " ".join(STEP["env"].values())
    assert all(f"inputs.{name} " in used for name in ACTION["inputs"])
