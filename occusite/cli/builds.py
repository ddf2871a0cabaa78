"""Kernels of builds answered, for the commands that compare and check them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from occusite.cli import asked
from occusite.cli.parser import option

if TYPE_CHECKING:
    from occusite.questions.kernels import Answers, KernelAnswer

Threads = Annotated[
    str | None,
    option(
        "--threads", "-t", metavar="N", help="Threads per block, or a shape like 32x8, where a report does not say."
    ),
]
DynamicShared = Annotated[
    str | None,
    option("--dynamic-shared", "-s", metavar="BYTES", help="Dynamic shared memory, where a report does not say."),
]
Device = Annotated[
    str | None, option("--device", "-d", metavar="NAME", help="The GPU.  [default: each kernel's architecture]")
]
Architecture = Annotated[
    str, option("--architecture", metavar="sm_NN", help="For kernels whose report names none, like sm_90.")
]


def answers(threads: str | None, dynamic_shared: str | None, device: str | None) -> Answers:
    """What answers the kernels. Raises `ValueError` for an option that is not allowed."""
    from occusite.model.checks import integer
    from occusite.model.fields import block, size
    from occusite.questions.kernels import Answers

    each = None if threads is None else integer("threads", block("threads", threads, "threads"), 1, 1024)
    dynamic = None if dynamic_shared is None else size("dynamic_shared", dynamic_shared)
    return Answers(None if device is None else asked.device(device), each, dynamic)


def rows(path: str, answers: Answers, architecture: str) -> list[KernelAnswer]:
    """The kernels of one report, answered. Raises `ValueError` that names the report where it cannot be read."""
    from pathlib import Path

    from occusite import reports

    if not path:
        raise ValueError("'': an empty path; give a file, a folder, or - for the standard input")
    try:
        return [
            answers.row(report)
            for report in reports.read(sys.stdin.buffer.read() if path == "-" else Path(path), architecture)
        ]
    except reports.ReportError as error:
        raise ValueError(f"{path}: {error}") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
