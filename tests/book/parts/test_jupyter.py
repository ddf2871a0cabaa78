"""A chart in a notebook outside the book: its spec and picture in plain colours, and its words."""

from __future__ import annotations

import json
import re
from pathlib import Path

from occusite.book.parts import charts, jupyter


def test_no_colour_is_left_a_variable() -> None:
    chart = charts.paper_cliffs()
    forms = chart._repr_mimebundle_()
    assert forms.keys() == jupyter.bundle(chart).keys() and list(forms) == [jupyter.MIME, "text/plain", "image/svg+xml"]
    assert forms["text/plain"] == chart.alt and forms[jupyter.MIME]["background"] == "white"
    assert "var(" not in json.dumps(forms)
    spec = forms[jupyter.MIME]
    assert spec["datasets"] == chart.full()["datasets"] and spec["$schema"].endswith("/v5.json")
    assert "#0068a8" in forms["image/svg+xml"]


def test_the_colours_are_those_of_the_books_light_scheme() -> None:
    css = (Path(__file__).parents[3] / "docs" / "assets" / "css" / "book.css").read_text(encoding="utf-8")
    light = dict(re.findall(r"(--occ-[\w-]+): (#\w+);", css.partition("slate")[0]))
    assert {name: light.get(name) for name in jupyter.LIGHT} == jupyter.LIGHT
