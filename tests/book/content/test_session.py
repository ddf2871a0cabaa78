"""Chapter 12: its kernel computes what it says, its logs are a compiler's, and its story is what they tell."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from occusite import devices
from occusite.book.content import session
from occusite.questions import steps

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "docs" / "kernels" / "wave.cu"
BUILDS = {
    "as-found": 1024,
    "smaller-block": 256,
    "all-slots": 256,
    "loads-first": 256,
    "four-columns": 256,
    "both": 256,
}


def defined(name: str) -> list[str]:
    """The `-D` options of a build, as its log has them."""
    return re.findall(r"-D\w+(?:=\d+)?", session.log(name))


@pytest.mark.parametrize("name", BUILDS)
def test_every_build_of_the_kernel_computes_the_step(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if not compiler:
        pytest.skip("g++ is not on PATH")
    program = tmp_path / "wave"
    flags = ["-std=c++20", "-O1", "-w", f'-DKERNEL="{SOURCE}"', *defined(name)]
    subprocess.run([compiler, *flags, Path(__file__).with_name("wave_on_cpu.cpp"), "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_log_was_made_by_the_script_and_says_what_it_was_made_for() -> None:
    scripts = (ROOT / "scripts" / "refresh" / "session.py").read_text(encoding="utf-8")
    kept = {path.stem for path in (ROOT / "occusite" / "data" / "session").glob("*.log")}
    assert kept == set(BUILDS) == set(re.findall(r'^    "([\w-]+)": \(', scripts.partition("BOUNDS")[0], re.MULTILINE))
    for name, threads in BUILDS.items():
        text = session.log(name)
        assert threads == int(next((d[10:] for d in defined(name) if d.startswith("-DTHREADS=")), "1024"))
        assert "release" in text.splitlines()[1] and "-arch=sm_90" in text
        assert session.report(name).architecture == "sm_90" and session.report(name).name == "wave"


def test_the_compiler_and_its_machine_code_still_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("nvcc"):
        pytest.skip("nvcc is not on PATH")
    monkeypatch.syspath_prepend(ROOT / "scripts" / "refresh")
    try:
        importlib.import_module("machine_code").tool("cuobjdump")
    except SystemExit as missing:
        pytest.skip(str(missing))
    version = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[3]
    if version not in session.log("as-found"):
        pytest.skip(f"the logs were made by another compiler than {version}")
    check = [sys.executable, ROOT / "scripts" / "refresh" / "session.py", "--check"]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_memory_is_the_measured_one() -> None:
    # 2 blocks of 128 threads on each of 132 SMs, 8 bytes each, at 485 GB/s: the file's own numbers, by hand.
    assert session.memory().latency == pytest.approx(2 * 128 * 8 * 132 / 485, abs=0.05)
    assert session.memory().sms == 132 and session.measured()["gpu"] == devices.gpu(session.GPU).name
    assert session.needed() == pytest.approx(0.75 * 4893.7 * (2 * 128 * 8 * 132 / 485) / 132 / 128, rel=1e-3)


def test_the_order_of_loads_and_waits_gives_their_numbers() -> None:
    """Counts from the letters: every pass begins with nothing in flight, so each W after an L is one whole wait."""
    for name in BUILDS:
        for architecture in ("sm_90", "sm_80"):
            found = session.flight(name, architecture)
            letters = re.sub("[sl]", "", found.order)
            groups = [g for g in re.split("W", letters) if "L" in g]
            assert found.loads == letters.count("L") == 3 * letters.count("S")
            assert found.waits == len(groups)
            assert found.local_stores >= 4 * found.order.count("s") and found.local_loads >= 4 * found.order.count("l")


def test_the_prose_tells_what_the_logs_tell() -> None:
    gpu = devices.gpu(session.GPU)
    slots, needed = gpu.device.warps_per_sm, session.needed()
    found = {name: session.answer(name, threads) for name, threads in BUILDS.items()}
    flying = {name: found[name].warps * session.flight(name).each for name in BUILDS}
    order = {name: session.flight(name).order for name in BUILDS}
    spills = {name: session.report(name).spills or 0 for name in BUILDS}

    # "an eighth of the slots filled"; "more than there are warp slots"
    measured = session.measured()
    assert float(measured["blocks"]) * float(measured["threads"]) / 32 * 8 == slots
    assert needed > slots
    # As found: full, and at least a fifth short; "two loads, a wait, one load, a wait, a store; then the same".
    assert found["as-found"].warps == slots and 0.75 < flying["as-found"] / needed < 0.8
    assert order["as-found"] == 2 * "LLWLWS"
    # Round one: more registers, three quarters of the slots, half as much again in flight, three loads together.
    assert session.report("smaller-block").registers > session.report("as-found").registers
    assert found["smaller-block"].warps * 4 == 3 * slots and flying["smaller-block"] == 1.5 * flying["as-found"]
    assert order["smaller-block"].startswith("LLLW") and flying["smaller-block"] > needed
    assert any(change.after for change in steps.advice(found["smaller-block"]).changes)
    # Its second column waits for the first to be stored, but for one load.
    assert order["smaller-block"].partition("S")[0].count("L") == 4
    # Round two: full, nothing spilled, letter for letter the loop that was found, too little in flight.
    assert found["all-slots"].warps == slots and not spills["all-slots"]
    assert order["all-slots"] == order["as-found"] and flying["all-slots"] < needed
    # Round three: registers and occupancy of round one, one wait, twice as much, three times the full build's.
    assert session.report("loads-first").registers == session.report("smaller-block").registers
    assert found["loads-first"].warps == found["smaller-block"].warps
    assert order["loads-first"] == "LLLLLLWSS"
    assert flying["loads-first"] == 2 * flying["smaller-block"] == 3 * flying["all-slots"]
    # Four columns: half the slots, twice what was found, less than round three, in two groups.
    assert found["four-columns"].warps * 2 == slots and session.flight("four-columns").waits == 2
    assert 2 * flying["as-found"] == flying["four-columns"] < flying["loads-first"] and not spills["four-columns"]
    # Both: full, just enough, most spills in the loop, several times the thread's own bytes.
    both = session.flight("both")
    assert found["both"].warps == slots and needed < flying["both"] < 1.1 * needed
    local = both.local_stores + both.local_loads
    assert 0.5 * spills["both"] < local <= spills["both"] and local > 4 * (4 * 4 * 4)
    # "The three builds with every slot filled come first; read upward, they come last."
    full = {name for name in BUILDS if found[name].warps == slots}
    assert full == {"as-found", "all-slots", "both"}
    assert max(flying[n] for n in full) < min(flying[n] for n in BUILDS if n not in full)


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
    chart = session.in_flight({"a": (32, 2), "b": (16, 4), "c": (32, 2)}, 83.75, 64)
    assert [(p["name"], p["flying"]) for p in chart.datasets["points"]] == [("a, c: 2 each", 64), ("b: 4 each", 64)]
    high = 83.75 * 1.2
    ends = [(line["loads"], line["flying"]) for line in chart.datasets["lines"]]
    assert ends == [(2, 0), (2, pytest.approx(high)), (4, 0), (4, pytest.approx(high))]
    assert "84 are needed" in chart.alt and "a, c: 2 each, 32 warps, 64 in flight" in chart.alt
