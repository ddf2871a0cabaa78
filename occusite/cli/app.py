"""The commands put together, with the version and the script of shell completion."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import get_completion_class

from occusite.cli.parser import Exit, Group

# Each command's module in this room, in the order of the help.
COMMANDS = {
    "occupancy": "occupancy",
    "explain": "explain",
    "sweep": "sweep",
    "block-size": "block_size",
    "why": "why",
    "grid": "grid",
    "shared": "shared",
    "stack": "stack",
    "warp-groups": "warp_groups",
    "read": "read",
    "diff": "diff",
    "check": "check",
    "devices": "devices",
}
ABOUT = "Exact GPU occupancy: how many blocks of a kernel are resident, what limits them, and what would change it."
EPILOG = "Exit codes: 0 answered; 1 the launch cannot run, or a check fails; 2 bad input. Every command prints JSON with --json."
SHELLS = ("bash", "zsh", "fish")


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from occusite import __version__, nvidia

        click.echo(f"occusite {__version__}; NVIDIA rules of cuda_occupancy.h {nvidia.HEADER}")
        raise Exit(0)


def _completion(context: click.Context, parameter: click.Parameter, shell: str | None) -> None:
    if shell is None:
        return
    made = get_completion_class(shell)
    if shell not in SHELLS or made is None:
        click.echo(f"Error: show-completion: {shell!r} is not allowed; give one of {', '.join(SHELLS)}", err=True)
        raise Exit(2)
    click.echo(made(app, {}, "occusite", "_OCCUSITE_COMPLETE").source())
    raise Exit(0)


def _eager(name: str, told: Any, **settings: Any) -> click.Option:
    return click.Option([name], callback=told, is_eager=True, expose_value=False, **settings)


app = Group(
    COMMANDS,
    name="occusite",
    help=ABOUT,
    epilog=EPILOG,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    params=[
        _eager("--version", _version, is_flag=True, help="The version and its rule set."),
        _eager(
            *("--show-completion", _completion),
            metavar="SHELL",
            help=f"The script that makes a shell complete commands, options and devices: {', '.join(SHELLS)}.",
        ),
    ],
)


def run() -> None:
    """The command line of this process."""
    app.main(prog_name="occusite")
