"""What chapters 1 and 7 quote of the scheduler: tables by hand, and the chart of knees where its dots and lines stand."""

from __future__ import annotations

from math import ceil

import pytest

from occusite import devices
from occusite.book.content import scheduling
from tests.book.by_hand import resident
from tests.book.seen import caption, cells, drawn, headings

A100 = "A100 SXM 80 GB"


def test_twice_the_independence_half_the_warps() -> None:
    """On an A100: the demand halves with each doubling, and the registers a thread may use double."""
    # 4 × ⌈544 ÷ 38⌉, 4 × ⌈544 ÷ 76⌉, …
    assert scheduling.knees_of(A100) == {1: 60, 2: 32, 4: 16, 8: 8}
    # 4 × ⌈625 ÷ 210⌉ = 12, ⌈625 ÷ 420⌉ = 2, then one each.
    assert scheduling.knees_of("L40") == {1: 12, 2: 8, 4: 4, 8: 4}
    table = scheduling.trade(A100, "8.0")
    rows = []
    for k, need in ((1, 60), (2, 32), (4, 16), (8, 8)):
        enough = [r for r in range(1, 256) if 8 * resident("8.0", 256, r) >= need]
        warps = 8 * resident("8.0", 256, max(enough))
        rows.append([str(k), str(need), str(warps), f"{100 * warps / 64:.0f} %", str(max(enough))])
    assert cells(table) == rows
    assert [row[2:] for row in rows] == [
        ["64", "100 %", "32"],
        ["32", "50 %", "64"],
        ["16", "25 %", "128"],
        ["8", "12 %", "255"],
    ]
    assert caption(table) == f"{A100}: demand for warps, and the registers it leaves, 256 threads per block"
    assert headings(table) == [
        *("independent loads", "warps needed", "resident", "occupancy", "registers per thread, at most"),
    ]


@pytest.mark.parametrize("name", scheduling.MEMORIES)
def test_the_memories_are_those_of_the_gpu_table(name: str) -> None:
    """A few rows stand in the code, so that the browser need not load the whole table; they must not drift from it."""
    memory = scheduling.MEMORIES[name]
    gpu = devices.gpu(name.removesuffix(" 80 GB"))
    assert (gpu.device.sm_count, gpu.bandwidth_gb_s, gpu.boost_mhz) == (memory.sms, memory.bandwidth, memory.clock)
    assert gpu.device.warps_per_sm == memory.slots
    measured = [m for g in devices.gpus() if g.chip == gpu.chip for m in g.latency if m.clock_mhz == memory.clock]
    assert memory.latency in {round(sum(m.dram_cycles) / 2 + 1e-9) for m in measured if m.dram_cycles}
    # A scheduler's share of the bandwidth, in bytes a cycle; 128 bytes an access.
    bytes_per_cycle = memory.bandwidth / memory.sms / 4 * 1000 / memory.clock
    assert memory.interval == round(128 / bytes_per_cycle)


@pytest.mark.parametrize(
    ("latency", "interval", "independent", "warps"),
    [(544, 38, 1, 15), (544, 38, 2, 8), (544, 38, 8, 2), (4, 1, 1, 4), (400, 4, 1, 100), (1, 5, 1, 1)],
)
def test_a_knee(latency: int, interval: int, independent: int, warps: int) -> None:
    assert scheduling.knee(latency, interval, independent) == warps


def test_dry_cycles() -> None:
    # A loop of 41 instructions takes a lone warp 400 + 40 cycles.
    assert scheduling.dry(scheduling.loop(4)) == f"{100 - 100 * 4 * 41 / 440:.0f}\u202f%" == "63\u202f%"
    assert scheduling.dry(scheduling.loop(11)) == "0\u202f%"
    assert scheduling.enough() == ceil(440 / 41) == 11
    assert scheduling.enough(latency=200, arithmetic=40) == ceil(240 / 41)
    assert scheduling.enough(loads=2) < scheduling.enough()
    assert scheduling.loop(2, loads=2, arithmetic=10).kernel.arithmetic == 20


def test_idle_by_warps() -> None:
    table = scheduling.idle_by_warps(1, 4, 11, 16)
    assert cells(table) == [
        # 41 ÷ 440 = 0.093 for each warp, up to one.
        ["1", "1 × 41 ÷ 440", "0.09", "0.09", "91 %"],
        ["4", "4 × 41 ÷ 440", "0.37", "0.37", "63 %"],
        ["11", "11 × 41 ÷ 440", "1.00", "1.00", "0 %"],
        ["16", "16 × 41 ÷ 440", "1.00", "1.00", "0 %"],
    ]
    assert caption(table) == "One scheduler, 400 cycles latency, 40 instructions per load"
    assert headings(table) == ["warps", "slope", "law: issued per cycle", "simulated", "nothing to issue"]
    # Two loads, 20 instructions: 22 in 100 + 1 + 20 cycles.
    assert cells(scheduling.idle_by_warps(2, latency=100, loads=2, arithmetic=10)) == [
        ["2", "2 × 22 ÷ 121", "0.36", "0.36", "64 %"]
    ]


def test_policies() -> None:
    table = scheduling.policies(4)
    names = [row[:2] for row in cells(table)]
    greedy, turns = "greedy, then oldest", "loose round-robin"
    together, spread = "all warps at cycle 0", "warps spread over one loop"
    assert names == [[greedy, together], [greedy, spread], [turns, together], [turns, spread]]
    # Taking turns from one start, all four load together and wait together: 164 instructions in 400 + 4 × 40 + 4.
    assert [row[2] for row in cells(table)] == ["63 %", "63 %", f"{100 - 100 * 164 / 564:.0f} %", "63 %"]
    assert caption(table) == "4 warps of the same loop, four schedules"
    assert headings(table) == ["policy", "start", "nothing to issue"]
    assert caption(scheduling.policies()) == "11 warps of the same loop, four schedules"


def test_knees() -> None:
    table = scheduling.knees(544, 38, 48)
    assert cells(table) == [
        # 48 of 57.3 warps: 12 × 38 ÷ 544.
        ["1", "60", "no room", "84 %"],
        ["2", "32", "67 %", "100 %"],
        ["4", "16", "33 %", "100 %"],
        ["8", "8", "17 %", "100 %"],
    ]
    assert caption(table) == "Warps per SM, of 48 slots, and the share of peak they reach"
    assert headings(table) == ["independent", "warps needed", "occupancy", "simulated"]
    assert cells(scheduling.knees(64, 4, 64))[0] == ["1", "64", "100 %", "100 %"]


def test_a_share_of_the_bandwidth() -> None:
    # 15 warps of 16: 16 × 38 ÷ 544 is above one. The H100's 834 cycles want 21.
    assert scheduling.reached(A100, 1) == "100\u202f%"
    assert scheduling.reached("H100 SXM", 1) == f"{100 * 16 * 40 / 834:.0f}\u202f%"
    assert scheduling.share(544, 38, 1, 12) == pytest.approx(100 * 12 * 38 / 544)


def test_assumptions_are_the_models() -> None:
    table = scheduling.assumptions()
    assert headings(table) == ["the model", "a real SM"] and len(table.rows) == 6
    assert caption(table) == "What the scheduler model assumes" and "<tbody><tr><td" in table.html()


def test_the_chart_of_knees() -> None:
    chart = scheduling.concurrency(544, 38, 48)
    exact = {k: 4 * 544 / 38 / k for k in (1, 2, 4, 8)}  # 57.3, 28.6, 14.3, 7.2 warps
    lines = {k: [(p["warps"], p["share"]) for p in chart.datasets["lines"] if p["k"] == k] for k in exact}
    assert lines[1] == [(4, pytest.approx(400 / exact[1])), (48, pytest.approx(100 * 48 / exact[1]))]
    for k in (2, 4, 8):
        assert lines[k] == [(4, pytest.approx(400 / exact[k])), (pytest.approx(exact[k]), 100), (48, 100)]
    labels = [(p["warps"], p["share"], p["text"], p["end"]) for p in chart.datasets["labels"]]
    assert labels == [
        (48, pytest.approx(100 * 48 / exact[1]), "1", True),
        (28.6, 100, "2", False),
        (14.3, 100, "4", False),
        (7.2, 100, "8", False),
    ]
    # One dot for one warp a scheduler, then every second, to two beyond the knee and no further than the slots.
    dots = {k: [p["warps"] for p in chart.datasets["dots"] if p["k"] == k] for k in exact}
    assert dots == {1: [4, 8, 16, 24, 32, 40, 48], 2: [4, 8, 16, 24, 32, 40], 4: [4, 8, 16, 24], 8: [4, 8, 16]}
    for dot in chart.datasets["dots"]:
        assert dot["share"] == pytest.approx(min(100, 100 * dot["warps"] / exact[dot["k"]]), abs=0.01)
    assert chart.alt == (
        "Share of peak against resident warps from 4 on, a slope then a roof, for 1, 2, 4 and 8 operations per warp. "
        "1 independent: 84 % with all 48 warps; 2 independent: 32 warps; 4 independent: 16 warps; 8 independent: 8 warps."
    )


def test_knees_on_one_spot_share_a_label() -> None:
    """A latency of one cycle: every line is on its roof before the first warp is there."""
    chart = scheduling.concurrency(1, 500, 32)
    assert [p["text"] for p in chart.datasets["labels"]] == ["1, 2, 4, 8"]
    assert {(p["warps"], p["share"]) for p in chart.datasets["lines"]} == {(4, 100), (32, 100)}
    assert scheduling.concurrency(2000, 1, 32).alt.endswith(
        "1 independent: 0 % with all 32 warps; 2 independent: 1 % with all 32 warps; "
        "4 independent: 2 % with all 32 warps; 8 independent: 3 % with all 32 warps."
    )


def test_the_marks_stand_where_the_data_say() -> None:
    """564 by 192 pixels for 48 warps and 112 per cent."""
    chart = scheduling.concurrency(544, 38, 48)
    dots = drawn(chart, 1)
    assert len(dots) == len(chart.datasets["dots"])
    for dot, mark in zip(chart.datasets["dots"], dots, strict=True):
        assert mark.x == pytest.approx(564 * dot["warps"] / 48, abs=0.01)
        assert mark.y == pytest.approx(192 * (1 - dot["share"] / 112), abs=0.01)
    knees = [(line.x2, line.y2) for line in drawn(chart, 0) if line.x == pytest.approx(47)]
    by_hand = [(48, 48 * 38 / 544 / 4 * 100), *[(4 * 544 / 38 / k, 100) for k in (2, 4, 8)]]
    assert sorted(knees) == [
        (pytest.approx(564 * w / 48, abs=0.01), pytest.approx(192 * (1 - s / 112), abs=0.01))
        for w, s in sorted(by_hand)
    ]
    assert [mark.text for mark in drawn(chart, 2)] == ["1", "2", "4", "8"]


def test_regimes() -> None:
    """Roofs by hand: 12 × 41 ÷ 440 is above one; a load every 60 cycles carries 41 instructions, 41 ÷ 60 of the cycles."""
    table = scheduling.regimes()
    rows = cells(table)
    assert [row[:2] for row in rows] == [
        ["much arithmetic, enough warps", "12"],
        ["a slow memory, enough warps", "12"],
        ["the same memory, few warps", "3"],
    ]
    assert [row[2] for row in rows] == ["0 %", f"{100 - 4100 / 60:.0f} %", f"{100 - 12300 / 440:.0f} %"]
    # A load in 41 cycles of one every cycle; every 60 cycles one; 3 in 440 of one every 60.
    assert [row[3] for row in rows] == [f"{100 / 41:.0f} %", "100 %", f"{18000 / 440:.0f} %"]
    assert [row[4] for row in rows] == ["issue-bound", "bandwidth-bound", "latency-bound"]
    # Three warps more of four: 7 × 41 ÷ 440 is 0.652, below 41 ÷ 60.
    assert [row[5] for row in rows] == ["0 %", "0 %", f"{400 / 3:.0f} %"]
    assert caption(table) == "One scheduler, three regimes, simulated"
    columns = "kernel, warps, nothing to issue, of the bandwidth, regime, won by 4 warps more"
    assert ", ".join(headings(table)) == columns
