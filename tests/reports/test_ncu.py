"""Nsight Compute's CSV: both pages, both units, what surrounds them, and damaged ones."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from occusite import occupancy
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


HANDS = DATA.parent / "hands"


def test_a_rounded_size_is_an_interval_that_may_be_enough() -> None:
    """65.54 Kbyte on 8.6: whichever of its eleven sizes it is, one block, 4 of 48 warps: 8.33 %, as printed."""
    (report,) = read(HANDS / "ncu_default_units_dynamic.csv")
    assert report.dynamic_shared is None and report.dynamic_shared_range == (65_535, 65_545)
    with pytest.raises(ValueError, match=r"dynamic_shared: .* exactly \(65,535 to 65,545 bytes\)"):
        report.launch()
    answers = [occupancy("8.6", launch) for launch in report.launches_between()]
    assert [(a.limits["shared_memory"].blocks, a.warps) for a in answers] == [(1, 4)] * 2
    assert report.launch(dynamic_shared=65_536).dynamic_shared == 65_536


@pytest.mark.parametrize("name", ["ncu_details.csv", "ncu_details.txt"])
def test_the_profiles_own_pool_gives_the_profilers_limits(name: str) -> None:
    (report,) = read(HANDS / name)
    assert (report.kernel, report.pool, report.grid) == ("gemm_128x64_tn", 65_536, (86, 1, 2))
    assert (report.registers, report.threads, report.architecture) == (122, 128, "sm_86")
    for launch in report.launches_between(carveout=64):  # percent of the 100 KiB of 8.6: the 65,536 bytes
        answer = occupancy("8.6", launch)
        assert (
            answer.limits["registers"].blocks,
            answer.limits["shared_memory"].blocks,
            answer.limits["warps"].blocks,
        ) == (4, 4, 12)
        assert answer.warps == 16
    assert [occupancy("8.6", launch).limits["shared_memory"].blocks for launch in report.launches_between()] == [7, 7]


def test_pages_as_text_wherever_they_were_pasted() -> None:
    """Each is written down by hand in the profiler's form: an old page, a quotation, a table, two columns."""
    add, reduce = read(DATA / "page_2020_sm70.txt", "sm_70")
    assert add.kernel == "vector_add(float const*, float const*, float*, int)"
    assert (add.threads, add.registers, add.static_shared, add.dynamic_shared, add.pool) == (256, 16, 0, 0, None)
    assert (reduce.threads, reduce.registers, reduce.dynamic_shared_range) == (1024, 18, (32_765, 32_775))
    (quoted,) = read(DATA / "page_quoted_sm89.txt")
    assert quoted.kernel == "tile_kernel<float, 64>(T1 const*, T1*, int)" and quoted.architecture == "sm_89"
    assert (quoted.threads, quoted.registers, quoted.dynamic_shared, quoted.pool) == (256, 100, 49_152, 102_400)
    answers = [occupancy("8.9", launch) for launch in quoted.launches_between(carveout=100)]
    # The profiler says 2 and 2. Of the eleven sizes printed as 1.02 Kbyte the largest is one byte too much for that.
    assert [(a.limits["registers"].blocks, a.limits["shared_memory"].blocks) for a in answers] == [(2, 2), (2, 1)]
    (markdown,) = read(DATA / "page_markdown_sm90.md")
    assert (markdown.kernel, markdown.threads, markdown.registers, markdown.cluster) == ("", 384, 168, (2, 1, 1))
    assert markdown.dynamic_shared_range == (212_950, 213_050)
    (columns,) = read(DATA / "page_two_columns_sm86.txt")
    assert (columns.threads, columns.registers, columns.dynamic_shared, columns.pool) == (128, 122, 0, 65_536)
    assert columns.static_shared_range == (12_795, 12_805)


def test_sections_in_any_order_and_between_other_output() -> None:
    head, *sections = re.split(r"(?=    Section: )", (HANDS / "ncu_details.txt").read_text())
    assert read("step 1\n".join([head, *reversed(sections)])) == read("step 1\n".join([head, *sections]))


def test_prose_about_block_sizes_is_no_profile() -> None:
    with pytest.raises(ReportError, match="no kernel found"):
        read("Registers Per Thread should be low.\nBlock Size  256\nStatic Shared Memory Per Block: see above\n")


@pytest.mark.parametrize("separator", [";", "\t", ","])
@pytest.mark.parametrize("page", ["details_sm100.csv", "raw_sm90.csv"])
def test_other_separators_and_no_quotes(page: str, separator: str) -> None:
    expected = read(DATA / page)
    lines = [line for line in (DATA / page).read_text().splitlines() if line.startswith('"')]
    rows = list(csv.reader(lines))
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)  # quotes only what needs it, as spreadsheets do
    bare = [(r.kernel, r.registers, r.threads, r.static_shared, r.dynamic_shared, r.cluster) for r in expected]
    again = read(out.getvalue())
    assert [(r.kernel, r.registers, r.threads, r.static_shared, r.dynamic_shared, r.cluster) for r in again] == bare
    if separator != ",":
        without = read("\n".join(separator.join(row) for row in rows))
        assert [r.registers for r in without] == [r.registers for r in expected]
        assert [r.dynamic_shared for r in without] == [r.dynamic_shared for r in expected]


def test_commas_within_brackets_do_not_separate() -> None:
    text = (HANDS / "ncu_details.csv").read_text().replace("gemm_128x64_tn", "gemm<float, 4>(int, float*)")
    assert read(text.replace('"', "")) == read(text)


@pytest.mark.parametrize(
    ("value", "unit", "between"),
    [
        ("65,54", "Kbyte/block", (65_535, 65_545)),  # a decimal comma
        ("65.536", "KiB", (67_109, 67_109)),
        ("1.02", "KB", (1_015, 1_025)),
        ("0.10", "Mbyte/block", (95_000, 105_000)),
        ("12,800", "byte/block", (12_800, 12_800)),
        ("12,800", "Kbyte/block", None),  # 12.8 or 12,800 of them
        ("12.5", "byte/block", None),
        ("-1", "byte/block", None),
        ("nan", "byte/block", None),
        ("7", "bananas", None),
    ],
)
def test_sizes_in_any_unit(value: str, unit: str, between: tuple[int, int] | None) -> None:
    text = (HANDS / "ncu_default_units_dynamic.csv").read_text().replace('"Kbyte/block","65.54"', f'"{unit}","{value}"')
    (report,) = read(text)
    exact = report.dynamic_shared
    assert (report.dynamic_shared_range or ((exact, exact) if exact is not None else None)) == between
    assert exact is not None or report.notes
