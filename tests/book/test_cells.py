"""A cell's run: what it prints and shows, how its errors read, where its output is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite.book import cells


def run(source: str, **names: object) -> list[cells.Output]:
    return cells.run(source, cells.namespace() | names, "cell 3")[0]


def test_prints_come_before_the_value_of_the_last_line() -> None:
    assert run("print('a')\nprint('b')\n40 + 2") == [
        {"kind": "text", "data": "a\nb\n"},
        {"kind": "text", "data": "42\n"},
    ]
    assert run("x = 1") == [] and run("None") == []


def test_names_live_on_in_the_namespace() -> None:
    names = cells.namespace()
    cells.run("x = 20", names)
    assert cells.run("x + 1", names)[0] == [{"kind": "text", "data": "21\n"}]


def test_text_is_passed_on_as_it_comes() -> None:
    came: list[str] = []
    cells.run("print('a'); print('b', end='')", cells.namespace(), on_text=came.append)
    assert "".join(came) == "a\nb"


def test_an_error_names_the_readers_lines_only() -> None:
    outputs, error = cells.run("def f():\n    return 1 / 0\n\nf()", cells.namespace(), "cell 3")
    assert isinstance(error, ZeroDivisionError)
    told = outputs[-1]["data"]
    assert told.startswith('Traceback (most recent call last):\n  File "<cell 3>", line 4, in <module>\n    f()')
    assert told.endswith("ZeroDivisionError: division by zero") and "cells.py" not in told


@pytest.mark.parametrize("source", ["1 +", "def", "x = (", "\tx"])
def test_a_syntax_error_is_an_output(source: str) -> None:
    (output,) = run(source)
    assert output["kind"] == "error" and "<cell 3>" in output["data"]


@pytest.mark.parametrize("source", ["raise SystemExit(3)", "raise KeyboardInterrupt"])
def test_nothing_escapes(source: str) -> None:
    assert run(source)[0]["kind"] == "error"


@given(st.lists(st.text(max_size=40), max_size=20))
def test_what_is_printed_is_what_is_shown(parts: list[str]) -> None:
    text = "".join(parts)
    shown = run("for part in parts: print(part, end='')", parts=parts)
    assert shown == ([{"kind": "text", "data": text}] if text else [])


def test_a_flood_is_cut_at_the_stated_size_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "PRINT_LIMIT", 1000)
    came: list[str] = []
    outputs, _ = cells.run("for i in range(300): print('12345678', i % 10)", cells.namespace(), on_text=came.append)
    text = outputs[0]["data"]
    assert len("".join(came)) == 1000 and text.startswith("".join(came))
    assert text.endswith("… cut here: 1,000 of 3,300 characters are shown.\n")


def test_rich_values() -> None:
    rich = "class R:\n    def _repr_{0}_(self): return '<{0}/>'\nR()"
    assert run(rich.format("html")) == [{"kind": "html", "data": "<html/>"}]
    assert run(rich.format("svg")) == [{"kind": "svg", "data": "<svg/>"}]
    (chart,) = run("from occusite.book import charts\ncharts.paper_cliffs()")
    assert chart["kind"] == "chart" and chart["alt"].startswith("A staircase")
