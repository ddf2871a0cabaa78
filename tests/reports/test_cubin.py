"""Cubins of four compilers: against the log of the same compilation, against cuobjdump, and lying ones."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from occusite.reports import KernelReport, ReportError, read

DATA = Path(__file__).parents[1] / "data" / "reports"
# The source's kernels need clusters: for older architectures nothing is left of it.
EMPTY = ("cubins/sm_75/cluster.cubin", "cubins/sm_86/cluster.cubin")


def logged(path: Path) -> dict[tuple[str, str], KernelReport]:
    return {(r.kernel, r.architecture.rstrip("af")): r for r in read(path)}


def compilations(binaries: dict[str, bytes]) -> Iterator[tuple[str, bytes, Path]]:
    """Each cubin that has the log of its own compilation, with that log."""
    for name, content in binaries.items():
        if match := re.fullmatch(r"cubins/(sm_\d+)/(\w+)\.cubin", name):
            log = DATA / "ptxas" / match[1] / f"{match[2]}.v.txt"
            if match[2] == "rdc_linked":
                log = DATA / "ptxas" / match[1] / "rdc_linked.nvlink-resource-usage.txt"
            yield name, content, log
        elif match := re.fullmatch(r"cubins/misc/(blocksize_sm_\d+)\.cubin", name):
            yield name, content, DATA / "ptxas" / "misc" / f"{match[1]}.v.txt"
        elif match := re.fullmatch(r"cubins/(sm_\d+)/rdc_a\.rdc\.cubin", name):
            yield name, content, DATA / "ptxas" / match[1] / "rdc_a.rdc.v.txt"


def test_every_cubin_says_what_the_log_of_its_compilation_says(binaries: dict[str, bytes]) -> None:
    compared = 0
    for name, content, log in compilations(binaries):
        if name in EMPTY:
            continue
        printed = logged(log)
        found = {(r.kernel, r.architecture): r for r in read(content)}
        assert found.keys() == printed.keys(), name
        for key, report in found.items():
            line = printed[key]
            assert report.registers == line.registers, (name, key)
            assert report.static_shared == line.static_shared, (name, key)
            assert report.barriers == line.barriers, (name, key)
            if line.stack_frame is not None and report.final:
                assert report.stack_frame == line.stack_frame, (name, key)
            if line.stack is not None:
                assert report.stack == line.stack, (name, key)
            for bank, size in line.constant.items():
                assert report.constant[bank] == size, (name, key)
            assert report.final == line.final, (name, key)
            assert report.spills is None
            compared += 1
    assert compared == 108


def test_cubins_of_other_versions_say_what_cuobjdump_says(binaries: dict[str, bytes]) -> None:
    """Also covers those without a log of their own: CUDA 11.8 to 13.5 for sm_50 to sm_103."""
    compared = 0
    for name, content in binaries.items():
        if not name.startswith("cubins/") or name in EMPTY:
            continue
        dump = (DATA / "cuobjdump" / f"{name}.txt").read_text()
        expected = {}
        for kernel, line in re.findall(r"^ Function (\S+):\n  (REG:.*CONSTANT\[0\].*)$", dump, re.M):
            expected[kernel] = dict(re.findall(r"(\w+)(?:\[0\])?:(\w+)", line))
        reports = read(content)
        assert {r.kernel for r in reports} == expected.keys(), name
        for report in reports:
            line = expected[report.kernel]
            assert report.registers == int(line["REG"]), (name, report.kernel)
            assert report.constant[0] == int(line["CONSTANT"]), (name, report.kernel)
            reserve = 1024 if report.final and int(report.architecture[3:]) >= 90 and report.static_shared else 0
            assert report.static_shared == int(line["SHARED"]) - reserve, (name, report.kernel)
            if report.final:
                assert report.stack == (int(line["STACK"]) if line["STACK"] != "UNKNOWN" else None)
            compared += 1
    assert compared == 198


def test_the_same_kernels_have_the_same_barriers_in_both_forms(binaries: dict[str, bytes]) -> None:
    for name in ("cubins/11.8/sm_61_multi.cubin", "cubins/12.9/sm_61_multi.cubin", "cubins/13.5/sm_88_multi.cubin"):
        barriers = {r.name: r.barriers for r in read(binaries[name])}
        assert (barriers["k_barriers"], barriers["k_barriers_dyn"], barriers["k_empty"]) == (6, 16, 0)


def test_launch_bounds_exact_blocks_and_clusters(binaries: dict[str, bytes]) -> None:
    kernels = {r.name: r for r in read(binaries["cubins/sm_90/multi.cubin"])}
    assert (kernels["k_lb64"].max_threads, kernels["k_lb512_3"].max_threads) == (64, 512)
    assert kernels["k_lb64"].threads is None and kernels["k_empty"].max_threads is None
    exact = {r.name: r for r in read(binaries["cubins/misc/blocksize_sm_90.cubin"])}
    assert (exact["k_block192x2"].threads, exact["k_block192x2"].cluster) == (384, (1, 1, 1))
    assert (exact["k_block64_cluster2"].threads, exact["k_block64_cluster2"].cluster) == (64, (2, 1, 1))
    clusters = {r.name: r.cluster for r in read(binaries["cubins/sm_90/cluster.cubin"])}
    assert clusters == {"k_cluster421": (4, 2, 1), "k_cluster2_lb": (2, 1, 1), "k_maxcluster8": None}


def test_recursion_leaves_the_stack_open(binaries: dict[str, bytes]) -> None:
    stack = {r.name: r for r in read(binaries["cubins/13.5/sm_100_multi.cubin"])}["k_recurse"]
    assert stack.stack is None and "recursion" in stack.notes[0]


def test_an_object_still_to_be_linked_is_not_final(binaries: dict[str, bytes]) -> None:
    before = {r.name: r for r in read(binaries["cubins/sm_90/rdc_a.rdc.cubin"])}["rdc_kernel"]
    after = {r.name: r for r in read(binaries["cubins/sm_90/rdc_linked.cubin"])}["rdc_kernel"]
    assert (before.registers, before.static_shared, before.final) == (24, 256, False)
    assert (after.registers, after.static_shared, after.final) == (46, 256, True)
    assert "not final" in before.notes[0] and not after.notes


@pytest.mark.parametrize("name", EMPTY)
def test_a_cubin_without_kernels(name: str, binaries: dict[str, bytes]) -> None:
    with pytest.raises(ReportError, match="a cubin without kernels"):
        read(binaries[name])


@pytest.fixture
def cubin(binaries: dict[str, bytes]) -> bytearray:
    return bytearray(binaries["cubins/sm_90/softmax.cubin"])


def test_a_cut_cubin_names_the_byte(cubin: bytearray) -> None:
    for size in range(0, len(cubin), 97):
        try:
            assert read(bytes(cubin[:size])) == read(bytes(cubin))
        except ReportError as error:
            assert size < 64 or error.where.startswith("byte 0x"), (size, error)


def section_header(cubin: bytearray, index: int) -> int:
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    return table + 64 * index


def test_a_section_that_claims_more_than_the_file(cubin: bytearray) -> None:
    (sections,) = struct.unpack_from("<H", cubin, 0x3C)
    for index in range(1, sections):
        lying = cubin.copy()
        struct.pack_into("<Q", lying, section_header(lying, index) + 0x20, 1 << 60)
        try:
            read(bytes(lying))
        except ReportError as error:
            assert "0x" in error.where


def test_section_tables_without_end(cubin: bytearray) -> None:
    for entry_size, count, first_size in ((0, 0, 1 << 62), (64, 0, 1 << 40), (0, 0xFFFF, 0)):
        lying = cubin.copy()
        struct.pack_into("<Q", lying, section_header(lying, 0) + 0x20, first_size)
        struct.pack_into("<HH", lying, 0x3A, entry_size, count)
        with pytest.raises(ReportError):
            read(bytes(lying))


def test_more_sections_than_the_header_can_count(cubin: bytearray) -> None:
    """From 65,280 sections on (some 13,000 kernels) ELF keeps the count in the first section's size."""
    (table,), (count,) = struct.unpack_from("<Q", cubin, 0x28), struct.unpack_from("<H", cubin, 0x3C)
    many = cubin + cubin[table : table + 64 * count] + bytes(64 * (66_000 - count))
    struct.pack_into("<Q", many, 0x28, len(cubin))
    struct.pack_into("<H", many, 0x3C, 0)
    struct.pack_into("<Q", many, len(cubin) + 0x20, 66_000)
    assert read(bytes(many)) == read(bytes(cubin))


def test_a_damaged_attribute_names_its_byte(cubin: bytearray) -> None:
    at = cubin.find(b"\x04\x2f\x08\x00")
    cubin[at] = 9
    with pytest.raises(ReportError, match=r"\.nv\.info holds no attribute here \(form 9") as error:
        read(bytes(cubin))
    assert error.value.where == f"byte {at:#x}"


def test_elfs_that_are_no_cubins(cubin: bytearray) -> None:
    struct.pack_into("<H", cubin, 18, 62)
    with pytest.raises(ReportError, match="machine 62 without GPU code"):
        read(bytes(cubin))
    cubin[4] = 1
    with pytest.raises(ReportError, match="ELF"):
        read(bytes(cubin))


SUFFIXES = zipfile.ZipFile(DATA / "suffix.zip")


@pytest.mark.parametrize("name", SUFFIXES.namelist())
def test_code_for_one_architecture_alone_keeps_its_suffix(name: str) -> None:
    """Compiled by name: "a" is kept, by CUDA 12.4, 12.9 and 13.0 each in a place of its own; "f" is kept nowhere."""
    (report,) = read(SUFFIXES.read(name))
    target = name.split("_", 1)[1].removesuffix(".cubin")
    assert report.architecture == target.removesuffix("f")
    assert (report.static_shared, report.barriers) == (64, 1)
