"""Input checks: what is let through unchanged, and that an error names field, value and what is allowed."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite.model.checks import choice, integer, number


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.integers(0, 100))
def test_integer_lets_through_exactly_the_range(value: int, low: int, size: int) -> None:
    if low <= value <= low + size:
        assert integer("field", value, low, low + size) == value
    else:
        with pytest.raises(ValueError, match=f"field: {value} is not allowed"):
            integer("field", value, low, low + size)


@pytest.mark.parametrize("value", [1.0, True, "1", None, Fraction(1), math.nan, [1]])
def test_integer_refuses_what_is_not_an_integer(value: object) -> None:
    with pytest.raises(ValueError) as error:
        integer("threads", value, 0, 10, "threads per block")
    assert str(error.value) == f"threads: {value!r} is not allowed; give a whole number, 0–10 threads per block"


class _Bool:
    """A yes or no of another library, which counts like a number."""

    def __index__(self) -> int:
        return 1


_Bool.__name__ = "bool"


def test_a_yes_of_another_library_is_no_number() -> None:
    with pytest.raises(ValueError, match=r"^threads: .* is not allowed; give a whole number, 0–10$"):
        integer("threads", _Bool(), 0, 10)


@pytest.mark.parametrize(
    ("value", "said"), [(2**256 - 1, str(2**256 - 1)), (2**256, "a number of more than 77 digits")]
)
def test_a_number_too_long_to_read_is_not_repeated(value: int, said: str) -> None:
    with pytest.raises(ValueError) as error:
        integer("threads", value, 0, 10)
    assert str(error.value) == f"threads: {said} is not allowed; give a whole number, 0–10"


def test_integer_without_an_upper_bound() -> None:
    assert integer("bytes", 10**30, 0) == 10**30
    with pytest.raises(ValueError, match=r"bytes: -1 is not allowed; give a whole number, 0 or more"):
        integer("bytes", -1, 0)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_number_lets_through_finite_numbers_above_the_bound(value: float) -> None:
    if 0 < value < math.inf:
        assert number("latency", value, 0) == value
    else:
        with pytest.raises(ValueError, match=r"latency: .* is not allowed; give a finite number above 0"):
            number("latency", value, 0)


@pytest.mark.parametrize("value", [True, "3", None, 0, -1, 5.1, math.nan])
def test_number_refuses(value: object) -> None:
    with pytest.raises(ValueError) as error:
        number("rate", value, 0, 5, "GB/s")
    message = str(error.value)
    assert message.startswith(f"rate: {value!r} is not allowed") and "above 0 and at most 5 GB/s" in message


def test_number_gives_a_float() -> None:
    assert number("rate", 5, 0, 5) == 5.0 and isinstance(number("rate", 5, 0, 5), float)


@pytest.mark.parametrize("value", ["purple", "", 1, None])
def test_choice_names_all_three(value: object) -> None:
    with pytest.raises(ValueError) as error:
        choice("colour", value, ("red", "green"))
    assert str(error.value) == f"colour: {value!r} is not allowed; give one of red, green"
    assert choice("colour", "red", ("red", "green")) == "red"
