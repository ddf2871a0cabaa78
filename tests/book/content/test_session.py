"""Chapter 12: its kernel computes what it says, its logs are a compiler's, and its story is what they tell."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from occusite import devices
from occusite.book.content import session
from occusite.littles_law import Supply
from occusite.questions import staircase

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "docs" / "kernels" / "wave.cu"
BUILDS = {"as-found": 1024, "smaller-tile": 256, "launch-bounds": 256, "more-columns": 256, "both": 256}


def defined(name: str) -> list[str]:
    """The `-D` options of a build, as its log has them."""
    return re.findall(r"-D\w+=\d+", session.log(name))


@pytest.mark.parametrize("name", BUILDS)
def test_every_build_of_the_kernel_computes_the_step(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if not compiler:
        pytest.skip("g++ is not on PATH")
    program = tmp_path / "wave"
    flags = ["-std=c++20", "-O1", "-pthread", "-w", f'-DKERNEL="{SOURCE}"', *defined(name)]
    subprocess.run([compiler, *flags, Path(__file__).with_name("wave_on_cpu.cpp"), "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_log_was_made_by_the_script_and_says_what_it_was_made_for() -> None:
    scripts = (ROOT / "scripts" / "refresh" / "session.py").read_text(encoding="utf-8")
    kept = {path.stem for path in (ROOT / "occusite" / "data" / "session").glob("*.log")}
    assert kept == set(BUILDS) == set(re.findall(r'^    "([\w-]+)": \(', scripts, re.MULTILINE))
    for name, threads in BUILDS.items():
        text = session.log(name)
        rows = int(next((d[5:] for d in defined(name) if d.startswith("-DTY=")), "32"))
        assert 32 * rows == threads
        assert "release" in text.splitlines()[1] and "-arch=sm_90" in text
        assert session.report(name).architecture == "sm_90" and session.report(name).name == "wave"


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not on PATH")
def test_the_compiler_still_says_the_same() -> None:
    version = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[3]
    if version not in session.log("as-found"):
        pytest.skip(f"the logs were made by another compiler than {version}")
    check = [sys.executable, ROOT / "scripts" / "refresh" / "session.py", "--check"]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_prose_tells_what_the_logs_tell() -> None:
    gpu = devices.gpu(session.GPU)
    [measured] = gpu.latency
    assert measured.dram_ns and gpu.bandwidth_gb_s and gpu.device.sm_count
    needed = Supply(gpu.bandwidth_gb_s, measured.dram_ns[1], gpu.device.sm_count).accesses
    slots = gpu.device.warps_per_sm
    found, smaller, bounds, columns, both = (session.answer(name, threads) for name, threads in BUILDS.items())
    spills = {name: session.report(name).spills or 0 for name in BUILDS}

    # "more than there are warp slots"; "half the slots, and too little in flight", "about a quarter of the time"
    assert needed > slots
    assert found.warps * 2 == slots and found.limiters == ("registers",)
    assert 0.7 < 2 * found.warps / needed < 0.8
    assert any(change.after for change in staircase.advice(gpu.device, found.launch).changes)
    # Round one: fewer registers by itself, at the edge of a step; several blocks where one was; enough; no spills.
    assert smaller.launch.registers < found.launch.registers
    assert gpu.device.occupancy(smaller.launch.__class__(256, smaller.launch.registers + 1)).warps < smaller.warps
    assert found.blocks == 1 < smaller.blocks
    assert 2 * smaller.warps >= needed and not spills["smaller-tile"] and smaller.warps < slots
    # Round two: full, and it spills.
    assert bounds.warps == slots and spills["launch-bounds"]
    # Round three: as many warps as at the start, twice as much in flight, at the very end of its step, no spills.
    assert columns.warps == found.warps and not spills["more-columns"]
    assert 4 * columns.warps == 2 * 2 * found.warps == 2 * bounds.warps
    assert staircase.next_cliff(gpu.device, columns.launch, "registers").worse.change == 1
    # Both: full, several times what is needed, more spills than either.
    assert both.warps == slots and 4 * both.warps > 3 * needed and spills["both"] > 2 * spills["launch-bounds"]


def test_no_number_in_its_text_was_typed() -> None:
    notebook = nbformat.read(ROOT / "docs" / "12-session.ipynb", 4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    text = re.sub(r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.findall(r".*\b\d.*", text)
    assert len(text) > 2000


def test_the_notebook_is_kept_without_outputs() -> None:
    notebook = nbformat.read(ROOT / "docs" / "12-session.ipynb", 4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 10
    assert not any(cell.outputs or cell.execution_count for cell in code)


def test_the_picture_of_what_is_in_flight() -> None:
    chart = session.in_flight({"a": (32, 2), "b": (16, 4)}, 83.75, 64)
    assert [p["flying"] for p in chart.datasets["points"]] == [64, 64]
    assert {(line["loads"], line["flying"]) for line in chart.datasets["lines"]} == {(2, 0), (2, 128), (4, 0), (4, 256)}
    assert "84 are needed" in chart.alt and "a: 32 warps, 64 in flight" in chart.alt
