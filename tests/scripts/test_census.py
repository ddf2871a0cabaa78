"""scripts/refresh/census.py: what counts as a kernel, how rows are rounded, and that rounding changes no residency."""

from __future__ import annotations

import dataclasses
import importlib.util
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import devices, nvidia, reports

ROOT = Path(__file__).resolve().parents[2]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("census", ROOT / "scripts" / "refresh" / "census.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


census = load()


def report(
    kernel: str = "k", architecture: str = "sm_90", registers: int | None = 40, **more: Any
) -> reports.KernelReport:
    return reports.KernelReport(kernel=kernel, architecture=architecture, registers=registers, static_shared=0, **more)


def test_rounding_up_to_what_the_chips_allocate() -> None:
    found = dataclasses.replace(report(registers=41), static_shared=129, max_threads=250, stack_frame=8)
    assert census.row(found) == (48, 256, 256, 1)
    assert census.row(report(registers=48)) == (48, 0, 0, 0)
    # A kernel compiled for one block size is bounded by it.
    assert census.row(report(threads=96, max_threads=None)).threads == 96


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(census.GENERATIONS),
    st.integers(1, 1024),
    st.integers(5, 255),
    st.integers(0, 48 * 1024),
)
def test_rounding_changes_no_residency(architecture: str, threads: int, registers: int, shared: int) -> None:
    device = devices.find(architecture)
    exact = device.occupancy(nvidia.Launch(threads, registers, static_shared=shared))
    row = census.row(report(registers=registers, max_threads=threads))._replace(shared=census.up(shared, 128))
    rounded = device.occupancy(
        nvidia.Launch(row.threads, min(row.registers, 255), static_shared=min(row.shared, 48 * 1024))
    )
    assert (rounded.blocks, rounded.warps) == (exact.blocks, exact.warps)


def test_a_shell_has_no_registers_to_speak_of() -> None:
    assert census.shell(report(registers=2)) and census.shell(report(registers=4))
    assert not census.shell(report(registers=6))
    assert not census.shell(dataclasses.replace(report(registers=4), static_shared=1024))


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not on PATH")
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_the_compiler_gives_an_empty_kernel_less_than_any_other(architecture: str, tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void empty() {}\n"
        "__global__ void other_arch(float* p) {\n#if __CUDA_ARCH__ == 1000\n  *p = 1;\n#endif\n}\n"
        "__global__ void one(float* p) { *p = 1; }\n"
    )
    cubin = tmp_path / "k.cubin"
    subprocess.run(["nvcc", f"-arch={architecture}", "-cubin", "-o", cubin, source], check=True)
    found = {r.name: census.shell(r) for r in reports.read(cubin)}
    assert found == {"empty": True, "other_arch": True, "one": False}


def test_what_is_counted() -> None:
    made = census.counted(
        [
            report("a", registers=32, max_threads=128),
            report("b", registers=40),
            report("c", registers=41),
            report("shell", registers=4),
            report("to be linked", final=False),
            report("old", architecture="sm_50"),
            report("unknown", registers=None),
        ]
    )
    assert list(made) == ["sm_90"]
    found = made["sm_90"]
    assert (found["kernels"], found["shells"], found["median"], found["bounded"]) == (3, 1, 40, 1)
    assert found["rows"] == [[32, 128, 0, 0, 1], [40, 0, 0, 0, 1], [48, 0, 0, 0, 1]]


def test_a_version_for_the_architecture_alone_goes_before_the_plain_one() -> None:
    both = [report("a", "sm_90", 100), report("a", "sm_90a", 168), report("b", "sm_90", 64), report("c", "sm_90a", 32)]
    assert [(r.kernel, r.registers) for r in census.preferred(both)] == [("a", 168), ("b", 64), ("c", 32)]
    assert census.counted(both)["sm_90"]["kernels"] == 3


def test_the_files_of_a_wheel_that_match_are_read(tmp_path: Path) -> None:
    """Cubins of the reader's own tests, packed as a wheel: what the census finds is what the reader finds."""
    with zipfile.ZipFile(ROOT / "tests" / "data" / "reports" / "binaries.zip") as kept:
        content = kept.read(next(name for name in kept.namelist() if name.endswith("two.so")))
    wheel = tmp_path / "some-1.0.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("some/lib.so.12", content)
        archive.writestr("some/twice.so.bak", content)
        archive.writestr("some/readme.txt", "no kernels")
        archive.writestr("some/cpu.so", b"\x7fELF broken")
    found = census.kernels(wheel, census.Wheel._field_defaults["files"])
    assert found and [(r.kernel, r.registers) for r in found] == [
        (r.kernel, r.registers) for r in reports.read(content)
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["some-1.0.whl"]


def test_renewed_libraries_take_the_place_of_their_old_rows() -> None:
    first, second = census.WHEELS[0].library, census.WHEELS[1].library
    old = [[first, "1"], [second, "2"], ["gone", "3"]]
    assert census.merged(old, [[first, "9"], [first, "10"]]) == [[first, "9"], [first, "10"], [second, "2"]]


def test_every_wheel_is_pinned() -> None:
    for wheel in census.WHEELS:
        assert len(wheel.sha256) == 64 and int(wheel.sha256, 16)
        assert wheel.version[0].isdigit() and " " not in wheel.name
    assert len({wheel.library for wheel in census.WHEELS}) == len(census.WHEELS)
