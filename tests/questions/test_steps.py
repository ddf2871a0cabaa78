"""The nearest steps up and down, in values and in words, and what to change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia, paper
from occusite.nvidia import Launch
from occusite.questions.steps import (
    Change,
    Cliff,
    advice,
    by_budget,
    nearest,
    next_step,
    step_up,
    words,
)

PAPER = paper.SM()
ADA = nvidia.device("8.9")

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


# A launch on a device, the nearest steps of each budget in words, and the nearest of all.
WORDS: list[tuple[Any, Any, dict[str, tuple[str, str]]]] = [
    (
        ADA,
        Launch(256, 51),
        {
            "registers": ("3 registers fewer: 40 warps", "14 registers more: 24 warps"),
            "shared_memory": ("–", "24,577 bytes more shared memory: 24 warps"),
            "warps": ("257 threads: 36 warps", "289 threads: 30 warps"),
        },
    ),
    (
        ADA,
        Launch(256, 65, 1000),
        {
            "registers": ("1 register fewer: 32 warps", "16 registers more: 16 warps"),
            "shared_memory": ("–", "32,025 bytes more shared memory: 16 warps"),
        },
    ),
    (
        nvidia.device("12.0"),
        Launch(64, 32, barriers=2),
        {"barriers": ("1 barrier fewer: 48 warps", "1 barrier more: 16 warps")},
    ),
    (
        PAPER,
        paper.Launch(256, 64, 32 * 1024),
        {
            "registers": ("–", "22 registers more: 16 warps"),
            "shared_memory": ("8,192 bytes less shared memory: 32 warps", "1 byte more shared memory: 16 warps"),
        },
    ),
]


@pytest.mark.parametrize(("device", "launch", "expected"), WORDS)
def test_steps_in_words(device: Any, launch: Any, expected: dict[str, tuple[str, str]]) -> None:
    found = by_budget(device.occupancy(launch))
    for key, pair in expected.items():
        assert (words(device, found[key].better), words(device, found[key].worse)) == pair


def test_a_step_that_ends_all_says_so() -> None:
    answer = nvidia.device("9.0").occupancy(Launch(1024, 64))
    assert words(answer.device, next_step(answer, "registers").worse) == "1 register more: cannot run"


@settings(max_examples=40, deadline=None)
@given(chips, launches)
def test_no_step_is_said_only_where_no_value_differs(device: nvidia.Device, launch: Launch) -> None:
    """Every value of the whole range is tried."""
    answer = device.occupancy(launch)
    residency = [device.occupancy(replace(launch, registers=r)).warps for r in range(1, 256)]
    found = next_step(answer, "registers")
    assert (found.better is None) == (max(residency[: max(launch.registers, 1)]) <= answer.warps)
    assert (found.worse is None) == (min(residency[launch.registers - 1 :]) >= answer.warps)


def test_the_way_up_for_a_column() -> None:
    assert step_up(ADA.occupancy(Launch(256, 40))) == "all 48 warp slots are taken"
    assert step_up(ADA.occupancy(Launch(256, 51))) == "3 registers fewer: 40 warps"
    tied = PAPER.occupancy(paper.Launch(256, 64, 24 * 1024))
    assert step_up(tied) == "registers 64 → 51 and shared memory 24,576 → 19,660: 40 warps"
    assert step_up(tied, str) == "registers 64 → 51 and shared memory 24576 → 19660: 40 warps"
    assert step_up(nvidia.device("7.5").occupancy(Launch(1024, 64))) == "all 32 warp slots are taken"


def test_the_nearest_of_all_moves_its_field_least() -> None:
    found = nearest(ADA.occupancy(Launch(256, 51, 20_000)))
    assert found.better == Cliff("registers", "registers", 48, -3, 5, 40) or found.better is None
    assert found.worse is not None and found.worse.field == "dynamic_shared" and found.worse.change == 4_577
