"""A grid on the whole device: waves and tail."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import amd, nvidia, occupancy
from occusite.nvidia import Launch
from occusite.questions.grid import achieved, largest
from occusite.questions.grid import waves as waves_of
from tests.questions.asked import chips, launches


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


class TestLargest:
    def test_blocks_times_cores(self) -> None:
        assert largest(occupancy("rtx 3090", Launch(256, 40))) == (492, 6, 82, True)
        assert largest(occupancy("MI300X", amd.Launch(256, 128))).blocks == 4 * 304

    def test_clusters_make_it_a_bound(self) -> None:
        found = largest(occupancy("9.0", Launch(1024, 32, cluster=7)))
        assert (found.blocks, found.exact) == (2 * 132 // 7 * 7, False)

    def test_refused(self) -> None:
        with pytest.raises(ValueError, match="cannot run"):
            largest(occupancy("9.0", Launch(256, 300)))
        with pytest.raises(ValueError, match=r"^grid is not allowed; the number of SMs of .* is not known"):
            largest(occupancy(nvidia.Device("9.0", sm_count=None), Launch(256, 32)))


class TestAchieved:
    def test_a_small_grid(self) -> None:
        """32 of 82 SMs busy: 8 of 48 warps on those, 8 × 32 of 48 × 82 on all."""
        answer = occupancy("rtx 3090", Launch(256, 40))
        found = waves_of(answer, 32)
        assert (found.busy_cores, found.cores, found.idle_cores) == (32, 82, 50)
        assert achieved(answer, 32) == (Fraction(8, 48), Fraction(8 * 32, 48 * 82))

    def test_a_tail(self) -> None:
        answer = occupancy("rtx 3090", Launch(256, 40))
        # One full wave of 492 and 10 blocks more: 82 + 10 SM-waves are active, 164 pass.
        assert achieved(answer, 502) == (Fraction(502 * 8, 92 * 48), Fraction(502 * 8, 164 * 48))
        # A tail of more blocks than SMs leaves none idle: both are the same.
        assert achieved(answer, 492 + 90) == (Fraction(582 * 8, 164 * 48),) * 2

    @given(launches, chips, st.integers(1, 100_000))
    def test_never_above_the_theoretical(self, launch: Launch, device: nvidia.Device, grid: int) -> None:
        answer = device.occupancy(launch)
        if not answer.runs:
            return
        active, every = achieved(answer, grid)
        assert 0 < every <= active <= answer.occupancy  # type: ignore[operator]
        whole = achieved(answer, 3 * largest(answer).blocks)
        assert whole == (answer.occupancy, answer.occupancy)
