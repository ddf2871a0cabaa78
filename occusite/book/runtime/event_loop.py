"""Runs coroutines to their end in the browser, where no thread and no network wait: time is all that an `await` waits for."""

from __future__ import annotations

import asyncio
import time
from asyncio import events
from collections.abc import Callable, Coroutine
from typing import Any


class Loop(asyncio.BaseEventLoop):
    """An event loop that sleeps until its next timer; `time.sleep` is what Stop can end."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self

    def select(self, timeout: float | None) -> list[Any]:
        """Wait for the next timer. Raises `RuntimeError` where there is none: nothing would ever happen."""
        if timeout is None:
            raise RuntimeError("everything waits for something that nothing here will bring about")
        if timeout > 0:
            time.sleep(timeout)
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none but timers."""

    def _write_to_self(self) -> None:
        """Nobody else runs who would have to be woken."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """Call the function at once: there are no threads."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


def run(main: Coroutine[Any, Any, Any], *, debug: bool | None = None, loop_factory: Any = None) -> Any:
    """`asyncio.run`: run a coroutine and return its result. Tasks it leaves behind are cancelled."""
    if not asyncio.iscoroutine(main):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    # The browser's own loop counts as running; it cannot go on before this returns.
    outer = events._get_running_loop()
    events._set_running_loop(None)
    loop = Loop()
    loop.set_debug(bool(debug))
    try:
        return loop.run_until_complete(main)
    finally:
        try:
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            if left:
                loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()
            events._set_running_loop(outer)
