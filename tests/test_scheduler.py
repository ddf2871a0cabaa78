"""The scheduler model: against a plain cycle-by-cycle reference, against Little's law, and its own bookkeeping."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import scheduler
from occusite.scheduler import (
    MOST_WARPS,
    POLICIES,
    SHORTFALL,
    STARTS,
    STATES,
    Kernel,
    expected,
    roof,
    simulate,
    warps_to_saturate,
)

WARPS = (1, 3, 6, 8, 11, 16)


def kernels(**fixed: int) -> st.SearchStrategy[Kernel]:
    def build(**values: int) -> Kernel:
        values |= fixed
        if not values["loads"] and not values["arithmetic"]:
            values["arithmetic"] = 1
        return Kernel(**values)

    return st.builds(
        build,
        loads=st.integers(0, 5),
        arithmetic=st.integers(0, 30),
        latency=st.integers(1, 120),
        rounds=st.integers(1, 3),
        pipeline=st.integers(1, 6),
        independent=st.integers(1, 6),
        interval=st.integers(1, 12),
    )


def step_by_step(kernel: Kernel, warps: int, policy: str, starts: list[int], cycles: int) -> list[tuple[int, int]]:
    """(cycle, warp) of every issue, found the slow way: every cycle, ask every warp whether it could issue."""
    body = kernel.body()
    results: list[list[int]] = [[] for _ in range(warps)]
    memory_free, last, found = 0, 0 if policy == "greedy" else warps - 1, []
    for cycle in range(cycles):

        def can(warp: int, now: int = cycle) -> bool:
            mine = results[warp]
            needs = body[len(mine) % len(body)][1]
            return now >= starts[warp] and (not needs or needs > len(mine) or mine[-needs] <= now)

        order = [last, *range(warps)] if policy == "greedy" else [(last + 1 + i) % warps for i in range(warps)]
        warp = next((w for w in order if can(w)), None)
        if warp is None:
            continue
        last = warp
        if body[len(results[warp]) % len(body)][0]:
            begin = max(cycle, memory_free)
            memory_free = begin + kernel.interval
            results[warp].append(begin + kernel.latency)
        else:
            results[warp].append(cycle + kernel.pipeline)
        found.append((cycle, warp))
    return found


@settings(max_examples=150, deadline=None)
@given(kernels(), st.integers(1, 6), st.sampled_from(list(POLICIES)), st.sampled_from(list(STARTS)))
def test_equals_a_reference_that_steps_through_every_cycle(kernel: Kernel, warps: int, policy: str, start: str) -> None:
    run = simulate(kernel, warps, policy, start, cycles=400)
    starts = [w * kernel.alone // warps if start == "spread" else 0 for w in range(warps)]
    assert [(i[0], i[1]) for i in run.issues if i[0] < 400] == step_by_step(kernel, warps, policy, starts, 400)


@settings(max_examples=100, deadline=None)
@given(kernels())
def test_a_lone_warp_takes_as_long_as_the_formula_says(kernel: Kernel) -> None:
    run = simulate(kernel, 1)
    assert run.steady
    assert run.throughput == Fraction(kernel.instructions, kernel.alone)


@settings(max_examples=150, deadline=None)
@given(kernels(), st.integers(1, 16), st.sampled_from(list(POLICIES)), st.sampled_from(list(STARTS)))
def test_no_schedule_beats_the_law(kernel: Kernel, warps: int, policy: str, start: str) -> None:
    run = simulate(kernel, warps, policy, start)
    assert run.throughput <= expected(kernel, warps)


@settings(max_examples=60, deadline=None)
@given(kernels(), st.integers(1, 10), st.sampled_from(list(POLICIES)), st.integers(1, 4))
def test_a_steady_rate_holds_for_ever(kernel: Kernel, warps: int, policy: str, periods: int) -> None:
    run = simulate(kernel, warps, policy)
    if run.steady:
        end = run.warm_up + periods * run.period
        longer = simulate(kernel, warps, policy, cycles=min(end, 100_000))
        issued = sum(run.warm_up <= i[0] < end for i in longer.issues)
        assert end > 100_000 or issued == run.throughput * periods * run.period


def grid(independent: int, intervals: tuple[int, ...] = (1, 40)) -> list[tuple[Kernel, int]]:
    """One wait per pass: loads at once, then arithmetic; latencies, loads, arithmetic and bandwidths far apart."""
    loops = [
        Kernel(loads, arithmetic, latency, independent=independent, interval=interval)
        for loads, arithmetic, latency, interval in product((1, 2, 8), (0, 8, 40, 160), (100, 400, 800), intervals)
    ]
    return [(kernel, warps) for kernel in [*loops, Kernel(0, 8, independent=independent)] for warps in WARPS]


@pytest.mark.parametrize(
    ("promise", "policy", "start", "independent"),
    [
        ("one wait per pass, greedy", "greedy", "together", 4),
        ("one wait per pass, greedy", "greedy", "spread", 4),
        ("one wait per pass, round-robin from a spread start", "round_robin", "spread", 4),
        ("dependent arithmetic, greedy", "greedy", "together", 1),
        ("one wait per pass, round-robin from a common start", "round_robin", "together", 4),
    ],
)
def test_littles_law(promise: str, policy: str, start: str, independent: int) -> None:
    """Simulated throughput is min(slope, roof), less what `SHORTFALL` admits."""
    falls = []
    for kernel, warps in grid(independent):
        run, law = simulate(kernel, warps, policy, start), expected(kernel, warps)
        assert run.throughput <= law, (kernel, warps)
        falls.append(float(1 - run.throughput / law))
    assert max(falls) <= SHORTFALL[promise]
    assert max(falls) >= SHORTFALL[promise] / 2, "the tolerance is looser than it need be"


def test_round_robin_from_a_common_start_runs_in_a_convoy() -> None:
    """All warps reach their loads together, and the scheduler runs dry although the law says it need not."""
    kernel = Kernel(loads=1, arithmetic=40, latency=400)
    warps = 11
    assert expected(kernel, warps) == 1
    convoy = simulate(kernel, warps, "round_robin")
    # Each warp's turn comes last by warps - 1 cycles, then all wait for what is left of the latency.
    assert convoy.period == warps * kernel.instructions + kernel.latency - warps
    assert convoy.throughput == Fraction(warps * kernel.instructions, convoy.period)
    assert simulate(kernel, warps, "round_robin", "spread").throughput > Fraction(99, 100)


def test_the_books_example_runs_dry_below_eleven_warps() -> None:
    kernel = Kernel(loads=1, arithmetic=40, latency=400)
    assert kernel.alone == 440
    assert simulate(kernel, 4).throughput == Fraction(4 * 41, 440)
    assert simulate(kernel, 10).idle > 0
    assert simulate(kernel, 11).idle == 0
    assert warps_to_saturate(kernel) == 11


def test_independent_loads_stand_in_for_warps() -> None:
    """With pure loads, k loads per warp need a kth of the warps."""
    for loads in (1, 2, 4, 8):
        assert warps_to_saturate(Kernel(loads, 0, latency=400, interval=25)) == 16 // loads


def test_arithmetic_obeys_the_same_law() -> None:
    """A pipeline of four cycles: four warps of one chain, two of two, one of four."""
    for independent in (1, 2, 4):
        assert warps_to_saturate(Kernel(0, 8, independent=independent)) == 4 // independent
        assert simulate(Kernel(0, 8, independent=independent), 1).throughput == Fraction(independent, 4)


def test_a_pointer_chase_pays_the_latency_each_round() -> None:
    once, thrice = Kernel(1, 40, 400), Kernel(1, 40, 400, rounds=3)
    assert thrice.alone - once.alone == 800


def test_bandwidth_is_a_roof() -> None:
    kernel = Kernel(2, 20, 400, interval=40)
    assert roof(kernel) == Fraction(22, 80)
    for warps in (12, 40):
        assert simulate(kernel, warps, patience=20_000).loads_per_cycle == Fraction(1, 40)


@settings(max_examples=80, deadline=None)
@given(kernels(), st.integers(1, 8), st.sampled_from(list(POLICIES)), st.sampled_from(list(STARTS)))
def test_a_timeline_has_no_gaps_and_no_two_issues_in_one_cycle(
    kernel: Kernel, warps: int, policy: str, start: str
) -> None:
    run = simulate(kernel, warps, policy, start, cycles=300)
    lanes = run.timeline(300)
    assert len(lanes) == warps
    busy = []
    for lane in lanes:
        assert lane[0].first == 0
        assert lane[-1].end == 300
        for before, after in pairwise(lane):
            assert before.end == after.first
            assert before.state != after.state
        assert {s.state for s in lane} <= set(STATES)
        busy += [c for s in lane if s.state in ("issue", "load") for c in range(s.first, s.end)]
    assert len(busy) == len(set(busy)) == sum(i[0] < 300 for i in run.issues)
    # Work-conserving: a warp is left ready only while another issues.
    ready = {c for lane in lanes for s in lane if s.state == "ready" for c in range(s.first, s.end)}
    assert ready <= set(busy)


@settings(max_examples=40, deadline=None)
@given(kernels(), st.sampled_from([0.5, 0.9, 1.0]), st.sampled_from([1, 7, MOST_WARPS]))
def test_the_warps_that_saturate_do_and_one_fewer_does_not(kernel: Kernel, share: float, most: int) -> None:
    need = warps_to_saturate(kernel, share=share, most=most)
    target = Fraction(str(share)) * roof(kernel)
    if need is None:
        assert simulate(kernel, most).throughput < target
    else:
        assert simulate(kernel, need).throughput >= target
        assert need == 1 or simulate(kernel, need - 1).throughput < target


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("loads", -1, "0–64"),
        ("loads", 65, "0–64"),
        ("arithmetic", -1, "0–10000"),
        ("latency", 0, "1–100000"),
        ("rounds", 0, "1–64"),
        ("pipeline", 0, "1–1000"),
        ("independent", 0, "1–64"),
        ("interval", 0, "1–100000"),
        ("latency", 1.5, "1–100000"),
    ],
)
def test_a_loop_out_of_range_is_refused(field: str, value: int, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"{field}: {value}.*{allowed}"):
        Kernel(**{field: value})


def test_a_loop_without_instructions_is_refused() -> None:
    with pytest.raises(ValueError, match=r"arithmetic: 0 .*1–10000"):
        Kernel(loads=0, arithmetic=0)


def test_other_bad_input_is_refused() -> None:
    kernel = Kernel()
    with pytest.raises(ValueError, match=r"warps: 0 .*1–64"):
        simulate(kernel, 0)
    with pytest.raises(ValueError, match=r"warps: 65 .*1–64"):
        expected(kernel, 65)
    with pytest.raises(ValueError, match=r"policy: 'fair' .*greedy, round_robin"):
        simulate(kernel, 4, "fair")
    with pytest.raises(ValueError, match=r"start: 'late' .*together, spread"):
        simulate(kernel, 4, "greedy", "late")
    with pytest.raises(ValueError, match=r"cycles: -1 .*0–100000"):
        simulate(kernel, 4, cycles=-1)
    with pytest.raises(ValueError, match=r"patience: -1 .*0–10000000"):
        simulate(kernel, 4, patience=-1)
    with pytest.raises(ValueError, match=r"share: 1.5 .*at most 1"):
        warps_to_saturate(kernel, share=1.5)
    with pytest.raises(ValueError, match=r"most: 65 .*1–64"):
        warps_to_saturate(kernel, most=65)
    run = simulate(kernel, 4, cycles=500)
    with pytest.raises(ValueError, match=f"cycles: {run.end + 1} .*1–{run.end}"):
        run.timeline(run.end + 1)


# ---------- three regimes ----------


@pytest.mark.parametrize(
    ("issued", "bandwidth", "wanted"),
    [
        (0.15, 0.91, "bandwidth-bound"),  # a streaming kernel at the roof: the scheduler is dry most of the time
        (0.93, 0.20, "issue-bound"),  # an SGEMM at 17 % occupancy whose scheduler nearly always issues
        (0.04, 0.06, "latency-bound"),  # a pointer chase
        (0.79, 0.79, "latency-bound"),
        (0.8, 0, "issue-bound"),
        (0, 0.8, "bandwidth-bound"),
        (0.85, 0.95, "bandwidth-bound"),  # both near: the nearer roof
        (1, 1, "issue-bound"),
        (0, 0, "latency-bound"),
    ],
)
def test_a_regime_is_a_roof_or_neither(issued: float, bandwidth: float, wanted: str) -> None:
    assert scheduler.regime(issued, bandwidth) == wanted
    assert tuple(scheduler.REGIMES) == ("issue-bound", "bandwidth-bound", "latency-bound")


def test_only_a_latency_bound_run_gains_from_a_warp() -> None:
    """The simulator's own runs: what the regime promises about one warp more is what happens."""
    for interval in (1, 20, 60):
        for arithmetic in (5, 40):
            kernel = scheduler.Kernel(1, arithmetic, 400, interval=interval)
            for warps in range(1, 32):
                here, more = (scheduler.simulate(kernel, w).throughput for w in (warps, warps + 1))
                bound = scheduler.simulate(kernel, warps).regime(near=1.0)
                assert (more > here) == (bound == "latency-bound"), (interval, arithmetic, warps)


@pytest.mark.parametrize(
    ("given", "field"), [((-0.1, 0), "issued"), ((0, 1.1), "bandwidth"), ((True, 0), "issued"), ((0, 0, 0), "near")]
)
def test_a_share_outside_its_range_is_refused(given: tuple[float, ...], field: str) -> None:
    with pytest.raises(ValueError, match=f"{field}: "):
        scheduler.regime(*given)
