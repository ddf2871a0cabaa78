"""Says a formula in words: the spoken form of MathML, for its `alttext` and its label."""

from __future__ import annotations

from xml.etree import ElementTree

SIGNS = {
    "=": "equals",
    "≈": "is about",
    "≤": "is at most",
    "≥": "is at least",
    "×": "times",
    "·": "times",
    "÷": "divided by",
    "/": "divided by",
    "+": "plus",
    "-": "minus",
    "−": "minus",
    "%": "per cent",
    ",": ",",
    "(": "open bracket",
    ")": "close bracket",
    "⌈": "round up",
    "⌉": ", end of rounding",
    "⌊": "round down",
    "⌋": ", end of rounding",
    "min": "the minimum of",
    "max": "the maximum of",
    "λ": "lambda",
}


def mathml(text: str) -> str:
    """The MathML `text` with its spoken form as `alttext` and `aria-label`."""
    root = ElementTree.fromstring(text)
    words = say(root)
    label = words.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return text.replace("<math ", f'<math alttext="{label}" aria-label="{label}" ', 1)


def say(element: ElementTree.Element) -> str:
    """One element in words; `ValueError` for an element or a sign that has none."""
    return " ".join(_words(element)).replace(" ,", ",")


def _words(element: ElementTree.Element) -> list[str]:
    tag = element.tag.rpartition("}")[2]
    parts = list(element)
    if tag == "mfrac":
        top, bottom = (_words(part) for part in parts)
        return (
            [*top, "over", *bottom]
            if len(top) == len(bottom) == 1
            else ["the fraction", *top, "over", *bottom, ", end of fraction"]
        )
    if tag == "msup":
        return [*_words(parts[0]), "to the power of", *_words(parts[1])]
    if tag == "msub":
        return [*_words(parts[0]), "sub", *_words(parts[1])]
    if tag == "mspace":
        return []
    if tag in ("math", "mrow", "mstyle"):
        return [word for part in parts for word in _words(part)]
    text = (element.text or "").replace("\u00a0", " ").strip()
    if tag == "mtext":
        return [text]
    if tag in ("mi", "mo", "mn"):
        if text in SIGNS:
            return [SIGNS[text]]
        if text.replace(".", "").isalnum():
            return [text]
    raise ValueError(f"math: <{tag}> {text!r} has no spoken form yet; give it one in occusite.book.build.spoken_math")
