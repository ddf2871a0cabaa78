"""Triton's caches of two versions: whole folders, single files, and metadata of other shapes."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import occupancy
from occusite.reports import ReportError, archives, read

HANDS = Path(__file__).parents[1] / "data" / "reports" / "hands"
METADATA = {
    "target": {"backend": "cuda", "arch": 90, "warp_size": 32},
    "num_warps": 8,
    "num_ctas": 1,
    "shared": 16384,
    "name": "matmul",
}


def test_a_folder_gives_complete_launches(triton_cache: Path) -> None:
    reports = read(triton_cache)
    assert len(reports) == 19
    for report in reports:
        metadata = json.loads((triton_cache / report.where).read_text())
        assert report.kernel == metadata["name"]
        # Triton compiles for sm_90a where its metadata says 90.
        assert report.architecture.removesuffix("a") == f"sm_{metadata['target']['arch']}"
        assert report.threads == 32 * metadata["num_warps"]
        assert report.dynamic_shared == metadata["shared"]
        assert report.unknown == ()
        launch = report.launch()
        assert (launch.threads, launch.dynamic_shared, launch.cluster) == (
            report.threads,
            report.dynamic_shared,
            metadata["num_ctas"],
        )


def test_counts_are_those_of_the_cubin(triton_cache: Path) -> None:
    for report in read(triton_cache):
        (alone,) = read((triton_cache / report.where).with_suffix(".cubin"))
        assert (report.registers, report.barriers, report.stack) == (alone.registers, alone.barriers, alone.stack)
        # Triton's shared memory is dynamic: on sm_90 and later the cubin's section holds the driver's KiB alone.
        assert report.static_shared == alone.static_shared == 0


def test_the_compiler_bounded_the_launch_as_triton_launches_it(triton_cache: Path) -> None:
    assert all(report.max_threads == report.threads for report in read(triton_cache))


def test_one_file_finds_the_cubin_beside_it(triton_cache: Path) -> None:
    first = read(triton_cache)[0]
    (report,) = read(triton_cache / first.where)
    assert (report.registers, report.threads) == (first.registers, first.threads)


def test_the_json_alone_says_that_registers_are_elsewhere() -> None:
    (report,) = read(json.dumps(METADATA))
    assert (report.threads, report.dynamic_shared, report.registers) == (256, 16384, None)
    assert report.unknown == ("registers", "barriers")
    with pytest.raises(ValueError, match="registers: this triton report does not say"):
        report.launch()
    assert report.launch(registers=64).shared_memory == 16384


def test_what_the_json_alone_says_may_already_forbid_the_launch() -> None:
    (report,) = read(HANDS / "triton_num_warps_64.json")
    assert (report.kernel, report.architecture, report.threads) == ("k", "sm_80", 2048)
    assert not occupancy("8.0", report.launch(registers=16)).runs
    (report,) = read(json.dumps(METADATA | {"target": ["cuda", 89, 32], "shared": 131_072}))
    assert not occupancy("8.9", report.launch(registers=16)).runs


def test_clusters_and_a_cap_of_registers() -> None:
    (report,) = read(HANDS / "triton_cluster.json")
    assert (report.threads, report.dynamic_shared, report.cluster) == (512, 232_448, (2, 1, 1))
    assert "maxnreg: the compiler may use 128 registers at most" in report.notes


@pytest.mark.parametrize("target", [["cuda", 90, 32], {"backend": "cuda", "arch": "90"}, {"arch": "sm90"}])
def test_other_spellings_of_the_target(target: object) -> None:
    (report,) = read(json.dumps(METADATA | {"target": target}))
    assert (report.architecture, report.threads) == ("sm_90", 256)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_warps": "8"}, "num_warps: '8' is not a count"),
        ({"num_warps": -1}, "num_warps: '-1' is not a count"),
        ({"shared": 1.5}, "shared: '1.5' is not a count"),
        ({"num_ctas": True}, "num_ctas: 'True' is not a count"),
        ({"target": {"backend": "hip", "arch": "gfx942"}}, "target.backend: 'hip' has no reader here"),
    ],
)
def test_values_that_no_launcher_could_use(change: dict[str, object], message: str) -> None:
    with pytest.raises(ReportError, match=message):
        read(json.dumps(METADATA | change))


@pytest.mark.parametrize("text", ["{", "{}", '{"a": ' * 20_000, '{"num_warps": ' + "9" * 5000 + "}", '{"x": "\x00"}'])
def test_json_that_is_not_tritons(text: str) -> None:
    with pytest.raises(ReportError, match=r"JSON|num_warps"):
        read(text)


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_any_value_anywhere(value: object) -> None:
    for field in METADATA:
        with suppress(ReportError):
            read(json.dumps(METADATA | {field: value}))


def test_a_folder_without_kernels(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no kernel found"):
        read(tmp_path)
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(ReportError, match="no kernel found"):
        read(tmp_path)


def test_a_folder_that_is_too_large(triton_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_FILES", 3)
    with pytest.raises(ReportError, match="more than 3 files"):
        read(triton_cache)


def test_unread_files_of_a_folder_are_told(triton_cache: Path) -> None:
    (triton_cache / "broken.json").write_text("{")
    reports = read(triton_cache)
    assert len(reports) == 19
    assert reports[-1].notes[-1].startswith("1 other files were not read; the first: broken.json: not JSON")


def test_a_cubin_of_another_kernel(triton_cache: Path, binaries: dict[str, bytes]) -> None:
    file = triton_cache / read(triton_cache)[0].where
    file.with_suffix(".cubin").write_bytes(binaries["cubins/sm_90/multi.cubin"])
    with pytest.raises(ReportError, match="the cubin beside it holds 9 kernels, none named"):
        read(file)
