"""What the browser calls: JSON in and out, one namespace a page, errors as answers."""

from __future__ import annotations

import json

import pytest

from occusite.book.runtime import api


@pytest.fixture
def page() -> str:
    api.forget("a page/")
    return "a page/"


def test_a_view_is_status_and_parts() -> None:
    view = json.loads(api.view("calculator", '{"registers": 42, "shared": 0}'))
    assert view["status"].startswith("<strong>registers are the limiter · 5 blocks resident</strong>")
    assert {name: part["kind"] for name, part in view["parts"].items()} == dict.fromkeys(
        ("bars", "slots", "note"), "html"
    )
    chart = json.loads(api.view("cliffs", "{}"))["parts"]["curve"]
    assert chart["kind"] == "chart" and chart["spec"]["datasets"]["stairs"] and chart["alt"].startswith("A staircase")


@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("calculator", '{"registers": 3}', "registers: 3 is not allowed; give a whole number, 16–255"),
        ("calculator", '{"speed": 3}', "control: 'speed' is not allowed; give one of threads, registers, shared, rule"),
        ("nothing", "{}", "widget: 'nothing' is not allowed; give one of "),
    ],
)
def test_what_is_out_of_range_is_an_answer(name: str, values: str, error: str) -> None:
    view = json.loads(api.view(name, values))
    assert list(view) == ["error"] and view["error"].startswith(error)


def test_a_page_keeps_its_names_until_it_is_forgotten(page: str) -> None:
    assert json.loads(api.run(page, "cell 1", "x = 6")) == []
    assert json.loads(api.run(page, "cell 2", "x * 7")) == [{"kind": "text", "data": "42\n"}]
    assert json.loads(api.run("another/", "cell 1", "x"))[0]["kind"] == "error"
    api.forget(page)
    assert "NameError" in json.loads(api.run(page, "cell 3", "x"))[0]["data"]
    assert 'File "<cell 3>", line 1' in json.loads(api.run(page, "cell 3", "x"))[0]["data"]


def test_text_is_handed_on_while_the_cell_runs(page: str) -> None:
    heard: list[str] = []
    assert json.loads(api.run(page, "cell 1", "print('é', end='')", heard.append)) == [{"kind": "text", "data": "é"}]
    assert "".join(heard) == "é"


def test_a_check_says_whether_it_passes() -> None:
    verdict = json.loads(api.check("ties", "print('mine')\ndef binding(**given): return set()"))
    assert verdict["passed"] is False and "The first launch that differs" in verdict["message"]
    assert verdict["outputs"] == [{"kind": "text", "data": "mine\n"}]


def test_completions_know_the_pages_names(page: str) -> None:
    api.run(page, "cell 1", "resident_warps = 48\ndef f(threads, registers=32): ...")
    assert "resident_warps" in api.complete(page, "resi", 4)
    assert "resident_warps" not in api.complete("another/", "resi", 4)
    assert "registers" in api.signature(page, "f(", 2) and json.loads(api.signature(page, "1 + 1", 5)) is None
