"""What only the browser's Python needs, tried here with stand-ins for the page."""

from __future__ import annotations

import asyncio
import builtins
import importlib
import random
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from occusite.book import widgets
from occusite.book.runtime import interpreter


@pytest.fixture
def unchanged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts back what `install` replaces."""
    monkeypatch.setattr(time, "sleep", time.sleep)
    monkeypatch.setattr(builtins, "input", builtins.input)
    monkeypatch.setattr(asyncio, "run", asyncio.run)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield


def whole(*modules: str) -> Callable[[str], bool]:
    """Writes a library that holds `modules`."""

    def fetch(path: str) -> bool:
        with zipfile.ZipFile(path, "w") as archive:
            for name in modules:
                archive.writestr(f"{name}.py", f"NAME = {name!r}")
        return True

    return fetch


def test_a_missing_module_brings_the_whole_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library.zip"
    whole("occ_trimmed")(str(library))
    finder = interpreter.RestOfLibrary(frozenset({"occ_rest"}), whole("occ_trimmed", "occ_rest"), str(library))
    monkeypatch.syspath_prepend(str(library))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    assert importlib.import_module("occ_trimmed").NAME == "occ_trimmed"
    assert importlib.import_module("occ_rest").NAME == "occ_rest"
    assert finder.names == frozenset()


def test_other_missing_modules_fetch_nothing() -> None:
    def fetch(path: str) -> bool:
        raise AssertionError("fetched")

    finder = interpreter.RestOfLibrary(frozenset({"occ_rest"}), fetch)
    assert finder.find_spec("numpy") is None


def test_a_failed_fetch_says_so_and_may_be_tried_again() -> None:
    finder = interpreter.RestOfLibrary(frozenset({"occ_rest"}), lambda path: False)
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="could not be loaded; try again"):
            finder.find_spec("occ_rest")


def test_sleep_waits_and_can_be_stopped(unchanged: None) -> None:
    waited: list[float] = []

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        return seconds > 5

    interpreter.install("", whole(), wait)
    time.sleep(1)
    with pytest.raises(KeyboardInterrupt):
        time.sleep(10)
    with pytest.raises(ValueError, match="non-negative"):
        time.sleep(-1)
    assert waited == [1.0, 10.0]


def test_input_says_that_nothing_can_be_typed(unchanged: None) -> None:
    interpreter.install("", whole(), lambda seconds: False)
    with pytest.raises(EOFError, match="write the value into the code"):
        input("name?")


def test_random_numbers_do_not_repeat_those_of_the_snapshot(unchanged: None) -> None:
    state = random.getstate()
    interpreter.install("", whole(), lambda seconds: False)
    assert random.getstate() != state


def test_warm_loads_every_widget() -> None:

    interpreter.warm()
    assert all(f"occusite.book.widgets.{name}" in sys.modules for name in widgets.names())


def test_asyncio_runs_without_a_thread_or_a_network(unchanged: None) -> None:
    interpreter.install("", lambda path: False, lambda seconds: False)
    assert asyncio.run(asyncio.sleep(0.01, "done")) == "done"
