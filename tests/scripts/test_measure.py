"""scripts/measure: its plan, what it reads from the compiler and from the program; and the program compiles."""

from __future__ import annotations

import csv
import importlib.util
import io
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def measure() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure", ROOT / "scripts" / "measure" / "measure.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def log(*kernels: tuple[str, int, int, int]) -> str:
    """A build log as ptxas writes it: name, registers, spill stores, spill loads."""
    return "".join(
        f"ptxas info    : Compiling entry function '{name}' for 'sm_90'\n"
        f"ptxas info    : Function properties for {name}\n"
        f"    0 bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads\n"
        f"ptxas info    : Used {registers} registers, used 1 barriers\n"
        for name, registers, stores, loads in kernels
    )


def test_the_plan_is_the_books_own_kernels(measure: ModuleType) -> None:
    builds = measure.plan(measure.PARTS)
    assert [b.part for b in builds].count("copy") == 1
    sgemm = [b for b in builds if b.part == "sgemm"]
    assert sgemm[0] == measure.Build("sgemm", "no cap", ())
    assert {b.options for b in sgemm[1:]} == {(f"-maxrregcount={cap}",) for cap in measure.CAPS if cap}
    kept = {path.stem for path in (ROOT / "occusite" / "data" / "session").glob("*.log")}
    assert {b.name for b in builds if b.part == "wave"} == kept
    assert [b.part for b in measure.plan(("wave",))] == ["wave"] * len(kept)


def test_the_command_names_the_part_and_its_kernel(measure: ModuleType) -> None:
    words = measure.command("nvcc", measure.Build("sgemm", "cap 80", ("-maxrregcount=80",)), "sm_86", Path("out"))
    assert words[0] == "nvcc" and "-DSGEMM" in words and "-arch=sm_86" in words and "-maxrregcount=80" in words
    [kernel] = [word for word in words if word.startswith("-DKERNEL=")]
    assert Path(kernel.partition('"')[2].rstrip('"')).is_file()
    assert not [w for w in measure.command("nvcc", measure.plan(("copy",))[0], "sm_86", Path("out")) if "KERNEL" in w]


DEVICE = "device,NVIDIA H200, MIG 1g,sm_90,132,2048,13010\n"


def test_a_run_becomes_rows(measure: ModuleType) -> None:
    printed = DEVICE + "copy,1,32,2,123.4,17.4024\ncopy,8,64,4,987.0,2.1758\n"
    kernels = log(("_Z4copyILi8EEvPKfPfm", 32, 0, 0), ("_Z4copyILi1EEvPKfPfm", 12, 0, 0))
    device, rows = measure.parsed(printed, measure.Build("copy", "copy", ()), kernels, "nvcc V13.0.88")
    assert device.gpu == "NVIDIA H200, MIG 1g" and device.architecture == "sm_90"
    made = list(csv.DictReader(io.StringIO(measure.table(rows))))
    assert [r["registers"] for r in made] == ["12", "32"]
    assert [(r["loads"], r["warps"], r["gb_per_s"]) for r in made] == [("1", "2", "123.4"), ("8", "4", "987.0")]
    assert {r["gpu"] for r in made} == {"NVIDIA H200, MIG 1g"} and {r["compiler"] for r in made} == {"nvcc V13.0.88"}


def test_spills_stand_beside_the_time(measure: ModuleType) -> None:
    kernels = log(("_Z8sgemm8x8iiifPKfS0_fPf", 80, 620, 700))
    _, [row] = measure.parsed(
        DEVICE + "sgemm,0,256,0,50.0,4.1\n", measure.Build("sgemm", "cap 80", ()), kernels, "nvcc"
    )
    made = dict(zip(measure.COLUMNS, row, strict=True))
    assert (made["spill_stores"], made["spill_loads"], made["registers"], made["build"]) == (620, 700, 80, "cap 80")
    assert made["time_ms"] == "4.1"


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("", "no measurement"),
        (DEVICE, "no measurement"),
        ("sgemm,0,256,0,50.0,4.1\n", "cannot read the line"),
        (DEVICE + "wave,0,256,0,50.0,4.1\n", "cannot read the line"),
        (DEVICE + "sgemm,0,256\n", "cannot read the line"),
    ],
)
def test_what_cannot_be_read_is_refused(measure: ModuleType, printed: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        measure.parsed(printed, measure.Build("sgemm", "no cap", ()), log(("sgemm8x8", 129, 0, 0)), "nvcc")


@pytest.mark.parametrize(
    ("gpu", "name"),
    [
        ("NVIDIA H200", "nvidia-h200.csv"),
        ("NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm4-80gb.csv"),
        ("L40 / x", "l40-x.csv"),
    ],
)
def test_the_file_has_the_devices_name(measure: ModuleType, gpu: str, name: str) -> None:
    assert measure.file_name(gpu) == name


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not on PATH")
def test_the_program_compiles_and_the_compiler_says_what_the_chapter_on_spills_says(
    measure: ModuleType, tmp_path: Path
) -> None:
    from occusite.book.content import spills

    told = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[3]
    nvcc = shutil.which("nvcc") or ""
    found = {}
    for build in (
        measure.plan(("copy",))[0],
        measure.Build("sgemm", "cap 80", ("-maxrregcount=80",)),
        measure.plan(("wave",))[0],
    ):
        found[build.part] = measure.resources(measure.compiled(nvcc, build, "sm_86", tmp_path / build.part))
        assert (tmp_path / build.part).stat().st_size
    assert sorted(found["copy"]) == [1, 2, 4, 8]
    # More loads in flight take more registers, and none is spilled.
    registers = [found["copy"][loads].registers for loads in (1, 2, 4, 8)]
    assert registers == sorted(set(registers)) and not any(k.spills for k in found["copy"].values())
    if spills.compiler() in told:
        assert found["sgemm"][0].spill_stores == spills.build(80).spill_stores
