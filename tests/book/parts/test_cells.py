"""Cells: outputs in their order and kind, the last value, tracebacks that begin at the reader's line, the limit."""

from __future__ import annotations

import builtins
import json
import sys

import pytest

from occusite.book.parts import cells, charts
from occusite.book.parts.html import Table


def run(source: str, **names: object) -> list[cells.Output]:
    return cells.run(source, {**cells.namespace(), **names}, "cell 1")[0]


def test_printed_text_is_one_output() -> None:
    assert run("print('a')\nimport sys\nprint('b', file=sys.stderr)") == [{"kind": "text", "data": "a\nb\n"}]


def test_nothing_shown_is_no_output() -> None:
    assert run("x = 1") == run("") == run("# only words") == run("None") == []


def test_the_last_expression_is_shown_after_what_was_printed() -> None:
    assert run("print('a')\n[1, 'b']") == [{"kind": "text", "data": "a\n"}, {"kind": "text", "data": "[1, 'b']\n"}]


def test_the_last_value_is_kept_as_underscore() -> None:
    names = cells.namespace()
    cells.run("6 * 7", names)
    assert cells.run("_ + 1", names)[0] == [{"kind": "text", "data": "43\n"}]


def test_a_statement_at_the_end_shows_nothing() -> None:
    assert run("1\nx = 2") == []


def test_names_live_on_between_cells_and_functions_see_them() -> None:
    names = cells.namespace()
    cells.run("def f():\n    return later", names)
    cells.run("later = 5", names)
    assert cells.run("f()", names)[0][0]["data"] == "5\n"


def test_main_is_main() -> None:
    assert run("__name__")[0]["data"] == "'__main__'\n"


class Html:
    def _repr_html_(self) -> str:
        return "<b>bold</b>"


class Svg:
    def _repr_svg_(self) -> str:
        return "<svg></svg>"


@pytest.mark.parametrize(
    ("value", "kind", "data"), [(Html(), "html", "<b>bold</b>"), (Svg(), "svg", "<svg></svg>"), (Html, "text", None)]
)
def test_rich_values(value: object, kind: str, data: str | None) -> None:
    (output,) = run("value", value=value)
    assert output["kind"] == kind and (data is None or output["data"] == data)


def test_a_table_is_html() -> None:
    (output,) = run("table", table=Table(("a",), [(1,)]))
    assert output["kind"] == "html" and "<table" in output["data"]


def test_charts() -> None:
    (own,) = run("chart", chart=charts.paper_cliffs())
    assert own["kind"] == "chart" and json.loads(own["data"])["datasets"]["stairs"] and "staircase" in own["alt"]
    spec = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "mark": "bar", "description": "Bars"}
    (any_spec,) = run("spec", spec=spec)
    assert any_spec["kind"] == "chart" and any_spec["alt"] == "Bars" and json.loads(any_spec["data"]) == spec


def test_an_error_ends_the_outputs_and_is_returned() -> None:
    outputs, error = cells.run("print('before')\n1 / 0", cells.namespace(), "cell 3")
    assert [o["kind"] for o in outputs] == ["text", "error"]
    assert isinstance(error, ZeroDivisionError)
    assert outputs[1]["data"] == (
        "Traceback (most recent call last):\n"
        '  File "<cell 3>", line 2, in <module>\n'
        "    1 / 0\n"
        "ZeroDivisionError: division by zero"
    )


def test_a_traceback_goes_through_earlier_cells() -> None:
    names = cells.namespace()
    cells.run("def f():\n    raise KeyError('x')", names, "cell 1")
    told = cells.run("f()", names, "cell 2")[0][-1]["data"]
    assert 'File "<cell 2>", line 1' in told and 'File "<cell 1>", line 2, in f' in told
    assert "raise KeyError('x')" in told and "cells.py" not in told


def test_a_chained_error_is_tidied_too() -> None:
    told = run("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('bad') from e")[-1]["data"]
    assert "direct cause" in told and told.count("<cell 1>") == 2 and "cells.py" not in told


def test_a_syntax_error_names_its_line_only() -> None:
    told = run("x = 1\ny = = 2")[-1]["data"]
    assert told.endswith("SyntaxError: invalid syntax") and 'File "<cell 1>", line 2' in told and "ast.py" not in told


@pytest.mark.parametrize("source", ["import sys\nsys.exit(3)", "raise KeyboardInterrupt", "exit()"])
def test_leaving_is_an_error_of_the_cell_not_of_the_book(source: str) -> None:
    assert run(source)[-1]["kind"] == "error"


def test_text_is_handed_on_as_it_comes() -> None:
    heard: list[str] = []
    cells.run("print('a')\nprint('b')", cells.namespace(), "cell", heard.append)
    assert "".join(heard) == "a\nb\n" and len(heard) > 1


def test_streams_are_given_back() -> None:
    before = sys.stdout, sys.stderr
    run("1 / 0")
    assert (sys.stdout, sys.stderr) == before


@pytest.mark.parametrize("beyond", [0, 1, 1000])
def test_what_is_printed_beyond_the_limit_is_counted(beyond: int) -> None:
    heard: list[str] = []
    outputs, _ = cells.run(
        f"print('x' * {cells.PRINT_LIMIT + beyond}, end='')", cells.namespace(), "cell", heard.append
    )
    text = outputs[0]["data"]
    assert len("".join(heard)) == cells.PRINT_LIMIT
    assert text.startswith("x" * cells.PRINT_LIMIT)
    told = f"{cells.PRINT_LIMIT + beyond:,} characters"
    assert (told in text) == (beyond > 0)


def test_a_cell_may_await_at_its_top_level() -> None:
    assert run("import asyncio\nx = await asyncio.sleep(0, 20)\nawait asyncio.sleep(0, x + 1)")[0]["data"] == "21\n"
    lines = run("async def f():\n    1 / 0\n\nawait f()")[0]["data"].splitlines()
    assert [line.strip() for line in lines if line.startswith("  File")] == [
        'File "<cell 1>", line 4, in <module>',
        'File "<cell 1>", line 2, in f',
    ]


@pytest.mark.parametrize(
    "name", ["print", "len", "max", "list", "str", "isinstance", "eval", "compile", "dict", "type"]
)
def test_rebound_builtins_are_the_readers_and_last_for_its_run(name: str) -> None:
    before = getattr(builtins, name)
    told = run(f"import builtins\nprint('a')\nbuiltins.{name} = None\n{name}('x')")
    assert getattr(builtins, name) is before
    assert told[0] == {"kind": "text", "data": "a\n"}
    assert told[1]["data"].splitlines()[-1] == "TypeError: 'NoneType' object is not callable"
    assert "book/parts" not in told[1]["data"]
    assert run(f"{name} = None\n'fine'")[0]["data"] == "'fine'\n"


def test_printing_goes_on_where_builtins_are_rebound() -> None:
    told = run("import builtins\nbuiltins.len = builtins.max = None\nprint('b')\nprint('c')")
    assert told == [{"kind": "text", "data": "b\nc\n"}]


def test_a_hint_stands_below_the_error() -> None:
    outputs, _ = cells.run("1 / 0", cells.namespace(), hint=lambda error: f"about {type(error).__name__}")
    assert outputs[0]["data"].endswith("ZeroDivisionError: division by zero\n\nabout ZeroDivisionError")
