"""What only the browser's Python needs: the rest of the library on demand, a sleep that Stop can end, no typed input,
an `asyncio.run` that returns."""

from __future__ import annotations

import asyncio
import builtins
import importlib
import random
import sys
import time
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from occusite.book.runtime import event_loop

LIBRARY = f"/lib/python{sys.version_info[0]}{sys.version_info[1]}.zip"


class RestOfLibrary:
    """Finds standard modules that the trimmed library lacks: the first miss puts the whole library in its place.

    `names` are the modules it lacks; `fetch(path)` writes the whole library there and says whether it could.
    """

    def __init__(self, names: frozenset[str], fetch: Callable[[str], bool], library: str = LIBRARY) -> None:
        self.names, self.fetch, self.library = names, fetch, library

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.names:
            return None
        if not self.fetch(self.library):
            raise ModuleNotFoundError(
                f"{name!r} is in the part of Python that could not be loaded; try again", name=name
            )
        self.names = frozenset()
        importlib.invalidate_caches()
        return PathFinder.find_spec(name, path, target)


def warm() -> ModuleType:
    """Import what the pages call, so that it is in the snapshot; return `occusite.book.runtime.api`."""
    from occusite.book import widgets
    from occusite.book.runtime import api

    for name in widgets.names():
        widgets.load(name)
    return api


def install(rest: str, fetch: Callable[[str], bool], wait: Callable[[float], bool]) -> None:
    """Fit a fresh interpreter to the page, after every boot.

    `rest`: the modules the trimmed library lacks, one a line. `fetch`: see `RestOfLibrary`. `wait` waits so many
    seconds and says whether Stop was pressed meanwhile.
    """
    sys.meta_path.append(RestOfLibrary(frozenset(rest.split()), fetch))

    def sleep(seconds: float) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        if wait(float(seconds)):
            raise KeyboardInterrupt

    def no_input(prompt: object = "") -> Any:
        raise EOFError("nothing can be typed here while the cell runs; write the value into the code")

    time.sleep = sleep  # type: ignore[assignment]
    asyncio.run = event_loop.run
    builtins.input = no_input
    # A restored interpreter would otherwise repeat the numbers of the one it was taken from.
    random.seed()
