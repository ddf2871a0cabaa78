"""The staircase: plateaus, sweeps, the next cliff either way, and advice."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia, paper
from occusite.nvidia import Launch
from occusite.questions.staircase import Plateau, plateaus, sweep
from occusite.questions.steps import Change, Cliff, advice, next_step

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


knobs = st.sampled_from(("registers", "threads", "dynamic_shared"))
launches = st.builds(
    Launch,
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    dynamic_shared=st.integers(0, 120_000),
    carveout=st.one_of(st.none(), st.integers(0, 100)),
    partitioned_caching=st.sampled_from(("off", "on")),
)
chips = st.sampled_from([nvidia.device(capability) for capability in nvidia.CHIPS])


@settings(max_examples=30, deadline=None)
@given(chips, launches, st.sampled_from(("registers", "threads")))
def test_plateaus_cover_the_range_and_equal_the_sweep(device: nvidia.Device, launch: Launch, knob: str) -> None:
    found = plateaus(device.occupancy(launch), knob)
    points = sweep(device.occupancy(launch), knob)
    assert [p.first for p in found[1:]] == [p.last + 1 for p in found[:-1]]
    assert all(a.warps != b.warps for a, b in pairwise(found))
    assert [w for p in found for w in [p.warps] * (p.last - p.first + 1)] == [p.warps for p in points]
    for point in points[:: max(len(points) // 20, 1)]:
        rich = device.occupancy(replace(launch, **{knob: point.value}))
        assert (point.blocks, point.warps) == (rich.blocks, rich.warps)


@settings(max_examples=60, deadline=None)
@given(chips, launches, knobs)
def test_cliffs_are_the_nearest_steps(device: nvidia.Device, launch: Launch, knob: str) -> None:
    here = getattr(launch, knob)
    warps = device.occupancy(launch).warps
    for cliff, better in zip(next_step(device.occupancy(launch), knob), (True, False), strict=True):
        if cliff is None:
            continue
        assert cliff.value == here + cliff.change != here
        rich = device.occupancy(replace(launch, **{knob: cliff.value}))
        assert (cliff.blocks, cliff.warps) == (rich.blocks, rich.warps)
        assert (rich.warps > warps) if better else (rich.warps < warps)
        if knob != "threads":
            assert (cliff.change < 0) == better
            step = 1 if cliff.change < 0 else -1
            assert device.occupancy(replace(launch, **{knob: cliff.value + step})).warps == warps


def test_next_cliff_in_numbers() -> None:
    found = next_step(ADA.occupancy(Launch(256, 51)), "registers")
    assert found.better == Cliff("registers", "registers", 48, -3, 5, 40)
    assert found.worse == Cliff("registers", "registers", 65, 14, 3, 24)
    assert next_step(PAPER.occupancy(paper.Launch(256, 42)), "registers").better is None
    assert next_step(ADA.occupancy(Launch(256, 255)), "registers").worse is None
    assert next_step(ADA.occupancy(Launch(32, 32)), "threads").better == Cliff("threads", "warps", 33, 1, 24, 48)


def test_next_cliff_of_a_launch_that_cannot_run() -> None:
    found = next_step(ADA.occupancy(Launch(1024, 200)), "registers")
    assert (found.better and found.better.value, found.worse) == (64, None)


def test_sweep_of_chosen_values() -> None:
    assert sweep(ADA.occupancy(Launch(256, 32)), "registers", (32, 64, 128)) == ((32, 6, 48), (64, 4, 32), (128, 2, 16))
    assert len(sweep(ADA.occupancy(Launch(256, 32)), "registers")) == 255


@pytest.mark.parametrize("knob", ["", "colour", "carveouts", "opt_in"])
def test_unknown_knob(knob: str) -> None:
    with pytest.raises(ValueError, match=r"^field: .* is not allowed; give one of threads, registers, "):
        plateaus(ADA.occupancy(Launch(256, 32)), knob)


def change(*what: Any) -> Change:
    return Change(*what)


def test_advice_for_one_budget() -> None:
    found = advice(ADA.occupancy(Launch(256, 51)))
    assert found.changes == (change("registers", "registers", 51, 48),)
    assert found.sentence == "Registers 51 → 48 makes 40 of 48 warps resident instead of 32."


def test_advice_when_two_budgets_tie() -> None:
    found = advice(PAPER.occupancy(paper.Launch(256, 64, 24 * 1024)))
    assert found.changes == (
        change("registers", "registers", 64, 51),
        change("shared_memory", "shared_memory", 24_576, 19_660),
    )
    assert found.sentence == (
        "Registers + shared memory bind together, so change them together: registers 64 → 51 and shared memory "
        "24,576 → 19,660 makes 40 of 48 warps resident instead of 32."
    )


def test_advice_takes_registers_no_lower_than_the_new_block_size_needs() -> None:
    found = advice(ADA.occupancy(Launch(1024, 60)))
    assert found.changes == (change("registers", "registers", 60, 40), change("warps", "threads", 1024, 768))
    assert found.then is not None
    assert found.then.warps == 48


def test_advice_prefers_a_block_size_that_is_enough() -> None:
    found = advice(ADA.occupancy(Launch(700, 40)))
    assert found.changes == (change("warps", "threads", 700, 736),)


def test_advice_for_a_launch_that_cannot_run() -> None:
    found = advice(nvidia.device("9.0").occupancy(Launch(288, 224)))
    assert found.changes == (change("registers", "registers", 224, 168),)
    static = advice(ADA.occupancy(Launch(256, 40, 120_000)))
    assert static.changes == (change("shared_memory", "static_shared", 120_000, 101_376),)
    cluster = advice(ADA.occupancy(Launch(256, 40, cluster=4)))
    assert cluster.sentence.startswith("This launch cannot run: clusters need")


def test_advice_where_nothing_is_to_gain() -> None:
    found = advice(ADA.occupancy(Launch(256, 40)))
    assert (found.changes, found.then) == ((), None)
    assert found.sentence == "All 48 warp slots are taken: there is no more to gain."


def test_advice_where_the_author_cannot_help() -> None:
    tiny = paper.SM(registers=32)
    found = advice(tiny.occupancy(paper.Launch(64, 1)))
    assert found.then is None
    assert found.sentence == "No other value of registers eases registers."


def test_advice_sees_static_shared_memory_behind_dynamic() -> None:
    found = advice(ADA.occupancy(Launch(256, 32, 30_000, 10)))
    assert found.changes == (
        change("shared_memory", "dynamic_shared", 10, 0),
        change("shared_memory", "static_shared", 30_000, 24_576),
    )
    assert found.then is not None and found.then.blocks == 4
