"""Answers as plain data: what `--json` prints, what each line of `--jsonl` says, and what a page copies."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from occusite.model.answer import Occupancy
from occusite.model.fields import changed

# The version of the records' form: a field that goes or changes its meaning raises it.
SCHEMA = 1


def question(answer: Occupancy) -> dict[str, Any]:
    """The device and the launch an answer is for."""
    device = answer.device
    return {
        "schema": SCHEMA,
        "device": device.name,
        "vendor": device.vendor,
        "architecture": device.architecture,
        "rules": device.rules.name,
        "launch": {f.name: getattr(answer.launch, f.name) for f in fields(answer.launch)},
    }


def record(answer: Occupancy) -> dict[str, Any]:
    """The answer's fields; an unlimited limit has None, `reason` is there only when the launch cannot run."""
    made: dict[str, Any] = {
        "blocks": answer.blocks,
        "warps": answer.warps,
        "slots": answer.slots,
        "occupancy": answer.warps / answer.slots if answer.runs else None,
        "limits": {key: limit._asdict() for key, limit in answer.limits.items()},
        "limiters": list(answer.limiters),
        "allocated": dict(answer.allocated),
    }
    if answer.causes:
        made["reason"] = answer.reason
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
