"""Kernels of reports answered; the paste box and the command line say the same of the same report."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner

from occusite import devices, nvidia
from occusite.book import widgets
from occusite.cli.app import app
from occusite.questions import kernels
from occusite.questions.kernels import Answers, best_block_size
from occusite.reports import KernelReport

REPORT = {"kernel": "k", "architecture": "sm_90", "registers": 64, "static_shared": 0, "source": "ptxas"}


def log(name: str, architecture: str, registers: int, shared: str = "") -> str:
    return (
        f"ptxas info    : Compiling entry function '{name}' for '{architecture}'\n"
        f"ptxas info    : Function properties for {name}\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        f"ptxas info    : Used {registers} registers, used 1 barriers{shared}\n"
    )


LOG = log("small", "sm_90", 32) + log("large", "sm_90", 128, ", 40960 bytes smem") + log("ada", "sm_89", 74)


def pasted(text: str, device: str, threads: int, dynamic_kib: int) -> list[list[str]]:
    view = widgets.load("build_log").view(text, device, threads, dynamic_kib)
    table: Any = view.parts["kernels"]
    return [[re.sub("<[^>]+>", " ", str(cell)) for cell in row] for row in table.rows]


def read(text: str, *options: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(app, ["read", "-", "--json", *options], input=text)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


@pytest.mark.parametrize("threads", [96, 256, 1024])
@pytest.mark.parametrize("dynamic_kib", [0, 20, 100])
@pytest.mark.parametrize("device", ["reported", "7.5", "9.0", "12.0"])
def test_the_paste_box_and_the_command_line_agree(device: str, threads: int, dynamic_kib: int) -> None:
    options = ["-t", str(threads), "-s", f"{dynamic_kib}KiB", *(["-d", device] if device != "reported" else [])]
    for cells, row in zip(pasted(LOG, device, threads, dynamic_kib), read(LOG, *options), strict=True):
        if "problem" in row:
            assert (cells[4], cells[5]) == ("–", row["problem"])
        elif row["answer"]["blocks"] == 0:
            assert cells[4] == "0" and cells[5].startswith("cannot launch")
        else:
            assert int(cells[4].split()[0]) == row["answer"]["warps"]


def test_code_for_9_0_does_not_run_on_7_5() -> None:
    """What the paste box once called 100 %."""
    (cells,) = pasted(log("small", "sm_90", 32), "7.5", 1024, 0)
    assert cells[5] == f"code for sm_90 does not run on {nvidia.device('7.5').name}"
    (row,) = read(log("small", "sm_90", 32), "-d", "7.5", "-t", "1024")
    assert row["problem"] == cells[5]


def test_what_a_report_does_not_say_is_never_0() -> None:
    row = Answers(threads=128).row(KernelReport(**{**REPORT, "static_shared": None}))
    assert row.answer is None
    assert row.problem.startswith("static_shared: this ptxas report does not say")


def test_launch_bounds_hold_for_both() -> None:
    report = KernelReport(**REPORT, max_threads=96)
    assert Answers(threads=128).row(report).problem == "threads: the kernel's launch bounds allow 96, not 128"
    assert Answers().row(report).best_threads <= 96
    assert Answers(threads=96).row(report).problem == ""


def test_steps_in_words() -> None:
    row = Answers(threads=256).row(KernelReport(**REPORT))
    assert (row.step_up(), row.step_down()) == ("16 registers fewer: 40 warps", "1 register more: 24 warps")
    nothing = Answers().row(KernelReport(**{**REPORT, "architecture": ""}))
    assert (nothing.step_up(), nothing.step_down()) == ("?", "?")
    full = Answers(threads=256).row(KernelReport(**{**REPORT, "registers": 32}))
    assert full.step_up() == "–"


@pytest.mark.parametrize("capability", ["7.5", "8.6", "9.0", "12.0"])
def test_the_best_block_size_is_the_vendors(capability: str) -> None:
    device = nvidia.device(capability)
    for registers in (16, 40, 96, 168, 255):
        for shared in (0, 3000, 40_000):
            for bound in (None, 100, 256):
                launch = nvidia.Launch(1, registers, shared)
                suggested = device.potential_block_size(launch.pooled(), None, bound).threads
                assert best_block_size(device, launch, bound) == suggested


def test_remarks_count_what_was_taken_instead() -> None:
    rows = [Answers(threads=64).row(KernelReport(**REPORT)), Answers().row(KernelReport(**REPORT))]
    said = kernels.remarks(rows)
    assert any(
        text.startswith("block size: the report does not say") and text.endswith("(1 of 2 kernels)") for text in said
    )
    assert any(text.startswith("dynamic shared memory") and text.endswith("(2 of 2 kernels)") for text in said)
    assert any(text.startswith("barriers: the report does not say") for text in said)


def row(threads: int | None = None, **report: Any) -> kernels.KernelAnswer:
    return Answers(threads=threads).row(KernelReport(**{**REPORT, **report}))


def test_a_rejected_kernel_has_no_answer() -> None:
    found = row(128, problem="it uses too much shared data")
    assert (found.answer, found.problem) == (None, "kernel: it uses too much shared data")


def test_a_rounded_size_is_answered_where_all_of_it_gives_the_same() -> None:
    """65.54 Kbyte is 65,535 to 65,545 bytes: one block on 7.5 either way; at an edge there is no answer."""
    same = Answers(nvidia.device("8.6"), 256).row(
        KernelReport(**{**REPORT, "architecture": "sm_86", "dynamic_shared_range": (65_535, 65_545)})
    )
    assert same.answer is not None and same.answer.blocks == 1
    edge = Answers(nvidia.device("8.6"), 256).row(
        KernelReport(**{**REPORT, "architecture": "sm_86", "registers": 32, "dynamic_shared_range": (24_570, 24_580)})
    )
    assert edge.answer is None
    assert edge.problem.startswith("shared memory: the report rounds it, and 24 to 32 warps may be resident")


def test_unknown_registers_give_a_bound_and_what_cannot_run_at_all_is_said() -> None:
    bound = row(256, registers=None, dynamic_shared=100_000)
    assert bound.at_most and bound.answer is not None and bound.answer.blocks == 2
    known = Answers(threads=256, registers=128).row(KernelReport(**{**REPORT, "registers": None}))
    assert not known.at_most and known.answer is not None and known.answer.warps == 16
    never = row(2048, registers=None)
    assert not never.at_most and never.answer is not None and not never.answer.runs


def test_a_profiles_own_pool_is_used_and_said() -> None:
    """At 65,536 bytes four blocks of 15 KiB fit (with the reserve); the driver could give more."""
    pooled = row(256, architecture="sm_80", static_shared=15 * 1024, pool=65_536)
    plain = row(256, architecture="sm_80", static_shared=15 * 1024)
    assert pooled.answer is not None and pooled.answer.limits["shared_memory"].blocks == 4
    assert plain.answer is not None and plain.answer.limits["shared_memory"].blocks == 10
    assert any("the pool that the profile states is used" in text for text in kernels.remarks([pooled]))
    odd = row(256, architecture="sm_80", pool=12_345)
    assert odd.problem.startswith("pool: 12,345 bytes of shared memory are not a size")


def test_the_board_a_profile_names_is_the_device() -> None:
    found = row(256, architecture="", device="NVIDIA A100-SXM4-80GB")
    assert found.device is not None and found.device.name.startswith("A100")


@pytest.mark.parametrize(
    ("report", "device", "blocks"),
    [
        ({"architecture": "sm_90"}, None, 0),
        ({"architecture": "sm_90a"}, None, 3),
        ({"architecture": "sm_120"}, None, 0),
        ({"architecture": "sm_120a"}, None, 1),
        ({"architecture": "sm_80"}, "rtx 4090", 0),
        ({"architecture": "sm_90a"}, "H100 SXM", 3),
        ({"architecture": "sm_90a"}, "sm_90", 3),
        # A profile's architecture is its board's: the code may have been compiled for sm_90a.
        ({"architecture": "sm_90", "source": "ncu"}, None, 3),
        ({"architecture": "sm_90", "source": "ncu"}, "sm_90", 3),
    ],
)
def test_static_shared_memory_as_the_code_may_have_it(report: dict[str, Any], device: str | None, blocks: int) -> None:
    """60,000 bytes: 48 KiB may be compiled without the suffix, 227 or 99 KiB with it."""
    found = Answers(devices.find(device) if device else None, 128).row(
        KernelReport(**{**REPORT, "static_shared": 60_000, "registers": 32, **report})
    )
    assert found.answer is not None and found.answer.blocks == blocks
    if not blocks:
        assert "60,000 bytes of static shared memory cannot be compiled" in found.answer.reason


def test_code_for_a_server_does_not_run_on_a_tegra() -> None:
    report = KernelReport(**{**REPORT, "architecture": "sm_100"})
    assert Answers(devices.find("10.1"), 128).row(report).problem == (
        "code for sm_100 does not run on compute capability 10.1 (Blackwell)"
    )
