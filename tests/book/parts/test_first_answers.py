"""First answers: every one, put together again, is the widget's own view; long ranges are answered where a drag stops."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from typing import Any

import pytest

from occusite.book import widgets
from occusite.book.parts import first_answers
from occusite.book.parts.charts import Chart
from occusite.book.parts.widget import Choice, Number, Paste, Slider, View, Widget


def assembled(table: dict[str, Any], changes: list[Any]) -> list[str]:
    """The texts of one view, as the browser puts them together."""
    texts = []
    for i, before in enumerate(table["first"]):
        change = changes[i] if changes else 0
        if change:
            head, tail, *between = change
            before = [*before[:head], *between, *before[len(before) - tail :]]
        texts.append("".join(table["pieces"][piece] for piece in before))
    return texts


def texts(view: View) -> list[str]:
    """The texts of a view, from the view itself."""
    made = [view.status]
    for part in view.data()["parts"].values():
        made += [part["data"]] if part["kind"] == "html" else [json.dumps(part["spec"]), part["alt"]]
    return made


@pytest.mark.parametrize("name", widgets.names())
def test_an_answer_is_the_widgets_view(name: str) -> None:
    widget = widgets.load(name)
    start = widget.parse({})
    table = json.loads(first_answers.table(widget, start))
    compared = 0
    cases = [({}, [])]
    for control, by_value in table["views"].items():
        # Some forty of each control.
        for value, changes in islice(by_value.items(), 0, None, max(1, len(by_value) // 40)):
            cases.append(({control: value} if control else dict(widget.presets()[value]), changes))
    for moved, changes in cases:
        values = widget.parse({**start, **moved})
        if isinstance(changes, str):
            with pytest.raises(ValueError) as refusal:
                widget.view(**values)
            assert str(refusal.value) == changes
            continue
        for told, own in zip(assembled(table, changes), texts(widget.view(**values)), strict=True):
            assert told == own or json.loads(told) == json.loads(own)
        compared += 1
    assert compared > 5


@pytest.mark.parametrize("name", widgets.names())
def test_a_table_stays_light(name: str) -> None:
    """What an idle page may fetch: no table is larger than a small picture when packed."""
    widget = widgets.load(name)
    assert len(gzip.compress(first_answers.table(widget, widget.parse({})).encode())) < 70_000


def test_which_values_are_answered() -> None:
    short, long = Slider("a", "", 0, 240, 1, 5), Slider("b", "", 0, 4800, 1, 7)
    assert first_answers.values_of(short, 5) == list(range(241))
    grid = set(range(0, 4801, 20))
    assert first_answers.values_of(long, 7) == sorted(grid | set(range(20)))
    assert first_answers.values_of(Slider("c", "", 10, 5010, 10, 10), 5010)[-13:] == list(range(4890, 5011, 10))
    assert first_answers.values_of(Number("d", "", 1, 9000, 1, 100), 100) == list(range(88, 113))
    assert first_answers.values_of(Choice("e", "", {"x": "X", "y": "Y"}, "x"), "x") == ["x", "y"]
    assert first_answers.values_of(Paste("f", "", ""), "") == []


def test_refusals_presets_and_views_with_other_parts() -> None:
    def view(size: int, kind: str) -> View:
        if size == 3:
            raise ValueError("size: 3 is not allowed")
        chart = Chart({"mark": "line", "height": 200}, {"rows": [{"size": size}]}, "a line")
        return View(f"<b>{size}</b> of {kind}", {"curve": chart} if kind == "line" else {"curve": "<p>none</p>"})

    widget = Widget(
        "A test",
        (Slider("size", "Size", 1, 3, 1, 1), Choice("kind", "Kind", {"line": "Line", "none": "None"}, "line")),
        view,
        lambda: {"two": {"size": 2}},
    )
    table = json.loads(first_answers.table(widget, widget.parse({})))
    assert table["parts"] == [["curve", "chart"]]
    assert table["views"]["size"]["3"] == "size: 3 is not allowed"
    assert "kind" not in table["views"], "a view of other parts has no place in the table"
    assert table["views"][""] == {"two": table["views"]["size"]["2"]}
    status, spec, alt = assembled(table, table["views"]["size"]["2"])
    assert (status, alt) == ("<b>2</b> of line", "a line")
    assert json.loads(spec)["datasets"] == {"rows": [{"size": 2}]}
