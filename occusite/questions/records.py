"""Answers as plain data: what `--json` prints, what each line of `--jsonl` says, and what a page copies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from occusite.model.answer import Occupancy
from occusite.model.fields import changed
from occusite.model.records import SCHEMA, question, record

if TYPE_CHECKING:
    from occusite.questions.grid import Waves

__all__ = ["SCHEMA", "Lines", "as_command", "as_python", "clusters", "question", "record", "waves"]


def waves(found: Waves) -> dict[str, Any]:
    """Waves and tail as plain data."""
    return {**found._asdict(), "busy_cores": found.busy_cores, "efficiency": float(found.efficiency)}


def clusters(answer: Occupancy) -> dict[str, Any] | None:
    """What is known of a launch's clusters, an upper bound; None for a launch without clusters, or that cannot run."""
    ask = getattr(answer.device, "clusters", None)
    if ask is None or not answer.runs or answer.launch.cluster == 1:
        return None
    made: dict[str, Any] = ask(answer.launch)._asdict()
    return made


class Lines:
    """Writes an answer as one line of JSON, as `json.dumps(record(answer))` would, several times faster."""

    def __init__(self) -> None:
        self._limiters: dict[tuple[str, ...], str] = {}

    def line(self, answer: Occupancy) -> str:
        """The line, with its end."""
        limiters = self._limiters.get(answer.limiters)
        if limiters is None:
            limiters = self._limiters[answer.limiters] = json.dumps(answer.limiters)
        reason = f', "reason": {json.dumps(answer.reason)}' if answer.causes else ""
        blocks, warps, slots = answer.blocks, answer.warps, answer.slots
        share = repr(warps / slots) if blocks else "null"
        limits = ", ".join(
            [
                f'"{key}": {{"blocks": {_number(limit[0])}, "warps": {_number(limit[1])}}}'
                for key, limit in answer.limits.items()
            ]
        )
        allocated = ", ".join([f'"{key}": {value}' for key, value in answer.allocated.items()])
        return (
            f'{{"blocks": {blocks}, "warps": {warps}, "slots": {slots}, "occupancy": {share}, '
            f'"limits": {{{limits}}}, "limiters": {limiters}, "allocated": {{{allocated}}}{reason}}}\n'
        )


def _number(value: int | None) -> int | str:
    return "null" if value is None else value


def as_python(answer: Occupancy, device: str) -> str:
    """The program that asks this question; `device`: the name under which `devices.find` knows the device."""
    kind = answer.device.launch_type
    package = kind.__module__.removesuffix(".launch")
    arguments = ", ".join(f"{name}={value!r}" for name, value in changed(answer.launch).items())
    return f"from occusite import occupancy\nfrom {package} import Launch\n\nprint(occupancy({device!r}, Launch({arguments})))\n"


def as_command(answer: Occupancy, device: str) -> str:
    """The command line that asks this question."""
    words = []
    for name, value in changed(answer.launch).items():
        option = name.replace("_", "-")
        words.append(f"--{'' if value else 'no-'}{option}" if isinstance(value, bool) else f"--{option} {value}")
    return " ".join([f'occusite occupancy --device "{device}"', *words])
