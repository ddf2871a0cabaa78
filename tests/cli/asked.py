"""How the tests of single commands ask: the command line in this process, its output plain or parsed."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner

from occusite.cli.app import app


def run(*arguments: str, code: int = 0, stdin: bytes | str | None = None) -> str:
    """What the command prints, on the error stream where it ends with 2."""
    found = CliRunner().invoke(app, list(arguments), input=stdin, env={"FORCE_COLOR": ""}, prog_name="occusite")
    assert found.exit_code == code, found.output + found.stderr
    return found.stdout if code != 2 else found.stderr


def parsed(*arguments: str, code: int = 0, stdin: bytes | str | None = None) -> Any:
    """What the command prints as JSON."""
    return json.loads(run(*arguments, "--json", code=code, stdin=stdin))
