"""Why a launch cannot run, and what alone would let it: each way to the nearest launch that runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from occusite.model.answer import Device, Occupancy
from occusite.model.fields import Field
from occusite.questions.staircase import falling, is_appetite, last_where
from occusite.questions.steps import advice


class Way(NamedTuple):
    """One change that alone is enough: `field` from `before` to `after`, and the answer `then`."""

    field: str
    before: Any
    after: Any
    then: Occupancy


class Refusal(NamedTuple):
    """`ways`: single changes that let the launch run, the least first; `nearest`: the nearest launch that runs.

    Where no single change is enough, `nearest` changes several fields; None where nothing helps.
    """

    ways: tuple[Way, ...]
    nearest: Occupancy | None


def refusal(answer: Occupancy) -> Refusal:
    """What would let a launch run that cannot; why it cannot is `answer.reason`.

    A mode set back to its default costs nothing and comes first; other ways by their share of the field's range.
    Raises `ValueError` for a launch that runs.
    """
    if answer.runs:
        raise ValueError(f"launch: {answer.launch!r} runs; {answer.blocks} blocks are resident")
    device, launch = answer.device, answer.launch
    ways: list[tuple[float, int, Way]] = []
    for field in launch.FIELDS:
        before = getattr(launch, field.name)
        after = _nearest(device, launch, field, before)
        if after != before:
            then = device.occupancy(replace(launch, **{field.name: after}))
            ways.append((_effort(device, field, before, after), len(ways), Way(field.name, before, after, then)))
    ordered = tuple(way for _, _, way in sorted(ways, key=lambda w: w[:2]))
    if ordered:
        return Refusal(ordered, ordered[0].then)
    several = advice(answer).then
    return Refusal((), several if several and several.runs else None)


def _nearest(device: Device, launch: Any, field: Field, before: Any) -> Any:
    """The nearest value of the field with which the launch runs; `before` where there is none."""

    def runs(value: Any) -> bool:
        return device.occupancy(replace(launch, **{field.name: value})).runs

    if not field.whole or field.default is None or before is None:
        return field.default if field.default is not ... and before != field.default and runs(field.default) else before
    low, high = device.range(field)
    if is_appetite(device, launch, field):
        for first, last in reversed(falling(device, launch, field, low, min(before, high))):
            if (value := last_where(runs, first, last)) is not None:
                return value
        return before
    step = device.warp_size if field.default is ... else 1
    top = min(before, high) // step * step
    return next((value for value in range(top, low - 1, -step) if value > 0 and runs(value)), before)


def _effort(device: Device, field: Field, before: Any, after: Any) -> float:
    if not field.whole or before is None or after is None:
        return 0.0
    return float(abs(before - after) / max(device.range(field)[1], 1))
