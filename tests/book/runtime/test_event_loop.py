"""Coroutines run to their end without a thread: order, results, errors, what is left behind."""

from __future__ import annotations

import asyncio
import time
from asyncio import events

import pytest

from occusite.book.runtime import event_loop


def test_tasks_take_turns_by_their_timers_and_the_result_comes_back() -> None:
    order: list[str] = []

    async def told(name: str, after: float) -> str:
        await asyncio.sleep(after)
        order.append(name)
        return name

    async def main() -> list[str]:
        return await asyncio.gather(told("late", 0.02), told("soon", 0.01), told("now", 0))

    assert event_loop.run(main()) == ["late", "soon", "now"]
    assert order == ["now", "soon", "late"]


def test_it_sleeps_by_time_sleep_which_stop_can_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    with pytest.raises(KeyboardInterrupt):
        event_loop.run(asyncio.sleep(100))


def test_an_error_is_the_callers_and_left_tasks_are_cancelled() -> None:
    ended = []

    async def endless() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            ended.append("cancelled")

    async def main() -> None:
        task = asyncio.create_task(endless())
        await asyncio.sleep(0)
        raise LookupError(task.get_name())

    with pytest.raises(LookupError):
        event_loop.run(main())
    assert ended == ["cancelled"]


def test_waiting_for_nothing_is_said() -> None:
    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="nothing here will bring about"):
        event_loop.run(main())


def test_a_function_for_a_thread_runs_at_once() -> None:
    async def main() -> int:
        return await asyncio.to_thread(sum, [1, 2])

    assert event_loop.run(main()) == 3


def test_a_loop_that_counts_as_running_goes_on_afterwards() -> None:
    outer = event_loop.Loop()
    events._set_running_loop(outer)
    try:
        assert event_loop.run(asyncio.sleep(0, "done")) == "done"
        assert events._get_running_loop() is outer
    finally:
        events._set_running_loop(None)
        outer.close()


def test_only_coroutines() -> None:
    with pytest.raises(ValueError, match="a coroutine was expected, got 3"):
        event_loop.run(3)  # type: ignore[arg-type]
