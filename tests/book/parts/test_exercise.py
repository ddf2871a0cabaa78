"""Exercises: what a try is told, number by number and program by program; bad exercises are refused."""

from __future__ import annotations

import re
from html import unescape

import pytest

from occusite.book import exercises
from occusite.book.parts import exercise as ex
from tests.book.seen import words


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


BLANK = ex.Blank("How many warps?", 32, "warps", 0.5, (ex.Slip(48, "Those are the *slots*."), ex.Slip(4, "Blocks.")))

# A number, whether it passes, what it is told.
TOLD = [
    (32, True, "Right: 32 warps."),
    (32.5, True, "Right: 32 warps."),
    (31.5, True, "Right: 32 warps."),
    (31.49, False, "Not yet: the answer is higher."),
    (32.51, False, "Not yet: the answer is lower."),
    (48, False, "Those are the slots."),
    (47.4, False, "Not yet: the answer is lower."),
    (4, False, "Blocks."),
    (-1e9, False, "Not yet: the answer is higher."),
]


@pytest.mark.parametrize(("value", "passes", "said"), TOLD)
def test_a_number_is_told_what_it_is(value: float, passes: bool, said: str) -> None:
    verdict = BLANK.judge(value)
    assert (verdict.passed, words(verdict.message)) == (passes, said)


@pytest.mark.parametrize(
    ("answer", "unit", "said"),
    [
        (1, "warps", "1 warp"),
        (2, "warps", "2 warps"),
        (1, "SMs", "1 SMs"),
        (0.5, "", "0.5"),
        (16_384, "bytes", "16 384 bytes"),
    ],
)
def test_an_answer_with_its_unit(answer: float, unit: str, said: str) -> None:
    assert words(ex.Blank("n", answer, unit).quantity()) == said


PROGRAM = ex.Code(
    title="t",
    chapter=2,
    kind="bug",
    prose="p",
    function="warps",
    starter="def warps(threads): return threads // 32",
    solution="def warps(threads): return -(-threads // 32)",
    cases=ex.cases(threads=(64, 65)),
    expected=lambda threads: -(-threads // 32),
    slips=(ex.Slip("def warps(threads): return threads // 32", "A part of a warp takes a whole one."),),
)
DIFFERS = "The first launch that differs: warps(threads=65) gave {}; it should give 3."

# A program, whether it passes, what it is told.
PROGRAMS = [
    (PROGRAM.solution, True, "Right, on all 2 launches that were tried."),
    (PROGRAM.starter, False, f"A part of a warp takes a whole one.{DIFFERS.format(2)}"),
    ("def warps(threads): return 2", False, f"A part of a warp takes a whole one.{DIFFERS.format(2)}"),
    ("def warps(threads): return threads // 16", False, "Not yet.The first launch that differs: warps(threads=64) gave 4; it should give 2."),
    ("def warps(threads): pass", False, "Your function gave nothing back: is there a return on every path?The first launch that differs: warps(threads=64) gave None; it should give 2."),
    ("def warps(threads): return True + 1 if threads == 64 else 3.0", True, "Right, on all 2 launches that were tried."),
    ("warps = 3", False, "Your program should define a function called warps."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "passes", "said"), PROGRAMS)
def test_a_program_is_told_where_it_differs(source: str, passes: bool, said: str) -> None:
    verdict = PROGRAM.judge(source)
    assert (verdict.passed, words(verdict.message)) == (passes, said)


def test_axes_make_every_combination() -> None:
    assert ex.cases(a=(1, 2), b=(3, 4)) == [{"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4}]


def test_a_program_that_stops_is_told_where_without_a_traceback() -> None:
    verdict = exercises.check("ties", "x = 1\nboom()\n")
    assert plain(verdict.message) == (
        "Your program stopped before it could be checked: NameError in line 2, name 'boom' is not defined."
    )
    assert "SyntaxError in line 1" in plain(exercises.check("ties", "def (:\n").message)
    assert "called binding" in plain(exercises.check("ties", "binding = 3").message)


def test_what_the_reader_wrote_is_escaped() -> None:
    verdict = exercises.check("ties", "def binding(**given): return '<script>`'")
    assert "<script>" not in verdict.message and "&lt;script&gt;" in verdict.message


def test_a_function_that_prints_or_raises_is_told_so() -> None:
    verdict = exercises.check(
        "ties", "print('hello')\ndef binding(**given):\n    print('x' * 1000)\n    raise KeyError('r')\n"
    )
    assert verdict.outputs == [{"kind": "text", "data": "hello\n"}]
    assert "raised KeyError" in plain(verdict.message)


def test_errors_name_field_value_and_what_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"slips: .* is not allowed for 'n'"):
        ex.Blank("n", 4, slips=(ex.Slip(4, "the same"),))
    with pytest.raises(ValueError, match=r"options: \[True, True\] is not allowed"):
        ex.Choose(
            title="t",
            chapter=2,
            kind="choose",
            prose="p",
            options=(ex.Option("a", "a", True), ex.Option("b", "b", True)),
        )
    with pytest.raises(ValueError, match=r"kind: 'bug' is not allowed"):
        ex.Choose(title="t", chapter=2, kind="bug", prose="p", options=(ex.Option("a", "a", True),))


QUICK = {
    "question": "On the paper SM, {256} threads and {64} registers: how many warps?",
    "answer": "SM.occupancy(paper.Launch(256, 64)).warps",
    "unit": "warps",
    "because": "The registers allow {SM.occupancy(paper.Launch(256, 64)).blocks} blocks.",
    "slips": {"SM.warps": "Those are the slots alone."},
}


def test_a_quick_prediction_computes_its_answer() -> None:
    from occusite import paper

    names = {"SM": paper.SM(), "paper": paper}
    found = ex.quick(QUICK, names, {})
    assert found.blanks[0].answer == 32
    assert "slots alone" in found.blanks[0].judge(48).message
    assert '<span class="occ-v">4</span> blocks' in found.because
    with pytest.raises(ValueError, match="field: 'hint' is not allowed"):
        ex.quick(QUICK | {"hint": "x"}, names, {})
    with pytest.raises(ValueError, match="because: missing"):
        ex.quick({k: v for k, v in QUICK.items() if k != "because"}, names, {})
