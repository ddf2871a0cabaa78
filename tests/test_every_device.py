"""What must hold for every launch, on the paper SM and on every device of every vendor."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from occusite import amd, intel, nvidia, paper
from occusite.model import Occupancy
from occusite.nvidia import Device, Launch
from occusite.questions import steps
from occusite.questions.grid import waves as waves_of

DEVICES = {capability: nvidia.device(capability) for capability in nvidia.CHIPS}

paper_sms = st.builds(
    paper.SM,
    registers=st.integers(1, 131_072),
    shared_memory=st.integers(1, 262_144),
    warps=st.integers(1, 64),
    blocks=st.integers(1, 32),
)
paper_launches = st.builds(
    paper.Launch,
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    shared_memory=st.integers(0, 120_000),
)
launches = st.builds(
    Launch,
    threads=st.integers(1, 1100),
    registers=st.integers(0, 260),
    static_shared=st.one_of(st.just(0), st.integers(0, 110_000)),
    dynamic_shared=st.one_of(st.just(0), st.integers(0, 240_000)),
    max_dynamic_shared=st.one_of(st.none(), st.integers(0, 240_000)),
    opt_in=st.booleans(),
    carveout=st.one_of(st.none(), st.integers(0, 100)),
    barriers=st.integers(0, 70),
    partitioned_caching=st.sampled_from(("off", "on", "strict")),
    cluster=st.sampled_from((1, 1, 1, 2, 8, 17)),
    virtual=st.one_of(st.just(0), st.integers(0, 140)),
    cache_preference=st.sampled_from(("none", "shared", "l1", "equal")),
)
chips = st.sampled_from(list(DEVICES.values()))
amd_devices = st.builds(amd.device, st.sampled_from(list(amd.TARGETS)), st.sampled_from(amd.RULES))
amd_launches = st.builds(
    amd.Launch,
    work_items=st.integers(1, 1100),
    vgprs=st.one_of(st.integers(0, 130), st.integers(0, 1030)),
    sgprs=st.integers(0, 130),
    lds=st.one_of(st.just(0), st.integers(0, 70_000), st.integers(0, 330_000)),
    agprs=st.one_of(st.just(0), st.integers(0, 257)),
    wave_size=st.sampled_from((None, None, 32, 64)),
    cu_mode=st.booleans(),
    least_work_items=st.one_of(st.none(), st.none(), st.integers(1, 1024)),
    least_waves=st.one_of(st.none(), st.integers(1, 21)),
    most_waves=st.one_of(st.none(), st.integers(1, 21)),
)
intel_devices = st.builds(intel.device, st.sampled_from(list(intel.ARCHITECTURES)))
intel_launches = st.builds(
    intel.Launch,
    work_items=st.integers(1, 1100),
    sub_group=st.sampled_from((8, 16, 32)),
    slm=st.one_of(st.just(0), st.integers(0, 140_000)),
    barrier=st.booleans(),
    large_grf=st.booleans(),
)
cases = st.one_of(
    st.tuples(chips, launches),
    st.tuples(paper_sms, paper_launches),
    st.tuples(amd_devices, amd_launches),
    st.tuples(intel_devices, intel_launches),
)


def answer(case: tuple[Any, Any]) -> Occupancy:
    device, launch = case
    found: Occupancy = device.occupancy(launch)
    return found


@given(cases)
def test_result_is_the_least_limit_and_binding_names_every_tie(case: tuple[Any, Any]) -> None:
    found = answer(case)
    # A rule set without whole blocks limits warps alone; what cannot run has no blocks by any.
    whole = found.rules.whole_blocks or not found.runs
    allowed = {b: limit.blocks if whole else limit.warps for b, limit in found.limits.items()}
    resident = found.blocks if whole else found.warps
    if found.limiters:
        assert resident == min(v for v in allowed.values() if v is not None)
        assert found.limiters == tuple(b for b, v in allowed.items() if v == resident)
    else:
        # A mode that the device does not have is no budget.
        assert found.blocks == 0
        assert any(word in found.reason for word in ("cluster", "waves of", "sub-groups of", "large GRF"))
    assert found.warps <= found.slots
    assert found.occupancy is None if found.blocks == 0 else 0 < found.occupancy <= 1
    assert bool(found.reason) == (found.blocks == 0) == (not found.runs)


@given(cases, st.data())
def test_residency_never_grows_with_an_appetite(case: tuple[Any, Any], data: st.DataObject) -> None:
    device, launch = case
    slots = {b.key: b.slot for b in device.budgets}
    field = data.draw(st.sampled_from([f for f in launch.FIELDS if f.whole and slots.get(f.eases, "warps") != "warps"]))
    assume(field.name != "static_shared" or launch.max_dynamic_shared is None)
    here = getattr(launch, field.name)
    value = data.draw(st.integers(here, min(here + 5000, field.high or here + 5000)))
    assume(not any(here <= turn < value for turn in device.turns(launch, field)))
    more = replace(launch, **{field.name: value})
    before, after = device.occupancy(launch), device.occupancy(more)
    assert after.blocks <= before.blocks
    assert after.warps <= before.warps


@given(chips, st.sampled_from(("none", "l1", "equal", "shared")), st.none() | st.integers(0, 100), st.integers(0, 2000))
def test_turns_are_where_shared_memory_alone_lets_more_blocks_in_again(
    device: Device, preference: str, carveout: int | None, static: int
) -> None:
    launch = Launch(32, 0, static_shared=static, cache_preference=preference, carveout=carveout, opt_in=True)
    field = next(f for f in Launch.FIELDS if f.name == "dynamic_shared")

    def blocks(dynamic: int) -> int:
        return device.occupancy(replace(launch, dynamic_shared=dynamic)).limits["shared_memory"].blocks or 0

    # Allocations grow in units of at least 128 bytes, and every unit's edge is a multiple of it less what is fixed.
    edge = -(static + device.reserved_shared_memory) % 128
    last = device.range(field)[1] - static
    grown = {v for v in range(edge, last, 128) if 0 < blocks(v) < blocks(v + 1)}
    assert grown == set(device.turns(launch, field))


@given(amd_devices, amd_launches)
def test_turns_are_where_lds_alone_lets_the_compiler_count_more_waves_again(
    device: amd.Device, launch: amd.Launch
) -> None:
    launch = replace(launch, vgprs=0, agprs=0, sgprs=0, least_waves=None, most_waves=None, wave_size=None)
    field = next(f for f in launch.FIELDS if f.name == "lds")
    turns = device.turns(launch, field)
    # LDS is allocated in units of at least 4 bytes in LLVM 24; LLVM 22 counts bytes, and the edges are checked one by one.
    step = 256
    counted = [device.occupancy(replace(launch, lds=v)).warps for v in range(0, device.range(field)[1], step)]
    grown = [(i * step, (i + 1) * step) for i, (a, b) in enumerate(pairwise(counted)) if b > a]
    assert all(any(low <= turn < high for turn in turns) for low, high in grown)
    alone = replace(launch, lds=0)
    for turn in turns:
        if turn < device.range(field)[1]:
            before, after = (device.occupancy(replace(alone, lds=v)).warps for v in (turn, turn + 1))
            assert after >= before


@given(chips, launches)
def test_fast_path_equals_the_rich_answer(device: Device, launch: Launch) -> None:
    found = device.occupancy(launch)
    count = device.block_counter(launch)
    assert count(launch.threads, launch.registers, launch.dynamic_shared) == found.blocks


@given(paper_sms, paper_launches)
def test_fast_path_equals_the_rich_answer_on_paper(device: paper.SM, launch: paper.Launch) -> None:
    fast = device.resident_blocks(launch.threads, launch.registers, launch.shared_memory)
    assert fast == device.occupancy(launch).blocks


@given(cases, st.data())
def test_a_counter_of_any_fields_equals_the_rich_answer(case: tuple[Any, Any], data: st.DataObject) -> None:
    device, launch = case
    names = [field.name for field in launch.FIELDS if field.whole and getattr(launch, field.name) is not None]
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    rich = device.occupancy(launch)
    assert device.counter(launch, *chosen)(*(getattr(launch, name) for name in chosen)) == (rich.blocks, rich.warps)


@given(cases)
def test_steps_carry_their_numbers_and_come_to_the_limits(case: tuple[Any, Any]) -> None:
    found = answer(case)
    for step in found.steps:
        assert step.shape.count("{}") == len(step.numbers)
        assert step.text(lambda number: f"<{number}>").count("<") - step.shape.count("<") == len(step.numbers)
    for cause in found.causes:
        assert cause.shape.count("{}") == len(cause.numbers)


@settings(max_examples=60)
@given(cases)
@example((paper.SM(64, 1, 1, 1), paper.Launch(33, 2, 2)))
@example((amd.device("gfx600"), amd.Launch(513, 85, 105)))
@example((intel.device("gen9"), intel.Launch(1, 8, 65_537, large_grf=True)))
def test_easing_all_tied_budgets_raises_residency(case: tuple[Any, Any]) -> None:
    """All the changes together gain warps; the answer then is bound by some budget again, or the SM is full."""
    device, launch = case
    found = steps.advice(device.occupancy(launch))
    assert found.sentence.endswith(".")
    if found.then is None:
        assert found.now.warps == found.now.slots or not found.changes or any(c.after is None for c in found.changes)
        return
    assert found.then.warps > found.now.warps
    assert found.then.limiters
    for change in found.changes:
        assert change.after != change.before
        assert getattr(found.then.launch, change.field) == change.after


@settings(max_examples=60)
@given(chips, st.integers(1, 32), st.integers(33, 255))
def test_easing_one_of_two_tied_budgets_gains_no_block(device: Device, warps: int, registers: int) -> None:
    launch = Launch(32 * warps, registers)
    blocks = device.occupancy(launch).blocks
    assume(blocks)
    launch = replace(launch, dynamic_shared=device.available_dynamic_shared(launch, blocks))
    assume(device.occupancy(launch).limiters == ("registers", "shared_memory"))
    found = steps.advice(device.occupancy(launch))
    assert [c.budget for c in found.changes] == ["registers", "shared_memory"]
    for change in found.changes:
        if change.after is not None:
            assert device.occupancy(replace(launch, **{change.field: change.after})).blocks == blocks
    if found.then:
        assert found.then.blocks > blocks


@given(chips, launches, st.integers(1, 8))
def test_room_for_dynamic_shared_memory_keeps_the_blocks(device: Device, launch: Launch, blocks: int) -> None:
    assume(device.major >= 5)
    plain = replace(launch, dynamic_shared=0)
    assume(device.occupancy(plain).blocks >= blocks)
    room = device.available_dynamic_shared(launch, blocks)
    assert device.occupancy(replace(launch, dynamic_shared=room)).blocks >= blocks


@settings(max_examples=40)
@given(chips, launches)
def test_block_size_suggestions_are_the_best_of_all_sizes(device: Device, launch: Launch) -> None:
    count = device.block_counter(launch)
    resident = {
        size: size * count(size, launch.registers, launch.dynamic_shared)
        for size in range(device.warp_size, device.max_threads_per_block + 1, device.warp_size)
    }
    best = max(resident.values())
    large, small = device.potential_block_size(launch), device.smallest_block_size(launch)
    if best == 0:
        assert large.threads == small.threads == 0
        return
    assert large.threads * large.blocks == small.threads * small.blocks == best
    assert large.threads == max(size for size, threads in resident.items() if threads == best)
    assert small.threads == min(size for size, threads in resident.items() if threads == best)
    assert large.min_grid == large.blocks * device.sm_count


@given(chips, launches, st.integers(1, 10_000_000))
def test_waves_add_up(device: Device, launch: Launch, grid: int) -> None:
    grid *= launch.cluster
    if not device.occupancy(launch).runs:
        with pytest.raises(ValueError, match="cannot run"):
            waves_of(device.occupancy(launch), grid)
        return
    assume(device.occupancy(launch).blocks * device.sm_count >= launch.cluster)
    found = waves_of(device.occupancy(launch), grid)
    assert found.full * found.per_wave + found.tail == grid
    assert 0 <= found.tail < found.per_wave
    assert 0 < found.efficiency <= 1
    assert (found.efficiency == 1) == (found.tail == 0)
