"""The ILP widget: warps needed for 1, 2, 4 and 8 independent operations, in words, lines and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from occusite import scheduler
from occusite.book import widgets
from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table
from tests.book.seen import cells, controls, parsed, settings_of, words

ILP = widgets.load("ilp")

# latency, interval, slots: the sentence, and warps for 1, 2, 4, 8: 4 × ⌈latency ÷ (interval × k)⌉.
TABLE = [
    # ⌈544 ÷ 38⌉ = 15, ⌈544 ÷ 76⌉ = 8, ⌈544 ÷ 152⌉ = 4, ⌈544 ÷ 304⌉ = 2.
    (544, 38, "64", "60 warps per SM With 8 independent operations in each warp, 8 warps do.", [60, 32, 16, 8]),
    (544, 38, "48", "60 warps per SM No SM here has that many; with 2 independent operations in each warp, 32 are enough.", [60, 32, 16, 8]),
    # 16 × 4 = 64 fit 64 slots; one cycle more does not.
    (64, 4, "64", "64 warps per SM With 8 independent operations in each warp, 8 warps do.", [64, 32, 16, 8]),
    (65, 4, "64", "68 warps per SM No SM here has that many; with 2 independent operations in each warp, 36 are enough.", [68, 36, 20, 12]),
    (400, 4, "32", "400 warps per SM Even 8 per warp and all 32 warps cannot fill this memory.", [400, 200, 100, 52]),
    (256, 4, "32", "256 warps per SM No SM here has that many; with 8 independent operations in each warp, 32 are enough.", [256, 128, 64, 32]),
    # Arithmetic: a pipeline of four cycles wants four warps of each scheduler.
    (4, 1, "64", "16 warps per SM With 8 independent operations in each warp, 4 warps do.", [16, 8, 4, 4]),
]  # fmt: skip


@pytest.mark.parametrize(("latency", "interval", "slots", "said", "needed"), TABLE)
def test_a_unit(latency: int, interval: int, slots: str, said: str, needed: list[int]) -> None:
    view = ILP.view(latency, interval, slots)
    assert words(view.status) == f"One operation per warp: {said}"
    assert words(parsed(view.status).strong) == f"One operation per warp: {needed[0]} warps per SM"
    assert list(view.parts) == ["curve", "knees"]
    rows = cells(view.parts["knees"])
    assert [row[:2] for row in rows] == [[str(k), str(w)] for k, w in zip((1, 2, 4, 8), needed, strict=True)]
    most = int(slots)
    assert [row[2] for row in rows] == [f"{100 * w / most:.0f} %" if w <= most else "no room" for w in needed]
    assert view.parts["curve"].datasets["lines"][-1]["warps"] <= most


@settings(max_examples=25, deadline=None)
@given(settings_of(ILP))
def test_the_knees_are_where_the_simulation_saturates(given: dict[str, object]) -> None:
    view = ILP.view(**given)
    latency, interval, slots = (int(str(given[n])) for n in ("latency", "interval", "slots"))
    table, chart = view.parts["knees"], view.parts["curve"]
    assert isinstance(table, Table)
    assert isinstance(chart, Chart)
    for independent, warps, occupancy, reached in table.rows:
        kernel = scheduler.Kernel(int(str(independent)), 0, latency, interval=interval)
        per_scheduler = int(str(warps)) // 4
        assert (str(occupancy) == "no room") == (int(str(warps)) > slots)
        if per_scheduler <= scheduler.MOST_WARPS:
            assert scheduler.warps_to_saturate(kernel) == per_scheduler
        assert (reached == "100\u202f%") >= (int(str(warps)) <= slots)
    # The dots are simulated, the lines are the law; they agree.
    for dot in chart.datasets["dots"]:
        law = min(100, 100 * dot["warps"] * dot["k"] * interval / (latency * 4))
        assert dot["share"] == pytest.approx(law, abs=0.01)


def test_presets_are_legal_and_the_first_view_is_one_of_them() -> None:
    presets = ILP.presets()
    # 128 bytes ÷ (GB/s ÷ SMs ÷ 4) × GHz: 63.0, 38.2, 210 and 39.8 cycles between two accesses of one scheduler.
    assert presets == {
        "Arithmetic: a pipeline of 4 cycles": {"latency": 4, "interval": 1, "slots": "64"},
        "V100 PCIe: loads from memory": {"latency": 430, "interval": 63, "slots": "64"},
        "A100 SXM 80 GB: loads from memory": {"latency": 544, "interval": 38, "slots": "64"},
        "L40: loads from memory": {"latency": 625, "interval": 210, "slots": "48"},
        "H100 SXM: loads from memory": {"latency": 834, "interval": 40, "slots": "64"},
    }
    assert ILP.parse({}) in [ILP.parse(given) for given in presets.values()]


def test_the_controls() -> None:
    assert ILP.title == "ILP: throughput against warps"
    assert controls(ILP) == [
        ("latency", "Latency of an operation", 1, 2000, 1, 544, "cycles", "", "Number"),
        ("interval", "Cycles between two, at peak", 1, 500, 1, 38, "cycles", "", "Number"),
        ("slots", "Warp slots per SM", {"32": "32", "48": "48", "64": "64"}, "64"),
    ]
