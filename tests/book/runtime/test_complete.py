"""Completions and signatures: from variables, loaded imports and built-ins, never by running the reader's code."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import paper
from occusite.book.runtime.complete import LIMIT, complete, signature


def labels(source: str, **names: Any) -> list[str]:
    return [o["label"] for o in complete(names, source, len(source))["options"]]


def test_variables_keywords_and_builtins() -> None:
    assert labels("regi", registers=3) == ["registers"]
    assert "lambda" in labels("la") and "len" in labels("le")
    assert labels("plateau = 1\npla") == ["plateau"]


def test_attributes_of_variables_and_of_imports_not_yet_run() -> None:
    assert labels("sm.occ", sm=paper.SM()) == ["occupancy"]
    assert "Launch" in labels("from occusite import paper\npaper.L")
    assert "Launch" in labels("import occusite.paper as p\np.La")
    assert labels("unknown.") == []


def test_the_start_of_what_is_replaced() -> None:
    assert complete({"sm": paper.SM()}, "x = sm.war", 10)["from"] == 7


def test_private_names_only_when_asked_for() -> None:
    assert not any(n.startswith("_") for n in labels("sm.", sm=paper.SM()))
    assert "__class__" in labels("sm.__cl", sm=paper.SM())


def test_no_property_is_run() -> None:
    class Trap:
        @property
        def spring(self) -> int:
            raise AssertionError("a property ran")

    assert labels("t.spr", t=Trap()) == ["spring"]
    assert labels("t.spring.", t=Trap()) == []


def test_signature_of_the_innermost_call() -> None:
    source = "paper.Launch(256, min(3, 4), "
    found = signature({"paper": paper}, source, len(source))
    assert found is not None
    assert found["text"].startswith("Launch(threads: int, registers: int") and found["doc"].startswith(
        "A kernel launch on paper"
    )
    assert found["at"] == 0


@pytest.mark.parametrize("source", ["", "x = 1", "(1, ", "f(", "items[", "1(", "'f('"])
def test_no_call_no_signature(source: str) -> None:
    assert signature({}, source, len(source)) is None


@given(st.text(string.printable, max_size=60), st.integers(0, 60))
def test_any_text_is_answered(source: str, at: int) -> None:
    at = min(at, len(source))
    found = complete({"a": 1}, source, at)
    assert 0 <= found["from"] <= at and len(found["options"]) <= LIMIT
    signature({"a": 1}, source, at)
