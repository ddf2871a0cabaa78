"""Devices and launches from what a user gives, as options or as JSON: every mistake is a ValueError with its field."""

from __future__ import annotations

import re
from typing import Any

from occusite import devices, nvidia
from occusite.model.checks import whole

# A launch's fields in JSON Lines, in the order of the documentation; the first two are required.
FIELDS = (
    "threads",
    "registers",
    "static_shared",
    "dynamic_shared",
    "max_dynamic_shared",
    "opt_in",
    "carveout",
    "barriers",
    "partitioned_caching",
)
REQUIRED = FIELDS[:2]

# The largest values CUDA's own launch structures hold: a C int, and a 64-bit size.
MOST_COUNT = 2**31 - 1
MOST_BYTES = 2**64 - 1
LONGEST_NAME = 100

_UNITS = {"": 1, "b": 1, "k": 1024, "kib": 1024, "m": 1024**2, "mib": 1024**2}


def device(name: object, *, files: bool = True) -> nvidia.Device:
    """The GPU of that name; with `files`, also the path of a TOML file.

    Raises `ValueError` with near matches for an unknown name, and for what is no text.
    """
    if not isinstance(name, str):
        raise ValueError(f'device: {name!r} is not allowed; give a name as text, like "rtx 4090" or "8.9"')
    if len(name) > LONGEST_NAME and not (files and name.endswith(".toml")):
        raise ValueError(f"device: {name[:20]!r}… is not known; no GPU's name has {len(name):,} characters")
    if not files and name.strip().lower().endswith(".toml"):
        raise ValueError(f"device: {name!r} is not known; a file is not read for a line, give a GPU's name")
    try:
        found = devices.find(name)
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith("device:") else f"device: {name!r}: {error}") from None
    if not isinstance(found, nvidia.Device):
        raise ValueError(f"device: {name!r} is not a GPU; give one that `occusite devices` lists")
    return found


def launch(fields: dict[str, Any]) -> nvidia.Launch:
    """The launch with these fields. A carve-out of −1 is CUDA's name for the driver's default, as None is.

    Raises `ValueError` naming the field that is missing or wrong; a count beyond a C int is wrong too.
    """
    for name in REQUIRED:
        if name not in fields:
            raise ValueError(f"{name}: missing; give a whole number")
    if fields.get("carveout") == -1 and type(fields["carveout"]) is int:
        fields = {**fields, "carveout": None}
    made = nvidia.Launch(**fields)
    if made.threads > MOST_COUNT or made.registers > MOST_COUNT or made.barriers > MOST_COUNT:
        for name in ("threads", "registers", "barriers"):
            whole(name, getattr(made, name), 0, MOST_COUNT)
    most = made.max_dynamic_shared
    if made.shared_memory > MOST_BYTES or (most is not None and most > MOST_BYTES):
        for name in ("static_shared", "dynamic_shared"):
            whole(name, getattr(made, name), 0, MOST_BYTES, "bytes per block")
        whole("max_dynamic_shared", most or 0, 0, MOST_BYTES, "bytes per block")
    return made


def size(field: str, text: str) -> int:
    """Bytes from "4096", "48KiB" or "48k" (1 k is 1,024 bytes). Raises `ValueError` naming the field."""
    found = re.fullmatch(r"(\d{1,20})\s*([A-Za-z]*)", text.strip())
    if not found or found[2].lower() not in _UNITS:
        raise ValueError(f'{field}: {text!r} is not allowed; give bytes, like 4096, or KiB, like "48KiB"')
    return int(found[1]) * _UNITS[found[2].lower()]
