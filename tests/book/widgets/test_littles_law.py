"""Little's law: warps needed, slope and roof, and the line on the staircase, with the divisions done by hand."""

from __future__ import annotations

import pytest

from occusite import devices
from occusite.book import widgets
from tests.book.by_hand import resident
from tests.book.seen import cells, controls, drawn, parsed, words

LITTLE = widgets.load("littles_law")
IDLE = "fewer leave the memory idle part of the time. Under load the latency grows, and so does the number."
MORE = "slots: give each warp more to ask for, by wider accesses or more independent loads than"

# GB/s, ns, SMs, chip, bytes, loads: what is said; the warps; the SM's slots.
TABLE = [
    # 2,000 × 400 = 800,000 bytes ÷ 100 = 8,000 ÷ 128 = 62.5 accesses.
    (2000, 400, 100, "8.9", 128, 2, f"With 2 loads in flight per warp, {IDLE}", 32, 48),
    (2000, 400, 100, "9.0", 128, 1, f"With 1 load in flight per warp, {IDLE}", 63, 64),
    (2000, 400, 100, "8.9", 128, 1, f"This SM has 48 {MORE} 1.", 63, 48),
    # 1,536 × 400 ÷ 100 ÷ 128 = 48: the last that an Ada SM has slots for.
    (1536, 400, 100, "8.9", 128, 1, f"With 1 load in flight per warp, {IDLE}", 48, 48),
    (1537, 400, 100, "8.9", 128, 1, f"This SM has 48 {MORE} 1.", 49, 48),
    (2000, 400, 50, "7.5", 32, 4, f"This SM has 32 {MORE} 4.", 125, 32),
    # 10 × 10 = 100 bytes in all: one warp.
    (10, 10, 512, "8.0", 512, 8, f"With 8 loads in flight per warp, {IDLE}", 1, 64),
]


@pytest.mark.parametrize(("bandwidth", "latency", "sms", "chip", "access", "loads", "said", "warps", "slots"), TABLE)
def test_a_memory(
    bandwidth: int, latency: int, sms: int, chip: str, access: int, loads: int, said: str, warps: int, slots: int
) -> None:
    view = LITTLE.view(bandwidth, latency, sms, chip, access, loads)
    assert words(view.status) == f"At least {warps} warps needed per SM {said}"
    assert words(parsed(view.status).strong) == f"At least {warps} warps needed per SM"
    assert list(view.parts) == ["steps", "roof", "stairs"]
    assert cells(view.parts["steps"])[-1][2] == str(warps)
    roof, stairs = view.parts["roof"], view.parts["stairs"]
    # A slope of loads × bytes ÷ latency for each warp, up to the SM's share of the bandwidth.
    rows = roof.datasets["throughput"]
    assert [row["warps"] for row in rows] == list(range(slots + 1))
    assert [row["value"] for row in rows] == [
        round(min(w * loads * access / latency, bandwidth / sms), 4) for w in range(slots + 1)
    ]
    reaches = warps <= slots
    assert [(m["warps"], m["at"], m["label"]) for m in roof.datasets["marks"]] == [
        (warps, 0, "1 warp" if warps == 1 else f"{warps} warps")
    ] * reaches
    assert roof.alt == (
        f"Throughput rises with resident warps up to {warps}, then stays flat."
        if reaches
        else f"Throughput rises with resident warps to the last, {slots}."
    )
    # The picture ends a fifth above the slots.
    shown = warps <= slots * 1.2
    assert stairs.datasets["needed"] == [{"warps": warps, "label": f"needed: {warps} warps"}] * shown
    assert stairs.alt.endswith(
        f" A line at {warps} warps shows what this memory asks for."
        if shown
        else f" {warps} warps, above it all, are what this memory asks for."
    )


@pytest.mark.parametrize("chip", ["7.5", "8.9", "9.0"])
def test_the_staircase_below_the_line_is_the_chips(chip: str) -> None:
    """256 threads and no shared memory of its own, register count by register count."""
    stairs = LITTLE.view(2000, 400, 100, chip, 128, 2).parts["stairs"]
    for row in stairs.datasets["stairs"]:
        assert {8 * resident(chip, 256, r) for r in range(row["x"], row["x2"])} == {row["warps"]}
    assert stairs.alt.startswith("A staircase of resident warps against registers per thread. 1–")


def test_the_knee_stands_where_slope_and_roof_meet() -> None:
    roof = LITTLE.view(2048, 400, 100, "9.0", 128, 2).parts["roof"]
    # 32 of 64 warps: half of the 564 pixels between the axes.
    [rule] = drawn(roof, 1)
    assert (rule.x, rule.x2) == (pytest.approx(282), pytest.approx(282))
    [label] = drawn(roof, 2)
    assert label.text == "32 warps" and label.x == pytest.approx(282 + 6)
    lines = drawn(roof, 0)
    assert lines[0].x == 0 and lines[-1].x2 == pytest.approx(564)
    # Up to the knee it rises, beyond it keeps its height.
    rising = [line for line in lines if line.y2 < line.y - 1e-6]
    assert len(rising) == 32 and rising[-1].x2 == pytest.approx(282, abs=0.001)
    assert {line.y2 for line in lines[32:]} == {lines[31].y2}


def test_presets_are_the_gpus_whose_latency_was_timed() -> None:
    presets = LITTLE.presets()
    timed = {
        gpu.name: {
            "bandwidth": round(gpu.bandwidth_gb_s),
            "latency": round(sum(next(x.dram_ns for x in gpu.latency if x.dram_ns)) / 2),
            "sms": gpu.device.sm_count,
            "chip": gpu.device.compute_capability,
        }
        for gpu in devices.gpus()
        if gpu.bandwidth_gb_s and any(x.dram_ns for x in gpu.latency)
    }
    assert presets == timed and len(presets) >= 5


def test_the_controls() -> None:
    assert LITTLE.title == "Little’s law: warps needed per SM"
    assert controls(LITTLE) == [
        ("bandwidth", "Bandwidth", 10, 20_000, 1, 2000, "GB/s", "", "Number"),
        ("latency", "Latency", 10, 2000, 1, 400, "ns", "", "Number"),
        ("sms", "SMs", 1, 512, 1, 100, "", "", "Number"),
        (
            *("chip", "Each SM is one of"),
            {
                "7.0": "7.0 · Volta",
                "7.5": "7.5 · Turing",
                "8.0": "8.0 · Ampere",
                "8.6": "8.6 · Ampere",
                "8.9": "8.9 · Ada",
                "9.0": "9.0 · Hopper",
                "10.0": "10.0 · Blackwell",
                "12.0": "12.0 · Blackwell",
            },
            "8.9",
        ),
        ("access", "Bytes per warp access", 32, 512, 32, 128, "B", ""),
        ("loads", "Loads in flight per warp", 1, 8, 1, 2, "", ""),
    ]
