"""The staircase: plateaus, sweeps, the next cliff either way, and advice."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia, paper
from occusite.nvidia import Launch
from occusite.questions.staircase import Plateau, field_of, plateaus, stretches, sweep
from tests.questions.asked import chips, launches

PAPER = paper.SM()
ADA = nvidia.device("8.9")


def ranges(found: tuple[Plateau, ...]) -> list[tuple[int, int, int]]:
    return [(p.first, p.last, p.warps) for p in found]


def test_plateaus_of_the_paper_sm() -> None:
    found = plateaus(PAPER.occupancy(paper.Launch(256, 32, 12 * 1024)))
    assert ranges(found) == [(1, 42, 48), (43, 51, 40), (52, 64, 32), (65, 85, 24), (86, 128, 16), (129, 255, 8)]
    assert [p.blocks for p in found] == [6, 5, 4, 3, 2, 1]


def test_plateaus_of_ada() -> None:
    found = plateaus(ADA.occupancy(Launch(256, 32)))
    assert ranges(found) == [(1, 40, 48), (41, 48, 40), (49, 64, 32), (65, 80, 24), (81, 128, 16), (129, 255, 8)]


def test_plateaus_along_shared_memory() -> None:
    found = plateaus(ADA.occupancy(Launch(256, 32)), "shared_memory")
    assert ranges(found) == [
        (0, 16_000, 48),
        (16_001, 19_456, 40),
        (19_457, 24_576, 32),
        (24_577, 33_024, 24),
        (33_025, 50_176, 16),
        (50_177, 101_376, 8),
    ]
    assert plateaus(PAPER.occupancy(paper.Launch(256, 32)), "shared_memory")[-1].last == PAPER.shared_memory


def test_plateaus_where_a_larger_pool_holds_more_blocks_again() -> None:
    """Kepler with a preference for L1: 16 KiB of shared memory, or 48 KiB for blocks that need more than 16."""
    answer = nvidia.device("3.5").occupancy(Launch(32, 16, cache_preference="l1"))
    assert ranges(plateaus(answer, "dynamic_shared"))[-5:] == [
        (4097, 5376, 3),
        (5377, 8192, 2),
        (8193, 16_384, 1),
        (16_385, 24_576, 2),
        (24_577, 49_152, 1),
    ]
    assert [s[:3] for s in stretches(answer, "dynamic_shared")][-3:] == [
        (8193, 16_384, 1),
        (16_385, 24_576, 2),
        (24_577, 49_152, 1),
    ]


@settings(max_examples=60, deadline=None)
@given(chips, launches)
def test_stretches_have_the_limiters_of_each_of_their_values(device: nvidia.Device, launch: Launch) -> None:
    parts = stretches(device.occupancy(launch), "dynamic_shared")
    low, high = device.range(field_of(launch, "dynamic_shared"))
    assert (parts[0].first, parts[-1].last) == (low, high)
    assert all(a.last + 1 == b.first and a[2:] != b[2:] for a, b in pairwise(parts))
    for part in parts:
        for value in {part.first, part.last, (part.first + part.last) // 2}:
            rich = device.occupancy(replace(launch, dynamic_shared=value))
            assert (rich.warps, rich.limiters) == part[2:]


def test_plateaus_along_barriers_and_part_of_a_range() -> None:
    device = nvidia.device("12.0")
    assert ranges(plateaus(device.occupancy(Launch(256, 32)), "barriers", 0, 24)) == [
        (0, 4, 48),
        (5, 6, 32),
        (7, 8, 24),
        (9, 12, 16),
        (13, 24, 8),
    ]
    assert ranges(plateaus(ADA.occupancy(Launch(256, 32)), "registers", 45, 70)) == [
        (45, 48, 40),
        (49, 64, 32),
        (65, 70, 24),
    ]


@settings(max_examples=30, deadline=None)
@given(chips, launches, st.sampled_from(("registers", "threads", "dynamic_shared")))
def test_plateaus_cover_the_range_and_equal_the_sweep(device: nvidia.Device, launch: Launch, knob: str) -> None:
    found = plateaus(device.occupancy(launch), knob)
    points = sweep(device.occupancy(launch), knob)
    assert [p.first for p in found[1:]] == [p.last + 1 for p in found[:-1]]
    assert all(a.warps != b.warps for a, b in pairwise(found))
    assert [w for p in found for w in [p.warps] * (p.last - p.first + 1)] == [p.warps for p in points]
    for point in points[:: max(len(points) // 20, 1)]:
        rich = device.occupancy(replace(launch, **{knob: point.value}))
        assert (point.blocks, point.warps) == (rich.blocks, rich.warps)


def test_sweep_of_chosen_values() -> None:
    assert sweep(ADA.occupancy(Launch(256, 32)), "registers", (32, 64, 128)) == ((32, 6, 48), (64, 4, 32), (128, 2, 16))
    assert len(sweep(ADA.occupancy(Launch(256, 32)), "registers")) == 255


@pytest.mark.parametrize("knob", ["", "colour", "carveouts", "opt_in"])
def test_unknown_knob(knob: str) -> None:
    with pytest.raises(ValueError, match=r"^field: .* is not allowed; give one of threads, registers, "):
        plateaus(ADA.occupancy(Launch(256, 32)), knob)


def test_the_last_value_may_be_a_plateau_of_its_own() -> None:
    """32 × 254 registers: one warp up to 254 a thread, none with 255."""
    tiny = paper.SM(registers=32 * 254, warps=1, blocks=1)
    assert plateaus(tiny.occupancy(paper.Launch(32, 32))) == ((1, 254, 1, 1), (255, 255, 0, 0))
