"""Little's law: the identity, rounding up without binary dust, slope and roof; bad input."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite.littles_law import Supply, arithmetic_warps, bytes_in_flight

DECIMALS = st.decimals("0.1", "20000", places=1).map(float)
SUPPLIES = st.builds(
    Supply, DECIMALS, DECIMALS, st.integers(1, 512), st.sampled_from([32, 64, 128, 512]), st.integers(1, 16)
)


def exact(need: Supply) -> Fraction:
    """Warps before rounding up, from the decimals as typed."""
    bytes_each = Fraction(str(need.bandwidth)) * Fraction(str(need.latency)) / need.sms
    return bytes_each / (need.access * need.loads)


@given(SUPPLIES)
def test_warps_are_the_least_that_keep_enough_in_flight(need: Supply) -> None:
    assert need.warps - 1 < exact(need) <= need.warps


@given(SUPPLIES)
def test_the_steps_belong_together(need: Supply) -> None:
    assert need.total == pytest.approx(need.bandwidth * need.latency)
    assert need.per_sm == pytest.approx(need.total / need.sms)
    assert need.accesses == pytest.approx(need.per_sm / need.access)


@given(SUPPLIES, st.integers(0, 200))
def test_throughput_is_a_slope_and_a_roof(need: Supply, warps: int) -> None:
    roof = need.bandwidth / need.sms
    rate = need.throughput(warps)
    assert rate <= roof * (1 + 1e-12)
    assert rate <= need.throughput(warps + 1)
    assert rate == pytest.approx(roof if warps >= need.warps else warps * need.loads * need.access / need.latency)


@given(SUPPLIES)
def test_twice_the_loads_halve_the_warps(need: Supply) -> None:
    double = Supply(need.bandwidth, need.latency, need.sms, need.access, 2 * need.loads)
    assert double.warps == math.ceil(exact(need) / 2)


def test_decimals_are_meant_as_typed() -> None:
    # 0.1 × 3 is 0.30000000000000004 in binary; as typed it is exactly 0.3.
    assert bytes_in_flight(0.1, 3) == 0.3
    assert Supply(0.1, 3 * 1280, 3).warps == 1
    assert arithmetic_warps(10, 0.1) == 1


@given(st.integers(1, 100), st.integers(1, 16))
def test_arithmetic_in_flight(latency: int, independent: int) -> None:
    warps = arithmetic_warps(latency, independent=independent)
    assert (warps - 1) * independent < latency <= warps * independent


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 400, 100), "bandwidth: 0 is not allowed; give a finite number above 0 GB/s"),
        ((2000, -1, 100), "latency: -1 is not allowed; give a finite number above 0 ns"),
        ((2000, math.inf, 100), "latency: inf is not allowed"),
        ((2000, 400, 0), "sms: 0 is not allowed; give a whole number, 1 or more"),
        ((2000, 400, 2.5), "sms: 2.5 is not allowed"),
        ((2000, 400, 100, 0), "access: 0 is not allowed"),
        ((2000, 400, 100, 128, 0), "loads: 0 is not allowed"),
    ],
)
def test_a_bad_supply(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError) as error:
        Supply(*arguments)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_bad_arguments_of_the_functions() -> None:
    with pytest.raises(ValueError, match="bandwidth: 'fast' is not allowed"):
        bytes_in_flight("fast", 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="latency: 0 is not allowed"):
        arithmetic_warps(0)
    with pytest.raises(ValueError, match="issue_rate: 0 is not allowed"):
        arithmetic_warps(4, 0)
    with pytest.raises(ValueError, match="independent: 0 is not allowed"):
        arithmetic_warps(4, 1, 0)
    with pytest.raises(ValueError, match="warps: -1 is not allowed"):
        Supply(2000, 400, 100).throughput(-1)
