"""Words: numbers are set by the surface, nouns agree, lists read as prose."""

from __future__ import annotations

import pytest

from occusite import nvidia, paper
from occusite.model.terms import SLOTS, Phrase, Step, counted, grouped, joined


def test_each_surface_sets_the_numbers() -> None:
    phrase = Phrase("{} of {} bytes", (12_288, 65_536))
    assert phrase.text() == "12,288 of 65,536 bytes"
    assert phrase.text(str) == "12288 of 65536 bytes"
    step = Step("registers", "⌊{} ÷ {}⌋", (65_536, 8_192), 8, "blocks", "why")
    assert step.text() == "⌊65,536 ÷ 8,192⌋"
    assert step.text(lambda number: f"{number:_}") == "⌊65_536 ÷ 8_192⌋"
    assert Phrase("no numbers").text() == "no numbers"


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (1, "blocks", "1 block"),
        (0, "blocks", "0 blocks"),
        (2, "waves", "2 waves"),
        (40_000, "threads", "40,000 threads"),
    ],
)
def test_a_noun_agrees_with_its_number(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text


def test_lists_read_as_prose() -> None:
    assert [joined(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_thousands() -> None:
    assert grouped(1_234_567) == "1,234,567"


def test_every_budget_has_a_place_of_its_own_where_it_is_shown() -> None:
    assert SLOTS == ("registers", "memory", "warps", "blocks", "barriers", "other")
    for budgets in (nvidia.Device.budgets, paper.SM.budgets):
        assert [b.slot for b in budgets] == [slot for slot in SLOTS if slot in {b.slot for b in budgets}]
