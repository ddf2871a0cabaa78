"""Input checks shared by every public function: an error names the field, the value and what is allowed."""

from __future__ import annotations

import operator


def integer(field: str, value: object, low: int, high: int | None = None, unit: str = "") -> int:
    """Return `value` as an int between `low` and `high` inclusive (`high=None`: no upper bound).

    Any whole-number type is taken (NumPy's too). Floats are refused, even whole ones: a launch is counted, not
    measured. Raises `ValueError` naming `field`, `value` and the allowed range.
    """
    number = value if type(value) is int else as_int(value)
    if number is None or number < low or (high is not None and number > high):
        allowed = f"{low}–{high}" if high is not None else f"{low} or more"
        raise ValueError(
            f"{field}: {_short(value)} is not allowed; give a whole number, {allowed}{' ' + unit if unit else ''}"
        )
    return number


def kept(frozen: object, field: str, low: int, high: int | None = None, unit: str = "") -> int:
    """`integer` of a frozen object's field, which keeps it as an int. Errors as of `integer`."""
    value = integer(field, getattr(frozen, field), low, high, unit)
    object.__setattr__(frozen, field, value)
    return value


def number(field: str, value: object, low: float, high: float | None = None, unit: str = "") -> float:
    """Return `value` as a float with `low` < value ≤ `high` (`high=None`: any finite number).

    Raises `ValueError` naming `field`, `value` and the allowed range.
    """
    valid = isinstance(value, int | float) and not isinstance(value, bool)
    if not valid or not low < value < float("inf") or (high is not None and value > high):  # type: ignore[operator]
        allowed = f"above {low:g} and at most {high:g}" if high is not None else f"a finite number above {low:g}"
        raise ValueError(f"{field}: {value!r} is not allowed; give {allowed}{' ' + unit if unit else ''}")
    return float(value)  # type: ignore[arg-type]


def choice(field: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of `allowed`; else raise `ValueError` naming all three."""
    if value not in allowed:
        raise ValueError(f"{field}: {value!r} is not allowed; give one of {', '.join(allowed)}")
    return str(value)


def as_int(value: object) -> int | None:
    """A whole number of any type as an int; None for what is none, truth values included."""
    # NumPy's truth values have an index too, so they are told by their type's name.
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _short(value: object) -> str:
    """The value as an error shows it: a number of hundreds of digits is cut."""
    if isinstance(value, int) and value.bit_length() > 256:
        return "a number of more than 77 digits"
    return repr(value)
