"""Commands of `occusite` with what they print, as the pages show them."""

from __future__ import annotations

import shlex
from html import escape


def command(line: str, stdin: str = "") -> str:
    """What `occusite …` prints, piped: runs the command line in this process. Raises `ValueError` for an exit with 2."""
    from click.testing import CliRunner

    from occusite.cli.app import app

    program, *arguments = shlex.split(line)
    if program != "occusite":
        raise ValueError(f"command: {program!r} is not allowed; give occusite and its arguments")
    result = CliRunner().invoke(
        app, arguments, input=stdin, prog_name="occusite", env={"FORCE_COLOR": "", "COLUMNS": "76"}
    )
    if result.exit_code not in (0, 1):
        raise ValueError(f"{line}\n{result.output}{result.stderr}")
    return str(result.stdout)


def command_html(line: str, stdin: str = "") -> str:
    """A command and what it prints, as a page shows it."""
    typed = f"\n{stdin.strip()}" if stdin.strip() else ""
    prompt = f'<span class="occ-cli-prompt">$ </span>{escape(line)}{escape(typed)}'
    return (
        f'<div class="occ-cli"><pre class="occ-cli-line" tabindex="0"><code>{prompt}</code></pre>'
        f'<pre class="occ-out occ-out--text" tabindex="0">{escape(command(line, stdin).rstrip())}</pre></div>'
    )
