"""Commands made from functions: an option or argument for each annotated parameter; mistakes are told in a line."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import click
from click.exceptions import Exit, NoArgsIsHelpError
from click.shell_completion import CompletionItem

__all__ = ["Argument", "Command", "Exit", "Group", "Option", "command", "option"]


class Option(NamedTuple):
    """An option: its `names`, ("--on/--off",) for a pair; what stands for its value; what completes what was begun."""

    names: tuple[str, ...]
    metavar: str = ""
    help: str = ""
    complete: Callable[[str], list[str]] | None = None


class Argument(NamedTuple):
    """The words of a command beside its options, as many as there are; `example` where one is `required`."""

    metavar: str
    help: str
    required: bool = False
    example: str = ""


def option(
    *names: str, metavar: str = "", help: str = "", complete: Callable[[str], list[str]] | None = None
) -> Option:
    """An option, for `Annotated`: of a bool a flag, else of text that the command itself reads."""
    return Option(names, metavar, help, complete)


def command(name: str, function: Callable[..., None]) -> Command:
    """The command that calls `function`, whose parameters are `Annotated` with an `Option` or `Argument`."""
    parameters: list[click.Parameter] = []
    arguments: list[Argument] = []
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        kind, mark = parameter.annotation.__origin__, parameter.annotation.__metadata__[0]
        if isinstance(mark, Argument):
            arguments.append(mark)
            parameters.append(
                click.Argument([parameter.name], nargs=-1, required=mark.required, metavar=mark.metavar, type=str)
            )
        else:
            parameters.append(_option(parameter, kind, mark))
    text = inspect.cleandoc(function.__doc__ or "")
    return Command(name, arguments, params=parameters, callback=function, help=text)


def _option(parameter: inspect.Parameter, kind: Any, mark: Option) -> click.Option:
    flag = kind in (bool, bool | None)
    complete = mark.complete

    def completed(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in complete(begun)] if complete else []

    return click.Option(
        [*mark.names, parameter.name],
        is_flag=flag,
        default=parameter.default,
        type=None if flag else str,
        metavar=mark.metavar or None,
        help=mark.help,
        shell_complete=completed if complete else None,
    )


class Command(click.Command):
    """A command whose help lists its arguments, and which tells a mistake in its input in a line."""

    def __init__(self, name: str, arguments: list[Argument], **settings: Any) -> None:
        super().__init__(name, **settings)
        self.arguments = arguments

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        if self.arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(a.metavar, a.help) for a in self.arguments])
        super().format_options(context, formatter)

    def parse_args(self, context: click.Context, words: list[str]) -> list[str]:
        try:
            return super().parse_args(context, words)
        except click.UsageError as error:
            # Not every mistake of the parser says in which command it was made.
            error.ctx = error.ctx or context
            raise

    def invoke(self, context: click.Context) -> Any:
        try:
            super().invoke(context)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python flushes the standard output once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise Exit(141) from None
        except (ValueError, OSError) as error:
            click.echo(f"Error: {error}", err=True)
            raise Exit(2) from None


class Group(click.Group):
    """Commands of `modules`, by name, each imported when it is asked for: a function of the module's own name."""

    def __init__(self, modules: dict[str, str], **settings: Any) -> None:
        super().__init__(**settings)
        self.modules = modules

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.modules)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        from importlib import import_module

        if name not in self.modules:
            return None
        module = self.modules[name]
        return command(name, getattr(import_module(f"occusite.cli.{module}"), module))

    def main(self, args: Any = None, prog_name: Any = None, *rest: Any, **settings: Any) -> Any:
        """The command line; ends the process with its exit code."""
        settings["standalone_mode"] = False
        try:
            code = super().main(args, prog_name, *rest, **settings)
        except NoArgsIsHelpError as error:
            error.show()
            code = 2
        except click.UsageError as error:
            click.echo(f"Error: {words(error)}", err=True)
            code = 2
        except click.Abort:
            code = 130
        sys.exit(code if isinstance(code, int) else 0)


def words(error: click.UsageError) -> str:
    """A mistake in the words themselves, in plain words, with the way to the command's help."""
    context = error.ctx
    path = context.command_path if context else "occusite"
    told = error.format_message()
    if isinstance(error, click.NoSuchOption):
        near = _near(error.option_name, _names(context))
        told = f"{error.option_name}: {path} has no such option{near}"
    elif isinstance(error, click.exceptions.NoSuchCommand):
        asked = error.command_name
        told = f"{asked}: no such command{_near(asked, context.command.list_commands(context) if context else [])}"  # type: ignore[attr-defined]
    elif isinstance(error, click.BadOptionUsage):
        told = f"{error.option_name}: give a value after it"
    elif isinstance(error, click.MissingParameter) and context and isinstance(context.command, Command):
        told = "; ".join(f"{a.metavar.rstrip('.')}: missing; give {a.example}" for a in context.command.arguments)
    elif extra := re.match(r"Got unexpected extra arguments? \((.*)\)", told):
        told = f"{extra[1]}: not understood here; options begin with --"
    return f"{told}{'' if told.endswith('?') else '.'} See {path} --help"


def _names(context: click.Context | None) -> list[str]:
    return [name for p in (context.command.params if context else []) for name in (*p.opts, *p.secondary_opts)]


def _near(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, 2)
    return f"; did you mean {' or '.join(near)}?" if near else ""
