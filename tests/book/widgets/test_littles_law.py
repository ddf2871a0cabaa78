"""Little's law: warps needed, slope and roof, and the line on the staircase, with the divisions done by hand."""

from __future__ import annotations

import pytest

from occusite import devices
from occusite.book import widgets
from tests.book.seen import cells, controls, drawn, parsed, words

LITTLE = widgets.load("littles_law")
NO_SM = "No SM has that many slots: give each warp more to ask for, by wider accesses or more independent loads than"

# GB/s, ns, SMs, bytes, loads: what is said; the warps; whether slope and line are in the picture.
TABLE = [
    # 2,000 × 400 = 800,000 bytes ÷ 100 = 8,000 ÷ 128 = 62.5 accesses.
    (2000, 400, 100, 128, 2, "With 2 loads in flight per warp, more than 32 add nothing to a kernel that streams from memory.", 32),
    (2000, 400, 100, 128, 1, "With 1 load in flight per warp, more than 63 add nothing to a kernel that streams from memory.", 63),
    # 2,048 × 400 ÷ 100 ÷ 128 = 64: the last that some SM has slots for.
    (2048, 400, 100, 128, 1, "With 1 load in flight per warp, more than 64 add nothing to a kernel that streams from memory.", 64),
    (2049, 400, 100, 128, 1, f"{NO_SM} 1.", 65),
    (2000, 400, 50, 32, 4, f"{NO_SM} 4.", 125),
    # 10 × 10 = 100 bytes in all: one warp.
    (10, 10, 512, 512, 8, "With 8 loads in flight per warp, more than 1 add nothing to a kernel that streams from memory.", 1),
]  # fmt: skip


@pytest.mark.parametrize(("bandwidth", "latency", "sms", "access", "loads", "said", "warps"), TABLE)
def test_a_memory(bandwidth: int, latency: int, sms: int, access: int, loads: int, said: str, warps: int) -> None:
    view = LITTLE.view(bandwidth, latency, sms, access, loads)
    assert words(view.status) == f"{warps} warps needed per SM {said}"
    assert words(parsed(view.status).strong) == f"{warps} warps needed per SM"
    assert list(view.parts) == ["steps", "roof", "stairs"]
    assert cells(view.parts["steps"])[-1][2] == str(warps)
    roof, stairs = view.parts["roof"], view.parts["stairs"]
    # A slope of loads × bytes ÷ latency for each warp, up to the SM's share of the bandwidth.
    rows = roof.datasets["throughput"]
    assert [row["warps"] for row in rows] == list(range(65))
    assert [row["value"] for row in rows] == pytest.approx(
        [min(w * loads * access / latency, bandwidth / sms) for w in range(65)], abs=1e-4
    )
    reaches = warps <= 64
    assert [(m["warps"], m["at"], m["label"]) for m in roof.datasets["marks"]] == [
        (warps, 0, "1 warp" if warps == 1 else f"{warps} warps")
    ] * reaches
    assert roof.alt == (
        f"Throughput rises with resident warps up to {warps}, then stays flat."
        if reaches
        else "Throughput rises with resident warps to the last, 64."
    )
    # Ada has 48 slots, and the picture a fifth above them.
    shown = warps <= 57
    assert stairs.datasets["needed"] == [{"warps": warps, "label": f"needed: {warps} warps"}] * shown
    assert stairs.alt.endswith(
        f" A line at {warps} warps shows what this memory asks for."
        if shown
        else f" {warps} warps, above it all, are what this memory asks for."
    )


def test_the_staircase_below_the_line_is_adas() -> None:
    stairs = LITTLE.view(2000, 400, 100, 128, 2).parts["stairs"]
    assert [(row["x"], row["x2"], row["warps"], row["slot"]) for row in stairs.datasets["stairs"]] == [
        (1, 33, 48, "warps"),
        (33, 41, 48, "registers"),
        (41, 49, 40, "registers"),
        (49, 65, 32, "registers"),
        (65, 81, 24, "registers"),
        (81, 129, 16, "registers"),
        (129, 256, 8, "registers"),
    ]
    assert stairs.alt.startswith("A staircase of resident warps against registers per thread. 1–32 registers: 48 warps")


def test_the_knee_stands_where_slope_and_roof_meet() -> None:
    roof = LITTLE.view(2048, 400, 100, 128, 2).parts["roof"]
    # 32 warps: half of the 564 pixels between the axes.
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
        ("access", "Bytes per warp access", 32, 512, 32, 128, "B", ""),
        ("loads", "Loads in flight per warp", 1, 8, 1, 2, "", ""),
    ]
