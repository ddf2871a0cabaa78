"""Hints: one sentence for errors that only the browser's Python makes, none for the reader's own."""

from __future__ import annotations

import http.client
from collections.abc import Callable

import pytest

from occusite.book.runtime.hints import hint


def raised(act: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as caught:
        act()
    return caught.value


def test_a_package_is_not_in_the_page() -> None:
    told = hint(raised(lambda: __import__("occ_numpy.linalg")))
    assert told.startswith("occ_numpy is not in this page: ") and "as a notebook" in told


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'occusite.nothing'", name="occusite.nothing"),
        ModuleNotFoundError("No module named 'json.nothing'", name="json.nothing"),
        ModuleNotFoundError("mine"),
        RuntimeError("mine"),
        OSError("mine"),
        KeyError("numpy"),
    ],
)
def test_other_errors_speak_for_themselves(error: Exception) -> None:
    assert hint(error) == ""


def test_threads_and_the_network() -> None:
    assert "no threads" in hint(RuntimeError("can't start new thread"))
    closed = http.client.HTTPConnection("127.0.0.1", 9, timeout=1)
    assert "reaches no network" in hint(raised(lambda: closed.request("GET", "/")))
