"""Nsight Compute's CSV: both pages, both units, what surrounds them, and damaged ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from occusite.reports import ReportError, ncu, read

DATA = Path(__file__).parents[1] / "data" / "reports" / "ncu"


def test_a_details_page_gives_the_whole_launch() -> None:
    (report,) = read(DATA / "details_sm100.csv")
    assert report.kernel.startswith("cutlass3x_sm100_tensorop")
    assert report.architecture == "sm_100"
    assert (report.threads, report.registers) == (384, 168)
    assert (report.static_shared, report.dynamic_shared) == (0, 205_696)
    assert report.cluster is None
    assert report.unknown == ("barriers",) and report.where == "line 5"


def test_the_profilers_own_theoretical_occupancy_is_ours() -> None:
    from occusite.nvidia import device

    (report,) = read(DATA / "details_sm100.csv")
    result = device("10.0").occupancy(report.launch())
    assert (
        result.limits["registers"].blocks,
        result.limits["shared_memory"].blocks,
        result.limits["warps"].blocks,
    ) == (1, 1, 5)
    assert (result.warps, result.percent) == (12, 18.75)
    (report,) = read(DATA / "details_sm70_2020.csv", "sm_70")
    result = device("7.0").occupancy(report.launch())
    assert (result.limits["registers"].blocks, result.limits["warps"].blocks, result.warps, result.percent) == (
        14,
        10,
        60,
        93.75,
    )


def test_a_page_of_2020_has_no_capability() -> None:
    (report,) = read(DATA / "details_sm70_2020.csv")
    assert (report.threads, report.registers, report.dynamic_shared) == (192, 20, 0)
    assert report.unknown == ("architecture", "barriers")


def test_a_raw_page_gives_one_launch_a_row() -> None:
    tile, reduce = read(DATA / "raw_sm90.csv")
    assert (tile.threads, tile.registers, tile.barriers, tile.cluster) == (256, 90, 3, (2, 1, 1))
    assert (tile.static_shared, tile.dynamic_shared) == (256, 16_896)
    assert (reduce.threads, reduce.dynamic_shared, reduce.cluster) == (1024, 0, None)
    assert tile.unknown == ()


def test_rounded_kilobytes_are_not_taken_for_bytes() -> None:
    text = (DATA / "details_sm100.csv").read_text()
    text = text.replace('"byte/block","205696"', '"Kbyte/block","205.70"')
    (report,) = read(text)
    assert report.dynamic_shared is None and "dynamic_shared" in report.unknown
    assert report.notes == (
        "dynamic_shared: 205.70 Kbyte/block is rounded (205,695 to 205,705 bytes); export with --print-units base",
    )
    assert report.dynamic_shared_range == (205_695, 205_705)


def test_metric_names_in_place_of_labels() -> None:
    text = (DATA / "details_sm100.csv").read_text()
    text = text.replace("Registers Per Thread", "launch__registers_per_thread")
    text = text.replace("Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic")
    assert read(text) == read(DATA / "details_sm100.csv")


@pytest.mark.parametrize(("written", "threads"), [("1,024", 1024), ("384.00", 384), ("384", 384)])
def test_thousands_and_floats(written: str, threads: int) -> None:
    text = (DATA / "details_sm100.csv").read_text().replace('"Block Size","","384"', f'"Block Size","","{written}"')
    assert read(text)[0].threads == threads


def test_two_processes_number_their_launches_alike() -> None:
    lines = (DATA / "details_sm100.csv").read_text().splitlines()
    second = [line.replace('"371693"', '"371694"').replace('"168"', '"96"') for line in lines[4:]]
    assert [r.registers for r in read("\n".join(lines + second))] == [168, 96]


def test_application_output_and_windows_line_ends() -> None:
    text = (DATA / "raw_sm90.csv").read_text()
    noisy = '"ID" of the run: 7\n"quoted",' + "\nstep 1, 2, 3\n" + text + "==PROF== Disconnected\nbye\n"
    assert [r.registers for r in read(noisy.replace("\n", "\r\n"))] == [90, 14]


def test_a_row_that_does_not_fit_names_its_line() -> None:
    text = (DATA / "raw_sm90.csv").read_text().rstrip("\n")[:-20] + '"\n'
    with pytest.raises(ReportError, match="line 4: "):
        read(text)


def test_a_value_that_does_not_end_names_its_line() -> None:
    with pytest.raises(ReportError, match="line 4: not a row of CSV"):
        read((DATA / "raw_sm90.csv").read_text().rstrip("\n")[:-3])


def test_too_many_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ncu, "_MOST_LAUNCHES", 1)
    with pytest.raises(ReportError, match="line 4: more than 1 launches"):
        read(DATA / "raw_sm90.csv")
