"""Steps: the nearest of all values and in words, "no step" only where no value differs, and advice that comes true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia, paper
from occusite.model.answer import Occupancy
from occusite.model.fields import Field
from occusite.model.terms import Budget
from occusite.nvidia import Launch
from occusite.questions.staircase import field_of, plateaus, stretches, whole_steps
from occusite.questions.steps import (
    Advice,
    Change,
    Cliff,
    Nearest,
    advice,
    by_budget,
    nearest,
    next_step,
    step_up,
    together,
    words,
)
from tests.questions.asked import chips, launches

PAPER = paper.SM()
ADA = nvidia.device("8.9")

knobs = st.sampled_from(("registers", "threads", "dynamic_shared"))


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
            assert (cliff.change < 0) == better or device.turns(launch, field_of(launch, knob))
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


# ---------- any staircase at all ----------


@dataclass(frozen=True)
class Wanting:
    """A launch that wants so much of one stock."""

    FIELDS: ClassVar = (
        Field("wanted", "units wanted", "units", "count", eases="stock"),
        Field("size", "block size", "threads", "count", eases="warps", default=0),
    )
    wanted: int = 0
    size: int = 0


class Stairs:
    """A device of which so many warps are resident for each value of the field asked about."""

    budgets = (Budget("stock", "stock", "registers"), Budget("warps", "warp slots", "warps"))

    def __init__(self, warps: list[int]) -> None:
        self.warps = warps

    def range(self, field: Field) -> tuple[int, int]:
        return 0, len(self.warps) - 1

    def turns(self, launch: Wanting, field: Field) -> tuple[int, ...]:
        return tuple(v for v, (low, high) in enumerate(pairwise(self.warps)) if high > low)

    def counter(self, launch: Wanting, name: str) -> Callable[[int], tuple[int, int]]:
        return lambda value: (self.warps[value] // 2, self.warps[value])

    def at(self, launch: Wanting, value: int) -> Occupancy:
        return Occupancy(cast(Any, self), launch, 0, self.warps[value], 9, {}, (), {})


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.sampled_from(("wanted", "size")), st.data())
def test_the_nearest_steps_of_any_staircase(warps: list[int], name: str, data: st.DataObject) -> None:
    here = data.draw(st.integers(0, len(warps) - 1))
    answer = Stairs(warps).at(Wanting(**{name: here}), here)

    def nearest_of(values: list[int]) -> int | None:
        return min(values, key=lambda v: (abs(v - here), v), default=None)

    more = nearest_of([v for v, w in enumerate(warps) if w > warps[here]])
    less = nearest_of([v for v, w in enumerate(warps) if w < warps[here]])
    budget = {"wanted": "stock", "size": "warps"}[name]
    for cliff, value in zip(next_step(answer, name), (more, less), strict=True):
        wanted = None if value is None else (name, budget, value, value - here, warps[value] // 2, warps[value])
        assert cliff == wanted


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.sampled_from(("wanted", "size")))
def test_the_plateaus_of_any_staircase(warps: list[int], name: str) -> None:
    made = plateaus(Stairs(warps).at(Wanting(), 0), name)
    assert [(v, p.warps) for p in made for v in range(p.first, p.last + 1)] == list(enumerate(warps))
    assert all(a.warps != b.warps for a, b in pairwise(made))
    assert [p.blocks for p in made] == [warps[p.first] // 2 for p in made]


# ---------- value by value ----------

KIB = 1024
CHIPS = {cc: nvidia.device(cc) for cc in ("3.5", "5.0", "6.0", "7.5", "8.0", "8.9", "9.0", "10.0", "12.0")}
HOPPER = CHIPS["9.0"]


def on_paper(threads: int, registers: int, kib: int = 0) -> Any:
    return PAPER.occupancy(paper.Launch(threads, registers, kib * KIB))


def on_ada(threads: int, registers: int, kib: int = 0, **more: Any) -> Any:
    return ADA.occupancy(Launch(threads, registers, dynamic_shared=kib * KIB, **more))


varied = st.builds(
    Launch,
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    static_shared=st.just(0) | st.integers(0, 30_000),
    dynamic_shared=st.just(0) | st.integers(0, 110_000),
    carveout=st.none() | st.integers(0, 100),
    cache_preference=st.sampled_from(("none", "l1", "equal", "shared")),
    barriers=st.integers(0, 16),
)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(CHIPS)), launches, st.sampled_from(("registers", "threads", "dynamic_shared", "barriers"))
)
def test_a_step_is_the_nearest_of_all_values_and_none_is_said_only_where_none_differs(
    cc: str, launch: Launch, name: str
) -> None:
    """Every value of the field's whole range is asked, one by one."""
    device = CHIPS[cc]
    answer, here = device.occupancy(launch), getattr(launch, name)
    low, high = device.range(field_of(launch, name))
    residency = device.counter(launch, name)
    values = [(abs(v - here), v) for v in range(low, max(high, here) + 1)]
    more = [pair for pair in values if residency(pair[1])[1] > answer.warps]
    less = [pair for pair in values if residency(pair[1])[1] < answer.warps]
    found = next_step(answer, name)
    for cliff, wanted in ((found.better, more), (found.worse, less)):
        if not wanted:
            assert cliff is None
            continue
        assert cliff is not None
        _, value = min(wanted)
        eases = {"threads": "warps", "dynamic_shared": "shared_memory"}.get(name, name)
        assert cliff == (name, eases, value, value - here, *residency(value))


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 32).map(lambda w: 32 * w), st.integers(0, 96))
def test_whole_steps_join_stretches_and_keep_what_limits_all_of_them(threads: int, kib: int) -> None:
    answer = on_paper(threads, 32, kib)
    every = [PAPER.occupancy(paper.Launch(threads, r, kib * KIB)) for r in range(1, 256)]
    for part in stretches(answer):
        assert {(a.warps, a.limiters) for a in every[part.first - 1 : part.last]} == {(part.warps, part.limiters)}
    found = whole_steps(answer)
    assert [r for step in found for r in range(step.first, step.last + 1)] == list(range(1, 256))
    for step in found:
        inside = every[step.first - 1 : step.last]
        assert {a.warps for a in inside} == {step.warps}
        assert set(step.limiters) == set.intersection(*[set(a.limiters) for a in inside])
    assert all(a.warps != b.warps for a, b in pairwise(found))


# A step and its words.
SAID = [
    (Cliff("registers", "registers", 48, -3, 5, 40), "3 registers fewer: 40 warps"),
    (Cliff("registers", "registers", 50, -1, 5, 40), "1 register fewer: 40 warps"),
    (Cliff("registers", "registers", 65, 14, 3, 24), "14 registers more: 24 warps"),
    (Cliff("registers", "registers", 255, 200, 0, 0), "200 registers more: cannot run"),
    (Cliff("registers", "registers", 200, -1, 1, 1), "1 register fewer: 1 warp"),
    (Cliff("dynamic_shared", "shared_memory", 16_000, -1_288, 6, 48), "1,288 bytes less shared memory: 48 warps"),
    (Cliff("dynamic_shared", "shared_memory", 20_001, 1, 4, 32), "1 byte more shared memory: 32 warps"),
    (Cliff("threads", "warps", 736, 36, 2, 46), "736 threads: 46 warps"),
    (Cliff("threads", "warps", 1, -31, 2, 2), "1 thread: 2 warps"),
    (Cliff("barriers", "barriers", 4, -1, 6, 48), "1 barrier fewer: 48 warps"),
    (None, "–"),
]


@pytest.mark.parametrize(("cliff", "said"), SAID)
def test_a_step_in_words(cliff: Cliff | None, said: str) -> None:
    assert words(HOPPER, cliff) == said


def test_each_surface_sets_its_own_numbers() -> None:
    cliff = Cliff("dynamic_shared", "shared_memory", 0, -12_345, 6, 48)
    assert words(ADA, cliff, lambda n: f"<{n}>") == "<12345> bytes less shared memory: 48 warps"


def test_steps_by_budget() -> None:
    """41 registers of 256 threads: five blocks by registers; shared memory of 12 KiB lets seven live."""
    answer = on_ada(256, 41, 12)
    found = by_budget(answer)
    assert list(found) == ["registers", "shared_memory", "warps"]
    assert found["registers"] == (("registers", "registers", 40, -1, 6, 48), ("registers", "registers", 49, 8, 4, 32))
    # 102,400 ÷ 5 down to units of 128, less 1,024: 19,456 bytes for five blocks.
    assert found["shared_memory"] == (None, ("dynamic_shared", "shared_memory", 19_457, 7_169, 4, 32))
    # 40 warps by registers, in blocks of eight: one thread more makes nine, of which four fit.
    assert found["warps"] == (None, ("threads", "warps", 257, 1, 4, 36))
    assert list(by_budget(answer, block_size=False)) == ["registers", "shared_memory"]


def test_static_and_dynamic_memory_count_as_one() -> None:
    answer = ADA.occupancy(Launch(256, 32, 16_000, 1))
    found = by_budget(answer)["shared_memory"]
    assert found.better == ("dynamic_shared", "shared_memory", 16_000, -1, 6, 48)
    assert step_up(answer) == "1 byte less shared memory: 48 warps"


def test_a_rare_field_is_looked_at_where_its_budget_limits() -> None:
    """CC 12.0 has 24 barriers: five of them in a block leave four blocks, four leave six."""
    device = CHIPS["12.0"]
    answer = device.occupancy(Launch(256, 32, barriers=5))
    assert answer.limiters == ("barriers",) and step_up(answer) == "1 barrier fewer: 48 warps"
    assert "barriers" not in by_budget(device.occupancy(Launch(256, 64, barriers=2)))


def test_the_nearest_step_moves_least_of_its_range() -> None:
    # 53 registers and 19 KiB leave four and five blocks; 5 of 255 registers are less than 1 of 99 KiB is.
    answer = on_ada(256, 53, 19)
    found = nearest(answer)
    assert found.better == ("registers", "registers", 48, -5, 5, 40)
    # Down: registers 65, 12 of 255; shared memory from 24,577 on four blocks become three: 5,121 of 101,376.
    assert found.worse == ("registers", "registers", 65, 12, 3, 24)
    closer = on_ada(256, 53, 24)
    assert nearest(closer).worse == ("dynamic_shared", "shared_memory", 24_577, 1, 3, 24)


# An answer, the way up in a few words, and what to change together.
WAYS = [
    (on_ada(256, 41, 12), "1 register fewer: 48 warps", ""),
    (on_ada(256, 40, 12), "all 48 warp slots are taken", ""),
    # 64 registers and 24 KiB allow four blocks each: five want 51 registers and 98,304 ÷ 5 bytes.
    (on_paper(256, 64, 24), "registers 64 → 51 and shared memory 24,576 → 19,660: 40 warps",
     "registers 64 → 51 and shared memory 24,576 → 19,660: 40 warps"),
    # Warp slots tie: a way to change both would be another block size, which is not looked at here.
    (on_ada(1024, 64), "–", ""),
    (on_ada(640, 32), "–", ""),
    # Cannot run: 32 warps of 2,560 are 81,920; 64 registers are 65,536.
    (on_ada(1024, 80), "16 registers fewer: 32 warps", ""),
    (on_ada(256, 32, 120), "21,504 bytes less shared memory: 8 warps", ""),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "way", "both"), WAYS, ids=[way for _, way, _ in WAYS])
def test_the_way_up(answer: Any, way: str, both: str) -> None:
    assert step_up(answer) == way and together(answer) == both


def test_the_way_up_sets_its_numbers() -> None:
    assert step_up(on_paper(256, 64, 24), str) == "registers 64 → 51 and shared memory 24576 → 19660: 40 warps"
    assert step_up(on_ada(256, 32, 120), str) == "21504 bytes less shared memory: 8 warps"


# An answer and the advice.
ADVICE = [
    (on_ada(256, 51), "Registers 51 → 48 makes 40 of 48 warps resident instead of 32."),
    (on_ada(256, 40), "All 48 warp slots are taken: there is no more to gain."),
    (on_paper(256, 64, 24), "Registers + shared memory bind together, so change them together: registers 64 → 51 and shared memory 24,576 → 19,660 makes 40 of 48 warps resident instead of 32."),
    # 22 warps twice; 23 twice are 46 of 48 slots, and 48 warps of 1,280 registers just fit.
    (on_ada(700, 40), "Registers + warp slots bind together: threads 700 → 736 makes 46 of 48 warps resident instead of 44."),
    (on_ada(1024, 60), "Registers + warp slots bind together, so change them together: registers 60 → 40 and threads 1,024 → 768 makes 48 of 48 warps resident instead of 32."),
    (on_ada(32, 32), "Threads 32 → 64 makes 48 of 48 warps resident instead of 24."),
    (HOPPER.occupancy(Launch(288, 224)), "Registers 224 → 168 makes 9 of 64 warps resident instead of 0."),
    (ADA.occupancy(Launch(256, 40, cluster=4)), "This launch cannot run: clusters need compute capability 9.0; this device has 8.9."),
    (paper.SM(registers=32).occupancy(paper.Launch(64, 1)), "No other value of registers eases registers."),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "said"), ADVICE, ids=[said[:40] for _, said in ADVICE])
def test_advice(answer: Any, said: str) -> None:
    assert advice(answer).sentence == said


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(CHIPS)), varied)
def test_advice_comes_true_and_takes_no_more_than_it_must(cc: str, launch: Launch) -> None:
    device = CHIPS[cc]
    now = device.occupancy(launch)
    found = advice(now)
    if found.then is None:
        return
    changed = replace(launch, **{c.field: c.after for c in found.changes})
    assert found.then == device.occupancy(changed) and found.then.warps > now.warps
    assert all(getattr(launch, c.field) == c.before != c.after for c in found.changes)
    for change in found.changes:
        eased = device.range(field_of(launch, change.field))
        assert eased[0] <= int(change.after or 0)
        if change.field == "threads":
            assert int(change.after or 0) % 32 == 0
        else:
            # One less of the change, the others made: not so many warps.
            less = device.occupancy(replace(changed, **{change.field: int(change.after or 0) + 1}))
            assert less.warps < found.then.warps or len(found.changes) > 1


def test_more_shared_memory_can_make_room_where_the_next_pool_is_thrice_as_large() -> None:
    """Kepler with a preference for L1 keeps 16 KiB of shared memory, unless a block needs more: then 48 KiB."""
    device = CHIPS["3.5"]

    def steps(shared: int) -> Nearest:
        return next_step(
            device.occupancy(Launch(32, 16, dynamic_shared=shared, cache_preference="l1")), "dynamic_shared"
        )

    def at(value: int, change: int, blocks: int) -> Cliff:
        return Cliff("dynamic_shared", "shared_memory", value, change, blocks, blocks)

    assert steps(16_384) == (at(16_385, 1, 2), None)
    assert steps(16_385) == (at(5_376, -11_009, 3), at(16_384, -1, 1))
    assert steps(9_000) == (at(8_192, -808, 2), None)
    assert steps(24_577) == (at(24_576, -1, 2), None)
    # Down from 30,000 the nearest size that lets two blocks in is 24,576, not 8,192.
    change = advice(device.occupancy(Launch(32, 16, dynamic_shared=30_000, cache_preference="l1")))
    assert change.changes == (Change("shared_memory", "dynamic_shared", 30_000, 24_576),)


@pytest.mark.parametrize(
    ("cc", "launch", "changes", "warps"),
    [
        # Block slots and registers tie: the block grows once the registers have made room.
        (
            "5.0",
            Launch(32, 64),
            [("registers", "registers", 64, 56), ("blocks", "threads", 32, 64)],
            36,
        ),
        ("7.5", Launch(32, 40, dynamic_shared=4096), [("blocks", "threads", 32, 64)], 32),
        # The largest block there is.
        ("7.5", Launch(992, 32), [("warps", "threads", 992, 1024)], 32),
        # A kibibyte of reserve a block, and the author cannot ask for less than nothing.
        (
            "12.0",
            Launch(96, 80, carveout=0),
            [("registers", "registers", 80, 72), ("shared_memory", "static_shared", 0, None)],
            None,
        ),
        ("8.9", Launch(32, 32, carveout=0), [("shared_memory", "static_shared", 0, None)], None),
    ],
)
def test_what_to_change_by_value(cc: str, launch: Launch, changes: list[Any], warps: int | None) -> None:
    answer = CHIPS[cc].occupancy(launch)
    made = advice(answer)
    assert [tuple(c) for c in made.changes] == changes
    assert (made.then and made.then.warps) == warps
    assert together(answer) == ""


def test_what_cannot_be_eased_is_not_among_the_moves() -> None:
    made = (Change("registers", "registers", 60, 51), Change("warps", "threads", 96, None))
    assert Advice(on_ada(96, 60), made, None).moves() == "registers 60 → 51"


def test_steps_as_data() -> None:
    made = next_step(on_ada(256, 51), "registers").record()
    assert made == {
        "better": {"field": "registers", "budget": "registers", "value": 48, "change": -3, "blocks": 5, "warps": 40},
        "worse": {"field": "registers", "budget": "registers", "value": 65, "change": 14, "blocks": 3, "warps": 24},
    }
    assert next_step(on_ada(256, 40), "registers").record()["better"] is None
    assert Nearest(None, None).record() == {"better": None, "worse": None}


def test_no_size_of_dynamic_memory_helps_where_the_static_part_cannot_be_compiled() -> None:
    answer = nvidia.device("9.0").for_code("sm_90").occupancy(Launch(128, 32, 60_000, 1000))
    assert by_budget(answer)["shared_memory"].better is None
    assert advice(answer).changes[-1] == change("shared_memory", "static_shared", 60_000, 49_152)
