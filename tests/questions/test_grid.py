"""A grid on the whole device: waves and tail."""

from __future__ import annotations

from fractions import Fraction

import pytest

from occusite import nvidia
from occusite.nvidia import Launch
from occusite.questions.grid import waves as waves_of


class TestWaves:
    def test_tail(self) -> None:
        device, launch = nvidia.device("8.9"), Launch(256, 40)
        found = waves_of(device.occupancy(launch), 1000)
        assert (found.per_wave, found.full, found.tail) == (768, 1, 232)
        assert found.efficiency == Fraction(1000, 1536)
        assert found.number == Fraction(1000, 768)
        assert found.idle_cores == 0

    def test_small_grid(self) -> None:
        found = waves_of(nvidia.device("8.9").occupancy(Launch(256, 40)), 100)
        assert (found.full, found.tail, found.idle_cores) == (0, 100, 28)

    def test_exact_waves_have_no_tail(self) -> None:
        found = waves_of(nvidia.device("8.9").occupancy(Launch(256, 40)), 1536)
        assert (found.full, found.tail, found.efficiency) == (2, 0, 1)

    def test_refused(self) -> None:
        device = nvidia.device("9.0")
        with pytest.raises(ValueError, match=r"^grid: 0 is not allowed"):
            waves_of(device.occupancy(Launch(256, 40)), 0)
        with pytest.raises(ValueError, match=r"^grid: 7 is not allowed; give a multiple of the cluster's 2 blocks"):
            waves_of(device.occupancy(Launch(256, 40, cluster=2)), 7)
        with pytest.raises(ValueError, match="cannot run"):
            waves_of(device.occupancy(Launch(256, 300)), 7)
