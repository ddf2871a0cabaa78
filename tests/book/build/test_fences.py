"""Fences and inline values, rendered by Markdown as the site's configuration has them; an error in one fails the build."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import markdown
import pytest
from mkdocs.config import load_config
from pymdownx.inlinehilite import InlineHiliteException
from pymdownx.superfences import SuperFencesException

from occusite.book.content.values import on_paper

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def settings() -> tuple[list[str], dict[str, dict[str, object]]]:
    """The Markdown extensions of mkdocs.yml; `toc` is the builder's own."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    return list(config["markdown_extensions"]), dict(config["mdx_configs"])


@pytest.fixture
def render(settings: tuple[list[str], dict[str, dict[str, object]]], monkeypatch: pytest.MonkeyPatch):
    """Markdown to HTML; calls within a test share one page."""
    monkeypatch.chdir(ROOT)
    extensions, configs = settings
    page = markdown.Markdown(extensions=extensions, extension_configs=configs)
    return page.convert


def told(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_a_cell_shows_its_code_and_what_it_printed(render) -> None:
    html = render("```cell\nprint('<6>', 6 * 7)\n```")
    assert 'class="occ-cell" data-cell="1" data-expect=""' in html
    source = re.search(r'<template class="occ-cell-code">(.*?)</template>', html)
    assert source and json.loads(source[1]) == "print('<6>', 6 * 7)" and "<6>" not in source[1]
    assert '<pre class="occ-out occ-out--text" tabindex="0">&lt;6&gt; 42\n</pre>' in html


def test_the_cells_of_a_page_share_their_names_and_count_up(render) -> None:
    html = render("```cell\nx = 5\n```\n\ntext\n\n```cell\nx + 1\n```")
    assert 'data-cell="2"' in html and ">6\n</pre>" in html


def test_a_hidden_cell_runs_unseen(render) -> None:
    html = render('```cell hidden="true"\nx = 5\n```\n\n```cell\nx\n```')
    assert re.search(r'data-cell="1" data-expect="" hidden', html) and ">5\n</pre>" in html


def test_an_error_a_cell_announces_is_shown(render) -> None:
    html = render('```cell expect="ZeroDivisionError"\n1 / 0\n```')
    assert 'data-expect="ZeroDivisionError"' in html and "ZeroDivisionError: division by zero" in html


@pytest.mark.parametrize(
    ("fence", "said"),
    [
        ("```cell\n1 / 0\n```", "the cell was to raise nothing, but"),
        ('```cell expect="KeyError"\n1 / 0\n```', "the cell was to raise KeyError, but"),
        ('```cell expect="KeyError"\nx = 1\n```', "it raised nothing"),
        ("```widget\nnosuch\n```", "widget: 'nosuch' is not allowed; give one of build_log, calculator"),
        ("```widget\ncalculator\nspeed = 3\n```", "control: 'speed' is not allowed"),
        ("```widget\ncalculator\nthreads = 5000\n```", "threads: 5000 is not allowed; give a whole number, 32–1024"),
        ("```table\nnosuch()\n```", "name 'nosuch' is not defined"),
        ("```table\n1 + 1\n```", "table: 1 + 1 gave int, not a Table"),
        ("```chart\n1 + 1\n```", "chart: 1 + 1 gave int, not a Chart"),
        ("```exercise\nnosuch\n```", "exercise: 'nosuch' is not allowed"),
    ],
)
def test_an_error_in_a_fence_fails_the_build(render, fence: str, said: str) -> None:
    with pytest.raises(SuperFencesException, match=re.escape(said)):
        render(fence)


def test_a_widget_takes_first_values(render) -> None:
    html = render("```widget\ncalculator\nregisters = 64\n```")
    assert re.search(r'name="registers"[^>]* value="64"', html) and 'id="w1-calculator"' in html
    again = render("```widget\ncalculator\n```")
    assert 'id="w2-calculator"' in again and re.search(r'name="registers"[^>]* value="32"', again)


def test_a_table_and_its_caption(render) -> None:
    html = render("```table\ncompare((256, 64, 12))\ncaption: One launch\n```")
    assert "<caption>One launch</caption>" in html and "<td" in html


def test_a_chart_and_its_words(render) -> None:
    html = render("```chart\npaper_cliffs(256, 12)\ncaption: The steps\nalt: A staircase\n```")
    assert "<figcaption>The steps</figcaption>" in html and 'aria-label="A staircase"' in html
    assert html.count("<svg") == 2 and '<template class="occ-spec">' in html


def test_math_is_mathml(render) -> None:
    html = render("```math\n\\frac{a}{b}\n```\n\nand `#!m x^2`")
    assert html.count("<math") == 2 and "<mfrac>" in html and "<msup>" in html


def test_inline_values_are_computed(render) -> None:
    assert '<span class="occ-v">32</span>' in render("`#!v on_paper(256, 64, 12).warps` warps")
    assert "occ-budget--registers" in render("`#!v limiter(on_paper(256, 64, 12))`")
    assert told(render("`#!v 2 < 3` and `#!v '<b>'`")) == "True and <b>"


def test_budgets_in_prose(render) -> None:
    html = render("`#!b registers` and `#!b memory Shared memory`")
    assert told(html) == "registers and Shared memory" and "occ-budget--memory" in html


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`#!v nosuch`", "name 'nosuch' is not defined"),
        ("`#!v on_paper(0, 64)`", "threads: 0 is not allowed"),
        ("`#!b gold`", "budget: 'gold' is not allowed"),
        ("`#!cite nosuch`", "nosuch"),
        ("`#!t nosuch`", "nosuch"),
    ],
)
def test_an_unknown_name_in_prose_fails_the_build(render, text: str, said: str) -> None:
    with pytest.raises(InlineHiliteException, match=re.escape(said)):
        render(text)


def test_a_prediction_is_judged_by_the_packages_number(render) -> None:
    html = render("```predict\nquestion: How many?\nanswer: on_paper(256, 64, 12).warps\nunit: warps\nbecause: so\n```")
    data = re.search(r'<template class="occ-exercise-data">(.*?)</template>', html)
    assert data
    right = [o for o in json.loads(data[1])["blanks"][0]["outcomes"] if o["right"]]
    warps = on_paper(256, 64, 12).warps
    assert right and all(o["low"] <= warps <= o["high"] for o in right)


def test_a_fence_in_another_language_stays_code(render) -> None:
    html = render("```python\nprint(1)\n```")
    assert "occ-cell" not in html and "<code>" in html
