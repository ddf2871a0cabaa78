"""Commands made from functions: their parameters, their help, and mistakes in the words."""

from __future__ import annotations

from typing import Annotated

import click
import pytest
from click.testing import CliRunner

from occusite.cli import app, parser

SEEN: list[tuple[object, ...]] = []


def probe(
    words: Annotated[list[str], parser.Argument("WORD...", "What to probe.", True, "a word")],
    count: Annotated[str | None, parser.option("--count", "-n", metavar="N", help="How many.")] = None,
    loud: Annotated[bool, parser.option("--loud", help="Whether aloud.")] = False,
    kind: Annotated[bool | None, parser.option("--kind/--no-kind", help="Whether kindly.")] = None,
) -> None:
    """Probe the words.

    More about it.
    """
    SEEN.append((words, count, loud, kind))
    if "bad" in words:
        raise ValueError("words: 'bad' is not allowed")


def ask(*words: str) -> tuple[int, str, str]:
    SEEN.clear()
    group = parser.Group({})
    group.modules["probe"] = "probe"
    group.get_command = lambda context, name: parser.command("probe", probe)  # type: ignore[method-assign]
    found = CliRunner().invoke(group, ["probe", *words], prog_name="occusite")
    return found.exit_code, found.stdout, found.stderr


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["a"], (("a",), None, False, None)),
        (["a", "b", "-n", "3", "--loud"], (("a", "b"), "3", True, None)),
        (["--count", "many", "a", "--kind"], (("a",), "many", False, True)),
        (["a", "--no-kind"], (("a",), None, False, False)),
    ],
)
def test_parameters_reach_the_function_as_text(words: list[str], wanted: tuple[object, ...]) -> None:
    assert ask(*words)[0] == 0
    assert [wanted] == SEEN


def test_help_lists_arguments_and_options() -> None:
    code, text, _ = ask("--help")
    assert code == 0
    for part in ("Probe the words.", "Arguments:", "WORD...  What to probe.", "-n, --count N", "--kind / --no-kind"):
        assert part in text, text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bad"], "Error: words: 'bad' is not allowed\n"),
        ([], "Error: WORD: missing; give a word. See occusite probe --help\n"),
        (
            ["a", "--cuont", "3"],
            "Error: --cuont: occusite probe has no such option; did you mean --count? See occusite probe --help\n",
        ),
        (["a", "-n"], "Error: -n: give a value after it. See occusite probe --help\n"),
    ],
)
def test_a_mistake_is_a_line_and_2(words: list[str], said: str) -> None:
    assert ask(*words) == (2, "", said)


def test_each_command_has_its_module_and_says_what_it_does() -> None:
    context = click.Context(app.app)
    for name in app.COMMANDS:
        made = app.app.get_command(context, name)
        assert isinstance(made, parser.Command)
        assert made.help
        assert all(p.help for p in made.params if isinstance(p, click.Option))
