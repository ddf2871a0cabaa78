"""Tables: what their cells say, marks and headings, escaping; the numbers themselves are in test_book_numbers."""

from __future__ import annotations

import re

import pytest

from occusite import nvidia
from occusite.book.content import tables
from occusite.book.content.values import on_paper
from occusite.book.parts import html
from occusite.book.parts.html import THIN, Markup, Table


def test_text_is_escaped_and_markup_is_not() -> None:
    made = Table(("<a>",), [("x & y",), (Markup("<b>z</b>"),)]).html()
    assert "&lt;a&gt;" in made and "x &amp; y" in made and "<b>z</b>" in made


def test_columns_of_numbers_are_marked_and_others_are_not() -> None:
    made = Table(("name", "n", "mixed"), [("a", 1, 2), ("b", 30_000, "two")]).html()
    assert re.findall(r"<th[^>]*>[^<]*</th>", made)[:3] == [
        '<th scope="col">name</th>',
        '<th scope="col" class="occ-num">n</th>',
        '<th scope="col">mixed</th>',
    ]
    assert f'<td class="occ-num">30{THIN}000</td>' in made


def test_a_row_begins_with_its_heading_unless_told_otherwise() -> None:
    assert '<th scope="row">a</th>' in Table(("x",), [("a",)]).html()
    assert '<th scope="row">' not in Table(("x",), [("a",)], head=False).html()


def test_captions_name_the_region() -> None:
    made = Table(("x",), [("a",)], "its caption").html()
    assert "<caption>its caption</caption>" in made and 'aria-label="its caption"' in made
    assert "<caption>another</caption>" in Table(("x",), [("a",)], "its caption").html("another")


def test_binding_rows_are_marked_every_one() -> None:
    made = tables.budgets_on_paper(256, 64, 24).html()
    marked = re.findall(r'<tr class="occ-marked">(.*?)</tr>', made)
    assert len(marked) == 2 and "occ-budget--registers" in marked[0] and "occ-budget--memory" in marked[1]


def test_no_shared_memory_allows_any_number() -> None:
    row = next(r for r in tables.budgets_on_paper(256, 64, 0).rows if "shared" in str(r[0]))
    assert row[1:] == ("none used: no limit", "any number", "any number")


def test_the_working_of_an_exact_answer() -> None:
    answer = nvidia.device("8.9").occupancy(nvidia.Launch(256, 64, dynamic_shared=12 * 1024))
    made = tables.working_table(answer)
    assert {row[2] for row in made.rows} == {limit.blocks for limit in answer.limits.values()} - {None}
    assert all(row[3] == row[2] * 8 for row in made.rows if isinstance(row[2], int))


def test_a_launch_that_cannot_run_has_no_step_of_its_own_colour() -> None:
    made = tables.plateaus_on_paper(1024, 12)
    assert made.rows[-1][3] == "cannot launch" and made.rows[-1][1] == 0


def test_compare_says_what_each_launch_gets() -> None:
    made = tables.compare((256, 64, 12), (256, 42, 12))
    assert [row[:5] for row in made.rows] == [(256, 64, 12, 4, 32), (256, 42, 12, 6, 48)]


@pytest.mark.parametrize(("threads", "warps"), [(32, 24), (256, 48), (640, 40), (1024, 32)])
def test_block_sizes(threads: int, warps: int) -> None:
    assert next(row for row in tables.block_sizes().rows if row[0] == threads)[3] == warps


def test_measured_latencies_name_their_source() -> None:
    assert tables.measured_latencies().rows
    for _, sms, bandwidth, latency, _, source in tables.measured_latencies().rows:
        assert int(str(sms)) > 0 and float(str(bandwidth)) > 0 and int(str(latency)) > 100 and source


@pytest.mark.parametrize("made", [tables.cheat_sheet(), tables.limits_by_architecture(), tables.rules_ignored()])
def test_every_row_fills_its_columns(made: Table) -> None:
    assert made.caption and all(len(row) == len(made.columns) for row in made.rows)


def test_an_unknown_budget() -> None:
    with pytest.raises(ValueError, match="budget: 'gold' is not allowed; give one of registers, memory"):
        html.budget("gold")


def test_numbers_in_text() -> None:
    assert html.text(9999) == "9999" and html.text(10_000) == f"10{THIN}000" and html.text(True) == "True"
    assert html.percent(66.67) == f"67{THIN}%"
    assert html.limiters(on_paper(256, 64, 24)).count("occ-budget--") == 2
