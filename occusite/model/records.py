"""An answer as plain data, in the versioned form that `data/schema/answer-1.json` states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from occusite.model.answer import Occupancy

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
        "launch": {f.name: getattr(answer.launch, f.name) for f in answer.launch.FIELDS},
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


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `question` and `record` together, which is `Occupancy.to_dict`."""
    import json
    import pkgutil

    made: dict[str, Any] = json.loads(pkgutil.get_data("occusite", f"data/schema/answer-{SCHEMA}.json") or b"")
    return made
