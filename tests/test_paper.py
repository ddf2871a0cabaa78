"""The paper model: properties of the minimum, ties, the working; bad input."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from occusite.paper import KIB, SM, Launch

SMS = st.builds(
    SM,
    registers=st.sampled_from([32_768, 65_536, 131_072]),
    shared_memory=st.integers(1, 228).map(lambda k: k * KIB),
    warps=st.sampled_from([32, 48, 64]),
    blocks=st.sampled_from([8, 16, 24, 32]),
)
LAUNCHES = st.builds(Launch, st.integers(1, 1024), st.integers(1, 255), st.integers(0, 100 * KIB))
APPETITES = ("registers", "shared_memory")
STOCKS = ("registers", "shared_memory", "warps", "blocks")


@given(SMS, LAUNCHES)
def test_residency_is_the_least_limit_and_every_tie_is_named(sm: SM, launch: Launch) -> None:
    answer = sm.occupancy(launch)
    limits = [v.blocks for v in answer.limits.values() if v.blocks is not None]
    assert answer.blocks == min(limits)
    assert set(answer.limiters) == {b for b, v in answer.limits.items() if v.blocks == answer.blocks}
    assert answer.warps == answer.blocks * launch.warps <= sm.warps
    assert answer.occupancy == (Fraction(answer.warps, sm.warps) if answer.runs else None)
    assert tuple(answer.limits) == tuple(b.key for b in sm.budgets)


@given(SMS, LAUNCHES)
def test_what_is_resident_fits_and_one_block_more_does_not(sm: SM, launch: Launch) -> None:
    def fits(blocks: int) -> bool:
        threads = -(-launch.threads // 32) * 32
        return (
            blocks * threads * launch.registers <= sm.registers
            and blocks * launch.shared_memory <= sm.shared_memory
            and blocks * threads // 32 <= sm.warps
            and blocks <= sm.blocks
        )

    blocks = sm.occupancy(launch).blocks
    assert fits(blocks) and not fits(blocks + 1)


@given(SMS, LAUNCHES, st.sampled_from(APPETITES), st.integers(1, 64))
def test_residency_never_grows_with_an_appetite(sm: SM, launch: Launch, appetite: str, more: int) -> None:
    value = getattr(launch, appetite) + more
    assume(appetite != "registers" or value <= 255)
    assert sm.occupancy(replace(launch, **{appetite: value})).blocks <= sm.occupancy(launch).blocks


@given(SMS, LAUNCHES)
def test_easing_every_tied_budget_raises_residency_or_meets_another(sm: SM, launch: Launch) -> None:
    before = sm.occupancy(launch)
    assume(before.runs)
    after = replace(sm, **{b: 2 * getattr(sm, b) for b in before.limiters}).occupancy(launch)
    assert after.blocks > before.blocks
    assert after.blocks >= 2 * before.blocks or not set(after.limiters) & set(before.limiters)


@given(
    st.builds(Launch, st.integers(1, 1024), st.integers(1, 255), st.integers(1, 100 * KIB)),
    st.integers(1, 16),
    st.sets(st.sampled_from(STOCKS), min_size=2),
)
def test_easing_only_one_of_a_tie_changes_nothing(launch: Launch, blocks: int, tied: set[str]) -> None:
    takes = {
        "registers": launch.warps * 32 * launch.registers,
        "shared_memory": launch.shared_memory,
        "warps": launch.warps,
        "blocks": 1,
    }
    sm = SM(**{b: takes[b] * (blocks if b in tied else blocks + 1) for b in STOCKS})
    assert sm.occupancy(launch).blocks == blocks and set(sm.occupancy(launch).limiters) == tied
    for budget in tied:
        eased = replace(sm, **{budget: 2 * getattr(sm, budget)}).occupancy(launch)
        assert eased.blocks == blocks and set(eased.limiters) == tied - {budget}


@given(SMS, LAUNCHES)
def test_the_fast_path_gives_the_same(sm: SM, launch: Launch) -> None:
    fast = sm.resident_blocks(launch.threads, launch.registers, launch.shared_memory)
    assert fast == sm.occupancy(launch).blocks


@given(SMS, LAUNCHES)
def test_the_working_comes_to_the_limits(sm: SM, launch: Launch) -> None:
    answer = sm.occupancy(launch)
    assert {s.budget: s.value for s in answer.steps if s.budget} == {b: v.blocks for b, v in answer.limits.items()}
    assert answer.steps[0].value == launch.warps


@given(SMS, LAUNCHES)
def test_a_launch_that_cannot_run_says_why(sm: SM, launch: Launch) -> None:
    answer = sm.occupancy(launch)
    assert answer.runs == (answer.blocks > 0) == (answer.reason == "")
    if not answer.runs:
        assert answer.limiter == "cannot launch" and answer.warps == 0
        for budget in answer.limiters:
            assert f"{getattr(sm, budget):,}" in answer.reason


def test_the_reason_names_each_budget_that_is_short() -> None:
    answer = SM().occupancy(Launch(1024, 255, 97 * KIB))
    assert "it needs 261,120 registers, the SM has 65,536" in answer.reason
    assert "it needs 99,328 bytes of shared memory, the SM has 98,304" in answer.reason


def test_no_shared_memory_is_no_limit() -> None:
    answer = SM().occupancy(Launch(256, 32))
    assert answer.limits["shared_memory"].blocks is None and "shared_memory" not in answer.limiters


@pytest.mark.parametrize(("threads", "warps"), [(1, 1), (31, 1), (32, 1), (33, 2), (1024, 32)])
def test_a_part_of_a_warp_takes_a_whole_one(threads: int, warps: int) -> None:
    assert Launch(threads, 32).warps == warps


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 32), "threads: 0 is not allowed; give a whole number, 1–1024 threads"),
        ((1025, 32), "threads: 1025 is not allowed"),
        ((256, 0), "registers: 0 is not allowed; give a whole number, 1–255 registers"),
        ((256, 256), "registers: 256 is not allowed"),
        ((256, 32, -1), "shared_memory: -1 is not allowed; give a whole number, 0–"),
        ((256.0, 32), "threads: 256.0 is not allowed"),
    ],
)
def test_a_bad_launch(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError) as error:
        Launch(*arguments)
    assert message in str(error.value)


@pytest.mark.parametrize("field", ["registers", "shared_memory", "warps", "blocks"])
def test_a_bad_sm(field: str) -> None:
    with pytest.raises(ValueError, match=f"{field}: 0 is not allowed; give a whole number, 1 or more"):
        SM(**{field: 0})
