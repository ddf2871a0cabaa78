"""Widgets: controls check what they are given, every view holds at the edges of its controls, the HTML names all."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite.book import widgets
from occusite.book.parts import widget
from occusite.book.parts.charts import Chart
from occusite.book.parts.widget import Choice, Number, Paste, Slider, View, Widget
from occusite.book.runtime import api

NAMES = widgets.names()
SLIDER = Slider("threads", "Threads per block", 32, 1024, 32, 256, "threads")
CHOICE = Choice("rule", "Rule", {"paper": "paper rule", "exact": "exact rule"}, "exact")


@pytest.mark.parametrize("value", [32, "32", 1024, 33])
def test_a_slider_takes_whole_numbers_in_its_range(value: object) -> None:
    assert SLIDER.parse(value) == int(str(value))


@pytest.mark.parametrize("value", [31, 1025, "-1", "", "many", None, 32.0, True])
def test_a_slider_refuses_the_rest(value: object) -> None:
    with pytest.raises(ValueError, match=r"threads: .* is not allowed; give a whole number, 32–1024 threads"):
        SLIDER.parse(value)


@pytest.mark.parametrize("value", ["", "Paper", None, 1])
def test_a_choice_refuses_what_it_does_not_offer(value: object) -> None:
    with pytest.raises(ValueError, match=r"rule: .* is not allowed; give one of paper, exact"):
        CHOICE.parse(value)


def test_a_paste_has_a_limit() -> None:
    box = Paste("log", "Log", "", longest=3)
    assert box.parse("abc") == "abc"
    with pytest.raises(ValueError, match="log: 4 characters are not allowed; give at most 3"):
        box.parse("abcd")


def test_an_unknown_control_and_an_unknown_widget() -> None:
    made = Widget("A widget", (SLIDER,), lambda threads: View(str(threads)))
    assert made.parse({}) == {"threads": 256}
    with pytest.raises(ValueError, match="control: 'speed' is not allowed; give one of threads"):
        made.parse({"speed": 1})
    with pytest.raises(ValueError, match="widget: 'nosuch' is not allowed; give one of "):
        widgets.load("nosuch")


@pytest.mark.parametrize("name", NAMES)
def test_html_has_every_control_with_its_label_and_every_part(name: str) -> None:
    found = widgets.load(name)
    html = widget.render(widgets.load(name), name, {}, lambda chart: "<svg></svg>", "w1")
    view = found.view(**found.parse({}))
    for control in found.controls:
        ident = f"w1-{control.name}"
        assert f'name="{control.name}"' in html
        assert f'for="{ident}"' in html or f"<legend>{control.label}</legend>" in html
    assert re.findall(r'data-part="([^"]+)"', html) == list(view.parts)
    assert view.status in html and f'data-widget="{name}"' in html
    for part in view.parts.values():
        if isinstance(part, Chart):
            assert part.json() in html
    assert len(set(re.findall(r' id="([^"]+)"', html))) == len(re.findall(r' id="([^"]+)"', html))


@pytest.mark.parametrize("name", NAMES)
def test_first_values_lie_on_the_controls_own_steps(name: str) -> None:
    for control in widgets.load(name).controls:
        if isinstance(control, Slider) and not isinstance(control, Number):
            assert (control.default - control.low) % control.step == 0
        assert control.parse(control.default) == control.default


@pytest.mark.parametrize("name", NAMES)
def test_presets_are_values_the_controls_take(name: str) -> None:
    found = widgets.load(name)
    for values in found.presets().values():
        assert found.parse(values)


def edges(name: str) -> st.SearchStrategy[dict[str, object]]:
    """Values of a widget's controls, its edges among them."""
    strategies: dict[str, st.SearchStrategy[object]] = {}
    for control in widgets.load(name).controls:
        if isinstance(control, Slider):
            last = control.high - (control.high - control.low) % control.step
            strategies[control.name] = st.sampled_from([control.low, last]) | st.integers(
                0, (last - control.low) // control.step
            ).map(lambda i, c=control: c.low + i * c.step)
        elif isinstance(control, Choice):
            strategies[control.name] = st.sampled_from(list(control.options))
        else:
            strategies[control.name] = st.just(control.default) | st.text(max_size=200)
    return st.fixed_dictionaries(strategies)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_every_position_of_the_controls_has_a_view(name: str, data: st.DataObject) -> None:
    values = data.draw(edges(name))
    view = json.loads(api.view(name, json.dumps(values)))
    # A combination may be refused (a GPU without that kernel), but in words that name a control.
    if "error" in view:
        assert any(control in view["error"] for control in values), view["error"]
        return
    first = json.loads(api.view(name, "{}"))
    assert view["status"] and list(view["parts"]) == list(first["parts"])
    for part in view["parts"].values():
        assert part["kind"] == "html" or (part["alt"] and part["spec"]["datasets"])


@pytest.mark.parametrize("name", NAMES)
def test_values_out_of_range_are_an_answer_for_the_page(name: str) -> None:
    control = widgets.load(name).controls[0]
    bad = json.dumps({control.name: "x" * 2_000_001 if isinstance(control, Paste) else "nonsense"})
    assert control.name in json.loads(api.view(name, bad))["error"]


def test_a_view_is_data() -> None:
    assert View("said", {"a": "<p>b</p>"}).data() == {
        "status": "said",
        "parts": {"a": {"kind": "html", "data": "<p>b</p>"}},
    }
