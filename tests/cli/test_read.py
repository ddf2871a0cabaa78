"""`occusite read`: a row a kernel, what limits it, and what the report cannot know."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from occusite import nvidia
from occusite.cli.app import app
from occusite.questions import kernels
from occusite.reports import KernelReport

LOG = """\
[1/2] nvcc -c a.cu
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5saxpyiPKfPf' for 'sm_89'
ptxas info    : Function properties for _Z5saxpyiPKfPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 74 registers, used 1 barriers, 28584 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_Z6matmulPf' for 'sm_90'
ptxas info    : Function properties for _Z6matmulPf
    8 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers
"""


@pytest.fixture(autouse=True)
def _piped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def run(*arguments: str, stdin: str = LOG, code: int = 0) -> Any:
    found = CliRunner().invoke(app, ["read", *arguments], input=stdin)
    assert found.exit_code == code, found.output
    return found


def parsed(*arguments: str, stdin: str = LOG) -> list[dict[str, Any]]:
    made = json.loads(run(*arguments, "--json", stdin=stdin).stdout)
    assert isinstance(made, list)
    return made


def test_a_row_a_kernel_with_its_own_architecture() -> None:
    saxpy, matmul = parsed("-", "--threads", "256")
    answer = nvidia.device("8.9").occupancy(nvidia.Launch(256, 74, 28_584))
    assert (saxpy["name"], saxpy["kernel"]) == ("saxpy", "_Z5saxpyiPKfPf")
    assert (saxpy["answer"]["warps"], saxpy["answer"]["limiters"]) == (answer.warps, list(answer.limiters))
    assert saxpy["together"] == "registers 74 → 64 and static shared 28,584 → 24,576: 32 warps"
    assert matmul["answer"]["architecture"] == "sm_90"
    assert matmul["next"]["better"]["value"] == 48
    assert (matmul["spill_stores"], matmul["spill_loads"]) == (8, 12)


def test_the_table_and_what_the_report_cannot_know() -> None:
    found = run("-", "-t", "256")
    head, saxpy, matmul = found.stdout.splitlines()
    assert head.split()[0] == "occupancy"
    assert saxpy.endswith("sm_89  saxpy")
    assert "registers + shared memory" in saxpy
    assert "16 registers fewer: 40 warps" in matmul
    assert "1 register more: 24 warps" in matmul
    assert "dynamic shared memory: the report does not say; taken as 0" in found.stderr
    assert "block size" not in found.stderr


def test_without_a_block_size_the_best_is_shown_as_a_bound() -> None:
    found = run("-")
    assert "≤ 50 %" in found.stdout
    assert "block size: the report does not say; shown is the best that any block size gives" in found.stderr
    saxpy, _ = parsed("-")
    best = nvidia.device("8.9").potential_block_size(nvidia.Launch(1, 74, 28_584))
    assert saxpy["best_block_size"] == best.threads
    assert saxpy["answer"]["warps"] == best.warps
    assert saxpy["unknown"] == ["threads", "dynamic_shared"]


def test_dynamic_shared_memory_counts() -> None:
    _, matmul = parsed("-", "-t", "256", "-s", "100KiB")
    assert matmul["answer"]["launch"]["dynamic_shared"] == 102_400
    assert matmul["answer"]["limiters"] == ["shared_memory"]
    assert "dynamic shared memory: the report" not in run("-", "-t", "256", "-s", "100KiB").stderr


def test_a_device_answers_only_for_code_that_runs_on_it() -> None:
    saxpy, matmul = parsed("-", "-t", "256", "-d", "H100 SXM")
    assert saxpy["problem"] == f"code for sm_89 does not run on {matmul['device']}"
    assert "answer" not in saxpy
    assert matmul["answer"]["warps"] == 32
    table = run("-", "-t", "256", "-d", "H100 SXM").stdout.splitlines()
    assert table[1].split()[0] == "?"


@pytest.mark.parametrize(
    ("architecture", "capability", "runs"),
    [
        ("sm_80", "8.0", True),
        ("sm_80", "8.9", True),
        ("sm_89", "8.0", False),
        ("sm_86", "8.7", False),
        ("sm_87", "8.7", True),
        ("sm_87", "8.9", False),
        ("sm_90", "9.0", True),
        ("sm_90a", "9.0", True),
        ("sm_100a", "10.3", False),
        ("sm_100f", "10.3", True),
        ("sm_100", "10.3", True),
        ("sm_103f", "10.0", False),
        ("sm_120", "9.0", False),
        ("gfx942", "9.0", False),
    ],
)
def test_which_code_runs_where(architecture: str, capability: str, runs: bool) -> None:
    assert nvidia.device(capability).runs(architecture) is runs


def test_launch_bounds_are_kept() -> None:
    report = KernelReport(
        kernel="k", architecture="sm_90", registers=32, static_shared=0, max_threads=96, source="cubin"
    )
    row = kernels.Answers(None, 128, None).row(report)
    assert row.problem == "threads: the kernel's launch bounds allow 96, not 128"
    assert kernels.Answers(None, None, None).row(report).best_threads <= 96


def test_a_kernel_without_counts_says_so() -> None:
    report = KernelReport(kernel="k", architecture="sm_90", source="triton", threads=128)
    row = kernels.Answers(None, None, None).row(report)
    assert row.problem.startswith("static_shared: this triton report does not say")
    nameless = KernelReport(kernel="k", registers=32, static_shared=0, source="cuobjdump")
    assert "architecture: the report names none" in kernels.Answers(None, None, None).row(nameless).problem
    old = KernelReport(kernel="k", architecture="sm_20", registers=32, static_shared=0, source="ptxas")
    assert "'sm_20'" in kernels.Answers(None, None, None).row(old).problem


def test_an_unreadable_report_exits_with_2_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(LOG)
    (tmp_path / "bad.log").write_text("nothing here\n")
    found = run(str(tmp_path / "bad.log"), str(tmp_path / "none"), str(tmp_path / "good.log"), "-t", "64", code=2)
    assert "bad.log: no kernel found" in found.stderr
    assert "none: No such file" in found.stderr
    assert found.stdout.count("good.log") == 2


def test_a_terminal_says_once_what_all_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    text = re.sub(r"\x1b\[[0-9;]*m", "", run("-", "-t", "256").stdout)
    assert text.startswith("256 threads per block\n")
    assert "−16 regs → 40" in text
    assert "+1 regs → 24" in text
    assert max(map(len, text.splitlines())) <= 100
    alone = LOG[LOG.index("ptxas info    : Compiling entry function '_Z6matmul") :]
    text = re.sub(r"\x1b\[[0-9;]*m", "", run("-", "-t", "256", stdin=alone).stdout)
    assert text.startswith("sm_90, 256 threads per block\n")


def test_names_cannot_upset_the_terminal() -> None:
    log = LOG.replace("_Z6matmulPf", "evil\x07\x1b[2Jname" + "x" * 500)
    table = run("-", stdin=log).stdout
    assert "\x1b" not in table
    assert "\x07" not in table
    assert max(map(len, table.splitlines())) < 400
