"""Answers as plain data: what `--json` prints and what each line of `--jsonl` says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from occusite import nvidia
from occusite.model.answer import Occupancy

# The order of the limits in every record.
LIMITS = ("warps", "registers", "shared_memory", "blocks", "barriers", "virtual")
ALLOCATED = ("registers_per_block", "shared_memory_per_block")


def record(answer: Occupancy) -> dict[str, Any]:
    """The answer's fields; an unlimited limit is None, `reason` is there only when the launch cannot run."""
    made: dict[str, Any] = {
        "blocks": answer.blocks,
        "warps": answer.warps,
        "slots": answer.slots,
        "occupancy": answer.warps / answer.slots,
        "limits": {name: answer.limits.get(name) for name in LIMITS},
        "binding": list(answer.binding),
        "allocated": {name: answer.allocated[name] for name in ALLOCATED},
    }
    if answer.reason:
        made["reason"] = answer.reason
    return made


def question(device: nvidia.Device, launch: nvidia.Launch) -> dict[str, Any]:
    """The device and the launch an answer is for."""
    return {
        "device": device.name,
        "compute_capability": device.compute_capability,
        "header": device.header,
        "launch": asdict(launch),
    }


class Lines:
    """Writes an answer as one line of JSON, as `json.dumps(record(answer))` would, several times faster."""

    def __init__(self) -> None:
        self._bindings: dict[tuple[str, ...], str] = {}

    def line(self, answer: Occupancy) -> str:
        """The line, with its end."""
        limits, allocated = answer.limits, answer.allocated
        binding = self._bindings.get(answer.binding)
        if binding is None:
            binding = self._bindings[answer.binding] = json.dumps(answer.binding)
        reason = f', "reason": {json.dumps(answer.reason)}' if answer.reason else ""
        blocks, warps, slots = answer.blocks, answer.warps, answer.slots
        return (
            f'{{"blocks": {blocks}, "warps": {warps}, "slots": {slots}, "occupancy": {warps / slots!r}, '
            f'"limits": {{"warps": {_number(limits, "warps")}, "registers": {_number(limits, "registers")}, '
            f'"shared_memory": {_number(limits, "shared_memory")}, "blocks": {_number(limits, "blocks")}, '
            f'"barriers": {_number(limits, "barriers")}, "virtual": {_number(limits, "virtual")}}}, '
            f'"binding": {binding}, '
            f'"allocated": {{"registers_per_block": {allocated["registers_per_block"]}, '
            f'"shared_memory_per_block": {allocated["shared_memory_per_block"]}}}{reason}}}\n'
        )


def _number(limits: Mapping[str, int | None], name: str) -> int | str:
    limit = limits[name]
    return "null" if limit is None else limit
