"""The device that a user names, as an option or in JSON: every mistake is a ValueError that names it."""

from __future__ import annotations

from functools import cache
from typing import Any

from occusite.model import Device, Field

LONGEST_NAME = 100


def device(name: object, rules: str | None = None, *, files: bool = True) -> Device:
    """The device of that name, by the rule set `rules`; with `files`, also the path of a TOML file.

    Raises `ValueError` with near matches for an unknown name, and for what is no text.
    """
    from occusite import devices

    if not isinstance(name, str):
        raise ValueError(f'device: {name!r} is not allowed; give a name as text, like "rtx 4090" or "8.9"')
    if len(name) > LONGEST_NAME and not (files and name.endswith(".toml")):
        raise ValueError(f"device: {name[:20]!r}… is not known; no GPU's name has {len(name):,} characters")
    if not files and name.strip().lower().endswith(".toml"):
        raise ValueError(f"device: {name!r} is not known; a file is not read for a line, give a GPU's name")
    try:
        named = devices.find(name)
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith("device:") else f"device: {name!r}: {error}") from None
    return named if rules is None else by_rules(named, rules)


def by_rules(device: Device, rules: object) -> Device:
    """The device by another rule set. Raises `ValueError` for one it does not have."""
    if not isinstance(rules, str):
        raise ValueError(f"rules: {rules!r} is not allowed; give a rule set's name as text")
    try:
        return device.by_rules(rules)
    except ValueError as error:
        raise ValueError(f"rules: {str(error).partition(': ')[2]}") from None


def launch_types() -> tuple[Any, ...]:
    """Every vendor's launch."""
    from occusite import amd, intel, nvidia, paper

    return nvidia.Launch, amd.Launch, intel.Launch, paper.Launch


@cache
def launch_fields() -> tuple[Field, ...]:
    """Every field that some vendor's launch has, once."""
    fields: dict[str, Field] = {}
    for kind in launch_types():
        for field in kind.FIELDS:
            fields.setdefault(field.name, field)
    return tuple(fields.values())
