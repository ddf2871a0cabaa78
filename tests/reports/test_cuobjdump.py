"""cuobjdump's resource dumps: every real one, against the cubins that it dumped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from occusite.reports import cuobjdump, read
from occusite.reports.report import ReportError

DATA = Path(__file__).parents[1] / "data" / "reports" / "cuobjdump"
DUMPS = [path for path in sorted(DATA.rglob("*.txt")) if "CONSTANT[0]" in path.read_text()]


@pytest.mark.parametrize(
    "path", [p for p in DUMPS if "demangled" not in p.name], ids=lambda path: path.relative_to(DATA).as_posix()
)
def test_every_dump_says_what_its_binary_says(path: Path, binaries: dict[str, bytes]) -> None:
    inside = {(r.kernel, r.architecture): r for r in read(binaries[path.relative_to(DATA).as_posix()[: -len(".txt")]])}
    architecture = next(iter(inside))[1] if path.parts[-3] == "cubins" else ""
    dumped = {(r.kernel, r.architecture): r for r in read(path, architecture)}
    assert dumped.keys() == inside.keys()
    for key, report in dumped.items():
        binary = inside[key]
        assert report.registers == binary.registers
        assert report.static_shared == binary.static_shared
        if binary.final:
            assert report.stack == binary.stack
        assert report.constant[0] == binary.constant[0]
        assert report.barriers is None and "barriers" in report.unknown


def test_a_bare_cubins_dump_leaves_architecture_and_large_shared_memory_open() -> None:
    kernels = {r.name: r for r in read(DATA / "cubins" / "sm_90" / "multi.cubin.txt")}
    large = kernels["k_lb96_static"]
    assert large.static_shared is None and "SHARED:13369" in large.notes[0]
    assert large.unknown == ("architecture", "threads", "static_shared", "dynamic_shared", "barriers")
    assert kernels["k_empty"].static_shared == 0


def test_the_subtraction_is_noted() -> None:
    (report,) = (r for r in read(DATA / "fat" / "reduce.o.txt") if r.architecture == "sm_90")
    assert report.static_shared == 128
    assert "SHARED:1152" in report.notes[0] and "-rdc" in report.notes[0]


def test_demangled_names() -> None:
    (report,) = read(DATA / "demangled_template_long_sm_90.txt", "sm_90")
    assert report.kernel.startswith("void occupancy_lab::kernels::fused_elementwise_tile_kernel<")
    assert (report.registers, report.static_shared) == (17, 4608)


def test_device_functions_are_no_kernels() -> None:
    text = (DATA / "cubins" / "sm_90" / "rdc_linked.cubin.txt").read_text()
    assert "Function _Z8far_awayfi:" in text
    assert {r.name for r in read(text)} == {"rdc_kernel", "rdc_plain"}


def test_unknown_stack() -> None:
    kernels = {r.name: r for r in read(DATA / "cubins" / "11.8" / "sm_61_multi.cubin.txt")}
    assert kernels["k_recurse"].stack is None and "recursion" in kernels["k_recurse"].notes[0]


def test_colours_and_windows_line_ends() -> None:
    text = (DATA / "fat" / "reduce.o.txt").read_text()
    assert read(re.sub("^", "\x1b[1m", text, flags=re.M).replace("\n", "\x1b[0m\r\n")) == read(text)


def test_too_many_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuobjdump, "_MOST_KERNELS", 1)
    with pytest.raises(ReportError, match="line 25: more than 1 kernels"):
        read(DATA / "fat" / "reduce.o.txt")


def test_without_an_architecture_shared_memory_is_one_of_two_sizes() -> None:
    """Of a bare cubin `cuobjdump` names no architecture: linked code for sm_90 counts the driver's KiB in."""
    path = DATA / "cubins" / "sm_90" / "rdc_linked.cubin.txt"
    unknown = {r.name: r for r in read(path)}["rdc_kernel"]
    assert (unknown.static_shared, unknown.static_shared_range) == (None, (256, 1280))
    for architecture, size in (("sm_90", 256), ("sm_86", 1280)):
        known = {r.name: r for r in read(path, architecture)}["rdc_kernel"]
        assert (known.static_shared, known.static_shared_range) == (size, None)
