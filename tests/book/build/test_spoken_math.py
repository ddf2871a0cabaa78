"""Formulas in words."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from latex2mathml.converter import convert

from occusite.book.build import spoken_math as spoken


def say(latex: str) -> str:
    return spoken.say(ElementTree.fromstring(convert(latex)))


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (
            r"\text{bytes in flight} = \text{bandwidth} \times \text{latency}",
            "bytes in flight equals bandwidth times latency",
        ),
        (r"\frac{32}{48} \approx 67\,\%", "32 over 48 is about 67 per cent"),
        (r"\frac{a + b}{c}", "the fraction a plus b over c, end of fraction"),
        (r"\left\lceil \frac{x}{y} \right\rceil", "round up x over y, end of rounding"),
        (r"\min(w, 4)", "the minimum of open bracket w, 4 close bracket"),
        (r"x^2 + y_1", "x to the power of 2 plus y sub 1"),
    ],
)
def test_said(latex: str, words: str) -> None:
    assert say(latex) == words


def test_the_words_stand_in_the_formula() -> None:
    made = spoken.mathml(convert(r"a < b".replace("<", "=")))
    assert made.startswith('<math alttext="a equals b" aria-label="a equals b" ')
    assert ElementTree.fromstring(made).get("alttext") == "a equals b"


@pytest.mark.parametrize("latex", [r"\sqrt{x}", r"a \oplus b", r"\begin{matrix}1\end{matrix}"])
def test_what_has_no_words_is_refused(latex: str) -> None:
    with pytest.raises(ValueError, match=r"math: <\w+> .* has no spoken form yet"):
        say(latex)
