"""A launch's fields as data, one row a field: checks, options, JSON keys, controls and reference pages are made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from occusite.model.checks import choice, integer

# A field without a default.
REQUIRED: Any = ...

# The largest values a launch holds: a C int, and a 64-bit size.
MOST_COUNT = 2**31 - 1
MOST_BYTES = 2**64 - 1

_UNITS = {"": 1, "b": 1, "k": 1024, "kib": 1024, "m": 1024**2, "mib": 1024**2}
_FLAGS = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}


class Field(NamedTuple):
    """One field of a launch.

    `name` in Python, JSON and TOML; `label` for people; `unit`: the plural noun its values count. `kind`: "count",
    "bytes", "percent", "flag" or "choice". `low`, `high`: what any launch may ask (a device narrows it: `Device.range`).
    `default`: `REQUIRED`, or the value when not given; a default of None means that None is a value too, the driver's
    own choice. `choices`: those of a choice. `eases`: the key of the budget that this appetite feeds, "" for a mode.
    `since`: the first architecture where it matters. `rare`: whether most people never set it. `help`: one sentence.
    """

    name: str
    label: str
    unit: str
    kind: str
    low: int = 0
    high: int | None = MOST_COUNT
    default: Any = REQUIRED
    choices: tuple[str, ...] = ()
    eases: str = ""
    since: str = ""
    rare: bool = False
    help: str = ""

    @property
    def shaped(self) -> bool:
        """Whether its values may be written as a block's shape, "32x8"."""
        return self.unit in ("threads", "work-items") and self.low == 1

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.kind in ("count", "bytes", "percent")

    def check(self, value: object) -> Any:
        """`value` as the launch keeps it; whole numbers of other types (NumPy's) become int.

        Raises `ValueError` naming the field, the value and what is allowed.
        """
        if value is None and self.default is None:
            return None
        if self.kind == "flag":
            if type(value) is not bool:
                raise ValueError(f"{self.name}: {value!r} is not allowed; give True or False")
            return value
        if self.kind == "choice":
            return choice(self.name, value, self.choices)
        none = ", or None for the default" if self.default is None else ""
        return integer(self.name, value, self.low, self.high, self.unit + none)

    def parse(self, text: str) -> Any:
        """The value that `text` writes: "256", "48KiB" (1 k is 1,024 bytes), "yes", a choice's name; not yet checked.

        Raises `ValueError` naming the field, the text and what is allowed.
        """
        word = text.strip()
        if self.default is None and word.lower() in ("", "none", "default"):
            return None
        if self.kind == "choice":
            return choice(self.name, word, self.choices)
        if self.kind == "flag":
            if word.lower() not in _FLAGS:
                raise ValueError(f"{self.name}: {text!r} is not allowed; give yes or no")
            return _FLAGS[word.lower()]
        if self.kind == "bytes":
            return size(self.name, word)
        return (block if self.shaped else whole)(self.name, word, self.unit)


def whole(field: str, text: str, unit: str = "") -> int:
    """The whole number that `text` writes. Raises `ValueError` naming the field."""
    if not re.fullmatch(r"[+-]?\d{1,20}", text.strip()):
        raise ValueError(f"{field}: {text!r} is not allowed; give a whole number{' of ' * bool(unit)}{unit}")
    return int(text)


def block(field: str, text: str, unit: str) -> int:
    """The count that `text` writes as a number or as a shape of up to three sides: "256", "32x8", "8x8x4".

    Raises `ValueError` naming the field.
    """
    sides = re.split(r"\s*[x×,]\s*", text.strip().lower())
    if len(sides) == 1:
        return whole(field, text, unit)
    if len(sides) > 3 or not all(re.fullmatch(r"\d{1,20}", side) for side in sides):
        raise ValueError(f"{field}: {text!r} is not allowed; give a whole number of {unit}, or a shape like 32x8")
    return math.prod(int(side) for side in sides)


def size(field: str, text: str) -> int:
    """Bytes from "4096", "48KiB" or "48k" (1 k is 1,024 bytes). Raises `ValueError` naming the field."""
    match = re.fullmatch(r"(\d{1,20})\s*([A-Za-z]*)", text.strip())
    if not match or match[2].lower() not in _UNITS:
        raise ValueError(f'{field}: {text!r} is not allowed; give bytes, like 4096, or KiB, like "48KiB"')
    return int(match[1]) * _UNITS[match[2].lower()]


def checker(fields: tuple[Field, ...]) -> Callable[[Any], None]:
    """A function that checks every field of a frozen launch, for its `__post_init__`."""
    # A field that is no whole number gets an empty range.
    ranges = [(f.low, float("inf") if f.high is None else f.high) if f.whole else (1, 0) for f in fields]
    plan = tuple((f.name, low, high, f.default, f) for f, (low, high) in zip(fields, ranges, strict=True))

    def check(launch: Any) -> None:
        for name, low, high, default, field in plan:
            value = getattr(launch, name)
            # The common cases first: sweeps make many launches.
            if (low <= value <= high) if type(value) is int else (value is default):
                continue
            object.__setattr__(launch, name, field.check(value))

    return check


def build(launch_type: Any, mapping: Mapping[str, Any]) -> Any:
    """The launch with these fields, by name; text is read as `Field.parse` does.

    `launch_type` is a launch's class with its `FIELDS`. Raises `ValueError` naming every required field that is
    missing, a field that does not exist, or one whose value is not allowed.
    """
    fields, required = _by_name(launch_type)
    values: dict[str, Any] = {}
    for name, value in mapping.items():
        field = fields.get(name)
        if field is None:
            raise ValueError(f"{name}: not a field; the fields are {', '.join(fields)}")
        values[name] = field.parse(value) if type(value) is str else value
    if not required <= values.keys():
        missing = [name for name in fields if name in required and name not in values]
        what = "a whole number" if len(missing) == 1 else "whole numbers"
        raise ValueError(f"{', '.join(missing)}: missing; give {what}")
    return launch_type(**values)


@cache
def _by_name(launch_type: Any) -> tuple[dict[str, Field], frozenset[str]]:
    """The fields by name, and the names of the required ones."""
    fields: dict[str, Field] = {f.name: f for f in launch_type.FIELDS}
    return fields, frozenset(f.name for f in fields.values() if f.default is REQUIRED)


def changed(launch: Any) -> dict[str, Any]:
    """The fields of a launch that are not at their defaults, required ones included, in the order of its `FIELDS`."""
    return {f.name: v for f in launch.FIELDS if (v := getattr(launch, f.name)) != f.default}
