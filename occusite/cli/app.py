"""The commands put together, with what they share: plain help when piped, errors on one line, exit codes."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from occusite.cli import block_size, devices, explain, occupancy, read, sweep
from occusite.cli.output import in_terminal

EPILOG = "Exit codes: 0 answered; 1 the launch cannot run; 2 bad input. Every command prints JSON with --json."

app = typer.Typer(
    name="occusite",
    help="Exact GPU occupancy: how many blocks of a kernel are resident, what limits them, and what would change it.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _add(name: str, command: Callable[..., None]) -> None:
    """The command, with a mistake in its input told in a line."""

    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python flushes the standard output once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(141) from None
        except (ValueError, OSError) as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(2) from None

    app.command(name)(guarded)


def _version(wanted: bool) -> None:
    if wanted:
        from occusite import __version__, nvidia

        typer.echo(f"occusite {__version__}; NVIDIA rules of cuda_occupancy.h {nvidia.HEADER}")
        raise typer.Exit


@app.callback()
def everywhere(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="The version and its rule set."
    ),
) -> None:
    """Exact GPU occupancy: how many blocks of a kernel are resident, what limits them, and what would change it."""


def run() -> None:
    """The command line of this process."""
    app.rich_markup_mode = "rich" if in_terminal() else None
    app(prog_name="occusite")


_add("occupancy", occupancy.occupancy)
_add("explain", explain.explain)
_add("sweep", sweep.sweep)
_add("block-size", block_size.block_size)
_add("read", read.read)
_add("devices", devices.devices)
