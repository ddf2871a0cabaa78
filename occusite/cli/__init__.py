"""The command line `occusite`: one file a command; needs the extra `cli`, and says so where it is missing.

Exit codes: 0, every question was answered; 1, the launch asked about cannot run, nothing matches, or a kernel
fails its check; 2, bad input, or a report that cannot be read; 130, interrupted; 141, the program reading the output has gone away.
"""

from __future__ import annotations

import sys

MISSING = "occusite: the command line needs click and rich; install them with: pip install 'occusite[cli]'"


def main() -> None:
    """The entry point of `occusite` and `python -m occusite`."""
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ImportError:
        print(MISSING, file=sys.stderr)
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        # A terminal or pipe of a smaller character set gets "?" for ⌊ and ÷, not a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    from occusite.cli.app import run

    run()
