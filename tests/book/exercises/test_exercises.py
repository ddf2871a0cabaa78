"""Every exercise: its solution passes, its starter fails kindly, each wrong answer gets its own message."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from occusite.book import exercises
from occusite.book.parts import exercise as ex
from occusite.book.runtime import api

ALL = {name: exercises.load(name) for name in exercises.names()}
CODE = {name: e for name, e in ALL.items() if isinstance(e, ex.Code)}
NUMBERS = {name: e for name, e in ALL.items() if isinstance(e, ex.Numbers)}
CHOICES = {name: e for name, e in ALL.items() if isinstance(e, ex.Choose)}
FILES = [p for p in Path(exercises.__path__[0]).rglob("*.py") if p.stem != "__init__"]


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


@pytest.mark.parametrize("name", CODE)
def test_solution_passes_as_the_browser_would_ask(name: str) -> None:
    found = json.loads(api.check(name, CODE[name].solution))
    assert found["passed"], plain(found["message"])


@pytest.mark.parametrize("name", CODE)
def test_starter_fails_kindly(name: str) -> None:
    verdict = CODE[name].judge(CODE[name].starter)
    assert not verdict.passed
    assert "Traceback" not in verdict.message and "The first launch that differs" in plain(verdict.message)
    assert not any(o["kind"] == "error" for o in verdict.outputs)


@pytest.mark.parametrize("name", CODE)
def test_each_wrong_program_gets_its_own_message(name: str) -> None:
    messages = []
    for slip in CODE[name].slips:
        verdict = CODE[name].judge(str(slip.made_by))
        assert not verdict.passed
        assert verdict.message.startswith(ex.rich(slip.message)), plain(verdict.message)
        messages.append(slip.message)
    assert len(messages) >= 2 and len(set(messages)) == len(messages)


@pytest.mark.parametrize("name", CODE)
def test_programs_differ_and_starters_of_bugs_are_explained(name: str) -> None:
    found = CODE[name]
    programs = [found.solution, *(str(s.made_by) for s in found.slips)]
    assert len({p.strip() for p in programs}) == len(programs)
    if found.kind == "bug":
        assert any(s.made_by == found.starter for s in found.slips)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    for blank in NUMBERS[name].blanks:
        assert blank.judge(blank.answer).passed
        messages = {blank.judge(float(s.made_by)).message for s in blank.slips}
        assert messages == {ex.rich(s.message) for s in blank.slips} and len(messages) == len(blank.slips) >= 1
        far = 10 * abs(blank.answer) + 1_000_000
        assert "lower" in blank.judge(far).message and "higher" in blank.judge(-far).message


@pytest.mark.parametrize("name", CHOICES)
def test_choices(name: str) -> None:
    verdicts = [CHOICES[name].judge(i) for i in range(len(CHOICES[name].options))]
    assert sum(v.passed for v in verdicts) == 1
    assert len({v.message for v in verdicts}) == len(verdicts) >= 3


class _Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.labels: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "id" in given:
            self.ids.append(str(given["id"]))
        if "for" in given:
            self.labels.append(str(given["for"]))
        if tag not in ("input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ALL)
def test_html_is_well_formed_and_labelled(name: str) -> None:
    parser = _Balanced()
    parser.feed(ex.render(ALL[name], name, f"exercise-{name}", lambda s: s.replace("&", "&amp;").replace("<", "&lt;")))
    assert not parser.open and len(set(parser.ids)) == len(parser.ids)
    assert set(parser.labels) <= set(parser.ids)


PROSE = {"title", "prose", "because", "hints", "label", "message", "reason", "unit"}
POSITIONS = {"Slip": {1}, "Blank": {0, 2}, "Option": {0, 1}}


def _literals(node: ast.AST) -> Iterator[str]:
    """The literal texts of an expression, without formats of numbers and what is handed to a call."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.FormattedValue):
        yield from _literals(node.value)
    elif not isinstance(node, ast.Call):
        for child in ast.iter_child_nodes(node):
            yield from _literals(child)


def _prose(tree: ast.AST) -> list[str]:
    """The texts a reader sees as prose: what is given to fields that hold prose, and what `label` and `reason` give."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            places = POSITIONS.get(node.func.id, set())
            shown = [a for i, a in enumerate(node.args) if i in places]
            shown += [k.value for k in node.keywords if k.arg in PROSE]
            found += [text for value in shown for text in _literals(value)]
        if isinstance(node, ast.FunctionDef) and node.name in ("label", "reason"):
            found += [
                t
                for back in ast.walk(node)
                if isinstance(back, ast.Return) and back.value
                for t in _literals(back.value)
            ]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_no_number_in_prose_is_typed_by_hand(path: Path) -> None:
    texts = _prose(ast.parse(path.read_text(encoding="utf-8")))
    assert texts
    for text in texts:
        # Code, and the names of GPUs and caches (A100, RTX 4090, L1), are not results.
        assert not re.search(r"\d", re.sub(r"`[^`]*`|\b[A-Z]+(&nbsp;)?\d+\b", "", text)), text


DOCS = Path(__file__).parents[3] / "docs"
FENCES = [
    (page.name, kind, body)
    for page in sorted(DOCS.rglob("*.md"))
    for kind, body in re.findall(r"^```(exercise|predict)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
]


@pytest.mark.parametrize(("page", "kind", "body"), FENCES, ids=[f"{p}-{i}" for i, (p, _, _) in enumerate(FENCES)])
def test_what_pages_ask_is_there(page: str, kind: str, body: str) -> None:
    from occusite.book.content import tables, values

    if kind == "exercise":
        assert body.strip() in ALL
        return
    found = ex.quick(yaml.safe_load(body), vars(values), vars(tables))
    (blank,) = found.blanks
    assert blank.judge(blank.answer).passed
    assert len({blank.judge(float(s.made_by)).message for s in blank.slips}) == len(blank.slips)


def test_no_exercise_stands_on_two_pages() -> None:
    used = [body.strip() for _, kind, body in FENCES if kind == "exercise"]
    assert len(set(used)) == len(used)


def test_the_lists_above_are_not_empty() -> None:
    """An empty list of parameters would be skipped, not failed: each file is one exercise, and pages hold them."""
    assert sorted(path.stem for path in FILES) == sorted(ALL) and len(ALL) > 30
    assert CODE and NUMBERS and CHOICES and {**CODE, **NUMBERS, **CHOICES} == ALL
    assert len([kind for _, kind, _ in FENCES if kind == "exercise"]) > 30
    assert len([kind for _, kind, _ in FENCES if kind == "predict"]) > 5


def test_an_exercise_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"exercise: 'nope' is not allowed; give one of .*ties"):
        exercises.load("nope")
    with pytest.raises(ValueError, match=r"exercise: 'little' is not allowed; give one that asks for a program"):
        exercises.check("little", "")
