"""The common type: what it knows, what it refuses to assume, and how `read` takes its source."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path

import pytest

from occusite.reports import KernelReport, ReportError, read
from occusite.reports.report import without_reserve

DATA = Path(__file__).parents[1] / "data" / "reports"
LOG = DATA / "ptxas" / "sm_90" / "multi.v.txt"


def test_a_launch_from_a_log_needs_only_the_block_size() -> None:
    report = {r.name: r for r in read(LOG)}["k_barriers_dyn"]
    launch = report.launch(256, 4096, carveout=50)
    assert (launch.threads, launch.registers, launch.static_shared, launch.dynamic_shared) == (256, 10, 0, 4096)
    assert (launch.barriers, launch.carveout) == (16, 50)
    assert report.launch(256).dynamic_shared == 0
    with pytest.raises(ValueError, match="threads: this ptxas report does not say"):
        report.launch()
    with pytest.raises(ValueError, match="threads: 0 is not allowed"):
        report.launch(0)


def test_what_the_caller_says_wins() -> None:
    report = KernelReport(kernel="k", registers=32, static_shared=0, threads=128, dynamic_shared=64, cluster=(2, 2, 1))
    assert report.launch().threads == 128
    launch = report.launch(64, 0, registers=40, cluster=1)
    assert (launch.threads, launch.registers, launch.dynamic_shared, launch.cluster) == (64, 40, 0, 1)
    assert report.launch().cluster == 4


def test_barriers_unknown_are_one_as_in_the_vendors_header() -> None:
    report = KernelReport(kernel="k", registers=32, static_shared=0)
    assert report.launch(64).barriers == 1 and report.unknown[-1] == "barriers"


def test_spills_are_unknown_when_either_is() -> None:
    assert KernelReport(kernel="k", spill_stores=4).spills is None
    assert KernelReport(kernel="k", spill_stores=4, spill_loads=8).spills == 12


@pytest.mark.parametrize(
    ("size", "architecture", "linked", "without"),
    [(1280, "sm_90", True, 256), (1280, "sm_90a", True, 256), (1280, "sm_89", True, 1280), (1280, "sm_90", False, 1280),
     (1280, "sm_120f", True, 256), (512, "sm_90", True, 512), (1280, "", True, 1280)],
)  # fmt: skip
def test_the_reserve(size: int, architecture: str, linked: bool, without: int) -> None:
    assert without_reserve(size, architecture, linked) == without


def test_every_kind_of_source_reads_the_same() -> None:
    expected = read(LOG)
    text = LOG.read_text()
    assert read(str(LOG)) == read(text) == read(text.encode()) == read(bytearray(text.encode())) == expected
    with LOG.open() as file:
        assert read(file) == expected
    assert read(io.StringIO(text)) == read(iter(text.splitlines())) == expected


def test_a_mistyped_path_is_told_as_one() -> None:
    with pytest.raises(ReportError, match=r"no_such\.cubin: there is no such file"):
        read("no_such.cubin")
    with pytest.raises(FileNotFoundError):
        read(Path("no_such.cubin"))


@pytest.mark.parametrize("nothing", ["", "\n", b"", b"\x00" * 100, "hello\nworld\n", []])
def test_nothing_to_read(nothing: object) -> None:
    with pytest.raises(ReportError, match=r"no kernel|no such file"):
        read(nothing)  # type: ignore[arg-type]


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    with pytest.raises(ReportError, match="no kernel found in 0 lines"):
        read(tmp_path / "empty.log")


@pytest.mark.parametrize("architecture", ["90", "sm90", "sm_9", "sm_90x", "gfx942"])
def test_a_malformed_architecture(architecture: str) -> None:
    with pytest.raises(ValueError, match=r"architecture: .* is not allowed"):
        read(LOG, architecture)


def test_one_text_may_hold_several_formats() -> None:
    text = LOG.read_text() + (DATA / "cuobjdump" / "fat" / "reduce.o.txt").read_text()
    assert [r.source for r in read(text)] == ["ptxas"] * 9 + ["cuobjdump"] * 2


def test_an_error_and_a_report_survive_copying() -> None:
    error = ReportError("line 2", "no number")
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert (other.where, other.problem, str(other)) == ("line 2", "no number", "line 2: no number")
    report = KernelReport(kernel="k", architecture="sm_90", registers=32)
    assert pickle.loads(pickle.dumps(report)) == report
    assert hash(copy.deepcopy(report)) == hash(report)
