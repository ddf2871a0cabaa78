"""What the tests of the scripts share: a script as a module, a port that is taken, and waiting for a process."""

from __future__ import annotations

import contextlib
import importlib.util
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name: str) -> ModuleType:
    """A module of scripts/, by path: `test` is also the name of a package of Python's own."""
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", SCRIPTS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def somebody() -> Iterator[int]:
    """A port that another program holds."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


def until(happened: Callable[[], bool], what: str, seconds: float = 90) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.1)
