"""Register pools of warp groups, by the counts that published kernels use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import nvidia
from occusite.nvidia import Launch
from occusite.nvidia.warp_groups import warp_groups

H100 = nvidia.device("9.0")


@pytest.mark.parametrize(
    ("launched", "groups", "fits", "spare"),
    [
        # FlashAttention-3, hopper/flash_fwd_kernel_sm90.h: 24/240/240 of 384 threads, 32/160/160/160 of 512.
        (168, (24, 240, 240), True, 0),
        (128, (32, 160, 160, 160), True, 0),
        # CUTLASS, sm90_gemm_tma_warpspecialized_pingpong.hpp: 40 for the producer, 232 for each consumer.
        (168, (40, 232, 232), True, 0),
        (168, (40, 240, 240), False, -16),
        (160, (24, 240, 240), False, -24),
        (168, (24, 232, 232), True, 16),
        (128, (128,), True, 0),
    ],
)
def test_published_kernels(launched: int, groups: tuple[int, ...], fits: bool, spare: int) -> None:
    found = warp_groups(H100, Launch(1, launched), groups)
    assert (found.fits, found.spare, type(found.spare)) == (fits, spare, int)
    assert found.pool == launched * 128 * len(groups)
    assert found.wanted == sum(groups) * 128
    assert found.launch.threads == 128 * len(groups)
    assert H100.occupancy(found.launch).runs


@given(st.integers(3, 32), st.lists(st.integers(3, 32), min_size=1, max_size=8))
def test_it_fits_when_the_mean_does(launched: int, groups: list[int]) -> None:
    found = warp_groups(H100, Launch(1, 8 * launched), [8 * g for g in groups])
    assert found.fits == (sum(groups) <= launched * len(groups)) == (found.spare >= 0)


@pytest.mark.parametrize(
    ("device", "launched", "groups", "said"),
    [
        ("8.9", 168, (24, 240, 240), "^device: .* is not allowed; setmaxnreg needs compute capability 9.0"),
        ("9.0", 168, (), "^groups: missing; give the registers per thread of each warp group, like 24/240/240$"),
        (
            "9.0",
            168,
            (16, 240),
            "^groups: 16 is not allowed; give a whole number, 24–256 registers per thread, a multiple of 8$",
        ),
        ("9.0", 168, (24, 236), "^groups: 236 is not allowed; give a multiple of 8, 24–256$"),
        ("9.0", 170, (24, 240), "^registers: 170 is not allowed; give a multiple of 8, 24–256$"),
    ],
)
def test_refused(device: str, launched: int, groups: tuple[int, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        warp_groups(nvidia.device(device), Launch(1, launched), groups)
