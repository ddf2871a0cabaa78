"""An exercise: prose, hints, a solution, and what each wrong answer is told; declared once, judged at build and live.

Three forms cover the five kinds: `Numbers` (predict, calculate), `Choose` (choose the trade) and `Code` (find the bug,
write the function). A wrong answer worth its own message is a `Slip`: the number it comes to, or the program that
makes it; a reader's program makes the same slip when it gives the same outcome on every case.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar

from occusite.book.parts import cells
from occusite.book.parts.html import THIN, Table, count
from occusite.book.parts.html import text as html_of
from occusite.model.checks import choice, integer

KINDS = {
    "predict": "Predict",
    "calculate": "Calculate",
    "choose": "Choose the trade",
    "bug": "Find the bug",
    "write": "Write the function",
}

Highlight = Callable[[str], str]


def rich(source: str) -> str:
    """HTML of an exercise's prose: paragraphs at blank lines (a `<pre>` stays one), `code` in backticks, *emphasis*;
    the rest is HTML."""
    parts = re.split(r"`([^`]*)`", source.strip())
    marked = "".join(
        f"<code>{escape(p)}</code>" if i % 2 else re.sub(r"\*([^*]+)\*", r"<em>\1</em>", p) for i, p in enumerate(parts)
    )
    blocks = [block.strip() for block in re.split(r"\n\s*\n", marked) if block.strip()]
    return "".join(b if b.startswith("<pre") else f"<p>{' '.join(b.split())}</p>" for b in blocks)


def log(text: str) -> str:
    """A tool's output, for prose: a paragraph of its own that keeps its lines."""
    return f'\n\n<pre tabindex="0">{escape(text.strip())}</pre>\n\n'


def shown(value: float) -> str:
    """A number as prose shows it."""
    return count(value) if isinstance(value, int) else f"{value:g}"


@dataclass(frozen=True)
class Verdict:
    """What a try is told: `message` is HTML."""

    passed: bool
    message: str
    outputs: Sequence[cells.Output] = ()


@dataclass(frozen=True)
class Slip:
    """A wrong answer with a message of its own. `made_by` is the number it comes to, or the program that makes it."""

    made_by: float | str
    message: str


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What every form shares. `chapter` is 0 outside the chapters; `because` is the explanation that comes with the solution, `working` a table under it."""

    title: str
    chapter: int
    kind: str
    prose: str
    because: str = ""
    working: Table | None = None
    hints: Sequence[str] = ()
    forms: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        integer("chapter", self.chapter, 0, 14)
        choice("kind", self.kind, self.forms)

    def form(self, ident: str, highlight: Highlight) -> str:
        """The part the reader fills in, as HTML."""
        raise NotImplementedError

    def answer_html(self, highlight: Highlight) -> str:
        """The solution, as HTML."""
        raise NotImplementedError

    def data(self) -> dict[str, Any]:
        """What the browser needs to judge or reset a try, as JSON data."""
        raise NotImplementedError


@dataclass(frozen=True)
class Blank:
    """One number to fill in: right within `tolerance` of `answer`. Raises `ValueError` when a slip cannot be told from
    the answer or from another slip."""

    label: str
    answer: float
    unit: str = ""
    tolerance: float = 0
    slips: Sequence[Slip] = ()

    def __post_init__(self) -> None:
        values = [self.answer, *(float(s.made_by) for s in self.slips)]
        for i, a in enumerate(values):
            if any(abs(a - b) <= 2 * self.tolerance for b in values[:i]):
                raise ValueError(f"slips: {a!r} is not allowed for {self.label!r}; give values apart from one another")

    def quantity(self) -> str:
        """The answer with its unit."""
        unit = self.unit.removesuffix("s") if self.answer == 1 and self.unit != "SMs" else self.unit
        return shown(self.answer) + (f"{THIN}{escape(unit)}" if unit else "")

    def outcomes(self) -> list[dict[str, Any]]:
        """Ranges of values with their verdict, the first that holds a value counts; the last two hold the rest."""
        near = max(self.tolerance, 1e-9)

        def within(value: float, right: bool, message: str) -> dict[str, Any]:
            return {"low": value - near, "high": value + near, "right": right, "html": rich(message)}

        return [
            within(self.answer, True, f"Right: {self.quantity()}."),
            *(within(float(s.made_by), False, s.message) for s in self.slips),
            {"low": None, "high": self.answer, "right": False, "html": rich("Not yet: the answer is higher.")},
            {"low": self.answer, "high": None, "right": False, "html": rich("Not yet: the answer is lower.")},
        ]

    def judge(self, value: float) -> Verdict:
        """What `value` is told; exercises.js does the same from the same ranges."""
        for o in self.outcomes():
            if (o["low"] is None or o["low"] <= value) and (o["high"] is None or value <= o["high"]):
                return Verdict(o["right"], o["html"])
        raise ValueError(f"value: {value!r} is not allowed; give a number")


@dataclass(frozen=True, kw_only=True)
class Numbers(Exercise):
    """One number or several: a prediction or a calculation."""

    blanks: Sequence[Blank]
    forms: ClassVar[tuple[str, ...]] = ("predict", "calculate")

    def form(self, ident: str, highlight: Highlight) -> str:
        rows = []
        for i, blank in enumerate(self.blanks):
            unit = f'<span class="occ-unit">{escape(blank.unit)}</span>' if blank.unit else ""
            rows.append(
                f'<div class="occ-blank"><label for="{ident}-{i}">{rich(blank.label)[3:-4]}</label><span>'
                f'<input type="number" step="any" inputmode="decimal" autocomplete="off" required id="{ident}-{i}" '
                f'name="{i}">{unit}</span></div>'
            )
        return f'{"".join(rows)}<button type="submit">Check</button>'

    def answer_html(self, highlight: Highlight) -> str:
        return "".join(
            f'<p class="occ-answer">{rich(b.label)[3:-4]} <strong>{b.quantity()}</strong></p>' for b in self.blanks
        )

    def data(self) -> dict[str, Any]:
        return {"blanks": [{"label": rich(b.label)[3:-4], "outcomes": b.outcomes()} for b in self.blanks]}


@dataclass(frozen=True)
class Option:
    """One of the choices: `right` is computed, `reason` is told to whoever chooses it."""

    label: str
    reason: str
    right: bool = False


@dataclass(frozen=True, kw_only=True)
class Choose(Exercise):
    """One right choice among several. Raises `ValueError` unless exactly one option is right."""

    options: Sequence[Option]
    forms: ClassVar[tuple[str, ...]] = ("choose", "predict", "calculate")

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(o.right for o in self.options) != 1:
            raise ValueError(
                f"options: {[o.right for o in self.options]} is not allowed; give exactly one right option"
            )

    def judge(self, index: int) -> Verdict:
        """What the choice of option `index` is told."""
        option = self.options[index]
        return Verdict(option.right, rich(("Right. " if option.right else "Not this one. ") + option.reason))

    def form(self, ident: str, highlight: Highlight) -> str:
        items = "".join(
            f'<label><input type="radio" required name="{ident}" value="{i}" autocomplete="off">'
            f"<span>{rich(o.label)[3:-4]}</span></label>"
            for i, o in enumerate(self.options)
        )
        return (
            f'<fieldset class="occ-options"><legend>Your choice</legend>{items}</fieldset>'
            '<button type="submit">Check</button>'
        )

    def answer_html(self, highlight: Highlight) -> str:
        rows = "".join(
            f"<li{' class=occ-right' if o.right else ''}>{rich(o.label)[3:-4]}"
            f"{' <strong>(right)</strong>' if o.right else ''}{rich(o.reason)}</li>"
            for o in self.options
        )
        return f'<ul class="occ-reasons">{rows}</ul>'

    def data(self) -> dict[str, Any]:
        judged = [self.judge(i) for i in range(len(self.options))]
        return {"options": [{"right": v.passed, "html": v.message} for v in judged]}


@dataclass(frozen=True, kw_only=True)
class Code(Exercise):
    """A program to mend or to write: it must define `function`, which is compared with `expected` on every case.

    `cases` are keyword arguments, the simplest first; `expected` may raise: then the reader's function must raise the
    same kind of error.
    """

    function: str
    starter: str
    solution: str
    cases: Sequence[Mapping[str, Any]]
    expected: Callable[..., object]
    slips: Sequence[Slip] = ()
    forms: ClassVar[tuple[str, ...]] = ("bug", "write")

    def judge(self, source: str) -> Verdict:
        """Run `source` and compare its function, case by case, with what is expected."""
        names = cells.namespace()
        outputs, error = cells.run(source, names, "exercise")
        shown = [o for o in outputs if o["kind"] != "error"]
        if isinstance(error, KeyboardInterrupt):
            raise error
        if error is not None:
            return Verdict(False, rich(f"Your program stopped before it could be checked: {_told(error)}."), shown)
        function = names.get(self.function)
        if not callable(function):
            return Verdict(False, rich(f"Your program should define a function called `{self.function}`."), shown)
        wanted = [_outcome(self.expected, case) for case in self.cases]
        with contextlib.redirect_stdout(io.StringIO()):
            got = [_outcome(function, case) for case in self.cases]
        if all(_same(a, b) for a, b in zip(got, wanted, strict=True)):
            message = f"Right, on all {len(self.cases)} launches that were tried." if len(self.cases) > 1 else "Right."
            return Verdict(True, rich(message), shown)
        return Verdict(False, self._explain(got, wanted), shown)

    def outcomes(self, source: str) -> list[object]:
        """What a program known to load gives on every case."""
        names = cells.namespace()
        exec(source, names)
        return [_outcome(names[self.function], case) for case in self.cases]

    def _explain(self, got: list[object], wanted: list[object]) -> str:
        first = next(i for i, (a, b) in enumerate(zip(got, wanted, strict=True)) if not _same(a, b))
        call = _short(f"{self.function}({', '.join(f'{k}={v!r}' for k, v in self.cases[first].items())})")
        told = f"The first launch that differs: `{call}` {_said(got[first], 'gave')}; it {_said(wanted[first], 'should give')}."
        for slip in self.slips:
            if all(_same(a, b) for a, b in zip(got, self.outcomes(str(slip.made_by)), strict=True)):
                return rich(slip.message) + rich(told)
        if got[first] is None:
            return rich("Your function gave nothing back: is there a `return` on every path?") + rich(told)
        return rich("Not yet.") + rich(told)

    def form(self, ident: str, highlight: Highlight) -> str:
        return (
            f'<div class="occ-cell-source highlight"><pre tabindex="0"><code>{highlight(self.starter)}</code></pre></div>'
            '<div class="occ-exercise-actions"><button type="submit">Check</button></div>'
        )

    def answer_html(self, highlight: Highlight) -> str:
        return f'<div class="highlight"><pre tabindex="0"><code>{highlight(self.solution)}</code></pre></div>'

    def data(self) -> dict[str, Any]:
        return {"starter": self.starter}


@dataclass(frozen=True)
class Raised:
    """An error as an outcome: two are the same when their kinds are."""

    kind: str
    text: str = field(default="", compare=False)


def _outcome(function: Callable[..., object], case: Mapping[str, Any]) -> object:
    try:
        return function(**case)
    except Exception as error:
        return Raised(type(error).__name__, str(error))


def _same(a: object, b: object) -> bool:
    # True == 1 and False == 0 in Python, but not in an answer.
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, int | float) and isinstance(b, int | float) and abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)
    try:
        return bool(a == b)
    except Exception:
        return False


def _said(outcome: object, verb: str) -> str:
    if isinstance(outcome, Raised):
        verb = {"gave": "raised", "should give": "should raise"}[verb]
        return f"{verb} `{outcome.kind}`" + (
            f" (`{_short(outcome.text)}`)" if outcome.text and verb == "raised" else ""
        )
    return f"{verb} `{_short(_repr(outcome))}`"


def _repr(value: object) -> str:
    if isinstance(value, set | frozenset) and value:
        return "{" + ", ".join(sorted(map(repr, value))) + "}"
    if isinstance(value, tuple) and len(value) > 1:
        return f"({', '.join(map(_repr, value))})"
    return repr(value)


def _told(error: BaseException) -> str:
    line = error.lineno if isinstance(error, SyntaxError) else None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<exercise>":
            line = frame.tb_lineno
        frame = frame.tb_next
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    where = f" in line {line}" if line else ""
    return f"`{type(error).__name__}`{where}" + (f", `{_short(text)}`" if text else "")


def _short(text: str) -> str:
    # Backticks would end the code mark that `rich` makes.
    text = " ".join(text.replace("`", "'").split())
    return text if len(text) <= 200 else text[:199] + "…"


def cases(**axes: Sequence[Any]) -> list[dict[str, Any]]:
    """Every combination of the axes' values, as keyword arguments; the last axis runs fastest."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def quick(fields: Mapping[str, Any], names: Mapping[str, Any], tables: Mapping[str, Any]) -> Numbers:
    """A prediction written in a page: `question`, `answer`, `unit`, `tolerance`, `because`, `working` and `slips`.

    `answer` and the keys of `slips` are expressions over `names`, `working` one over `tables`; the texts are
    plain, or f-strings whose expressions are replaced by their values. Raises `ValueError` for an unknown or a missing field.
    """
    for name in fields:
        choice("field", name, ("question", "answer", "unit", "tolerance", "because", "working", "slips"))
    for name in ("question", "answer", "because"):
        if name not in fields:
            raise ValueError(f"{name}: missing; give question, answer and because")

    def fill(text: str) -> str:
        text = re.sub(r"""^f(["'])(.*)\1$""", r"\2", str(text).strip(), flags=re.DOTALL)
        return re.sub(r"\{([^{}]+)\}", lambda m: f'<span class="occ-v">{html_of(eval(m[1], dict(names)))}</span>', text)

    blank = Blank(
        label="Your prediction",
        answer=eval(str(fields["answer"]), dict(names)),
        unit=fields.get("unit", ""),
        tolerance=float(fields.get("tolerance", 0)),
        slips=[Slip(eval(str(k), dict(names)), fill(v)) for k, v in fields.get("slips", {}).items()],
    )
    return Numbers(
        title="first",
        chapter=0,
        kind="predict",
        prose=fill(fields["question"]),
        because=fill(fields["because"]),
        working=eval(fields["working"], dict(tables)) if "working" in fields else None,
        blanks=(blank,),
    )


def anchor(name: str) -> str:
    """The id of an exercise on its page."""
    return f"exercise-{name.replace('_', '-')}"


def render(exercise: Exercise, name: str, ident: str, highlight: Highlight) -> str:
    """The exercise as HTML, complete without JavaScript: `highlight` makes code's HTML, `ident` is unique on the page.

    `name` is what progress is kept under; an empty one (a quick prediction in a page's text) has no title and keeps none.
    """
    title = f"{ident}-title"
    level = "h3" if name else "p"
    hints = "".join(
        f'<details class="occ-hint"><summary>{"Another hint" if i else "A hint"}</summary>{rich(hint)}</details>'
        for i, hint in enumerate(exercise.hints)
    )
    data = json.dumps(exercise.data(), ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")
    code = isinstance(exercise, Code)
    working = exercise.working.html() if exercise.working else ""
    return (
        f'<section class="occ-exercise occ-exercise--{exercise.kind}" id="{ident}" data-exercise="{escape(name)}" '
        f'data-form="{type(exercise).__name__.lower()}" aria-labelledby="{title}">'
        f'<{level} class="occ-exercise-title" id="{title}"><span class="occ-exercise-kind">{KINDS[exercise.kind]}</span> '
        f"{escape(exercise.title)}</{level}>"
        f'<div class="occ-exercise-prose">{rich(exercise.prose)}</div>'
        f'<form class="occ-exercise-form" autocomplete="off" novalidate>{exercise.form(ident, highlight)}</form>'
        '<div class="occ-feedback" role="status" aria-live="polite"></div>'
        f"{hints}"
        f'<details class="occ-solution"><summary>{"Show a solution" if code else "Show the answer"}</summary>'
        f"{exercise.answer_html(highlight)}{rich(exercise.because)}{working}</details>"
        f'<template class="occ-exercise-data">{data}</template></section>'
    )
