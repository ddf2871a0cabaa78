"""HTML of the parts: escaping, numbers, budgets in their colours, tables with their headings and marks."""

from __future__ import annotations

import pytest

from occusite import nvidia
from occusite.book.content.values import on_paper
from occusite.book.parts import html
from occusite.book.parts.html import THIN, Markup, Table
from tests.book.seen import parsed, slots, words


def test_text_is_escaped_and_markup_is_not() -> None:
    made = Table(("<a>",), [("x & y",), (Markup("<b>z</b>"),)]).html()
    assert "&lt;a&gt;" in made and "x &amp; y" in made and "<b>z</b>" in made


def test_columns_of_numbers_are_marked_and_others_are_not() -> None:
    rows = [("a", 1, 2, None, True), ("b", 30_000, "two", 0.5, False)]
    tree = parsed(Table(("name", "n", "mixed", "with a gap", "yes or no"), rows).html())
    numeric = [[cell.get("class") == ["occ-num"] for cell in row.select("th, td")] for row in tree.select("tr")]
    assert numeric == [[False, True, False, True, False]] * 3
    assert [words(cell) for cell in tree.select("tbody tr:nth-of-type(2) > *")] == [
        "b",
        "30 000",
        "two",
        "0.5",
        "False",
    ]
    assert words(tree.select("tbody td.occ-num")[1]) == "–"
    assert not parsed(Table(("nothing",), []).html()).select(".occ-num")


def test_a_row_begins_with_its_heading_unless_told_otherwise() -> None:
    tree = parsed(Table(("x", "y"), [("a", "b")]).html())
    assert [(c.name, c.get("scope")) for c in tree.select("tr > *")] == [
        ("th", "col"),
        ("th", "col"),
        ("th", "row"),
        ("td", None),
    ]
    tree = parsed(Table(("x", "y"), [("a", "b")], head=False).html())
    assert [(c.name, c.get("scope")) for c in tree.select("tbody tr > *")] == [("td", None), ("td", None)]


def test_captions_name_the_region() -> None:
    tree = parsed(Table(("x",), [("a",)], "its <caption>").html())
    [region] = tree.select("div.occ-table[role=region][tabindex='0']")
    assert region["aria-label"] == words(region.caption) == "its <caption>"
    tree = parsed(Table(("x",), [("a",)], "its caption").html("another"))
    assert words(tree.caption) == "another"
    tree = parsed(Table(("x",), [("a",)]).html())
    assert tree.div["aria-label"] == "Table" and not tree.select("caption")
    assert tree.select("table.occ-grid thead tr th") and tree.select("table.occ-grid tbody tr")


def test_marked_rows_are_brought_forward() -> None:
    tree = parsed(Table(("x",), [("a",), ("b",), ("c",)], marked=frozenset({0, 2})).html())
    assert [row.get("class") for row in tree.select("tbody tr")] == [["occ-marked"], None, ["occ-marked"]]


def test_a_table_as_text() -> None:
    assert str(Table(("x", "y"), [("a", 1), ("b", 30_000)])) == "x  y\na  1\nb  30000"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (9999, "9999"),
        (-9999, "-9999"),
        (10_000, f"10{THIN}000"),
        (-10_000, f"-10{THIN}000"),
        (1_234_567, f"1{THIN}234{THIN}567"),
    ],
)
def test_thousands_stand_apart_from_ten_thousand_on(value: int, said: str) -> None:
    assert html.count(value) == html.text(value) == said


def test_numbers_in_text() -> None:
    assert html.text(True) == "True" and html.text(None) == "–" and html.text(0.5) == "0.5"
    assert html.percent(66.67) == f"67{THIN}%" and html.percent(None) == "–"


SLOTS = [
    ("registers", "registers"),
    ("memory", "shared memory"),
    ("warps", "warp slots"),
    ("blocks", "block slots"),
    ("barriers", "barriers"),
    ("other", "other budgets"),
]


@pytest.mark.parametrize(("slot", "name"), SLOTS)
def test_a_slot_has_its_name_and_its_colour(slot: str, name: str) -> None:
    made = html.budget(slot)
    assert (words(made), slots(made)) == (name, [slot])
    assert parsed(made).span["class"] == ["occ-budget", f"occ-budget--{slot}"]
    assert words(html.budget(slot, "a <label>")) == "a <label>"


def test_a_devices_budget_has_the_devices_name() -> None:
    made = [html.budget(b) for b in nvidia.device("10.0").budgets]
    assert [words(m) for m in made] == [
        "registers",
        "shared memory",
        "warp slots",
        "block slots",
        "barriers",
        "virtual resources",
    ]
    assert slots("".join(made)) == ["registers", "memory", "warps", "blocks", "barriers", "other"]


def test_an_unknown_budget() -> None:
    with pytest.raises(ValueError, match="budget: 'gold' is not allowed; give one of registers, memory, warps, blocks"):
        html.budget("gold")


# threads, registers, KiB on the paper SM: the limiters and their colours.
@pytest.mark.parametrize(
    ("launch", "said", "colours"),
    [
        ((256, 64, 24), "registers + shared memory", ["registers", "memory"]),
        ((256, 64, 12), "registers", ["registers"]),
        ((256, 32, 24), "shared memory", ["memory"]),
        ((256, 32, 12), "warp slots", ["warps"]),
        ((32, 32, 0), "block slots", ["blocks"]),
    ],
)
def test_limiters(launch: tuple[int, int, int], said: str, colours: list[str]) -> None:
    answer = on_paper(*launch)
    assert words(html.limiters(answer)) == said
    assert slots(html.limiters(answer)) == colours


def test_limiters_of_a_choice() -> None:
    answer = on_paper(256, 64, 12)
    assert words(html.limiters(answer, ("warps", "shared_memory"))) == "shared memory + warp slots"
    assert html.limiters(answer, ()) == ""
