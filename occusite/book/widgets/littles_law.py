"""Little's law with presets for real GPUs: warps needed per SM, marked on the staircase of a kernel."""

from __future__ import annotations

from occusite import nvidia
from occusite.book.content.tables import little, measured
from occusite.book.parts.charts import Chart, cliffs, roofline
from occusite.book.parts.widget import Number, Slider, View, Widget
from occusite.littles_law import Supply

SLOTS = 64


def view(bandwidth: int, latency: int, sms: int, access: int, loads: int) -> View:
    """Warps needed, the slope and the roof, and the staircase that has to reach the line."""
    need = Supply(bandwidth, latency, sms, access, loads)
    each = f"{loads} load{'s' if loads > 1 else ''} in flight per warp"
    if need.warps <= SLOTS:
        verdict = f"With {each}, more than {need.warps} add nothing to a kernel that streams from memory."
    else:
        verdict = f"No SM has that many slots: give each warp more to ask for, by wider accesses or more independent loads than {loads}."
    return View(
        f"<strong>{need.warps} warps needed per SM</strong> <br>{verdict}",
        {"steps": little(bandwidth, latency, sms, access, loads), "roof": _roof(need), "stairs": _stairs(need)},
    )


def _roof(need: Supply) -> Chart:
    rows = [{"warps": w, "value": round(need.throughput(w), 4)} for w in range(SLOTS + 1)]
    return roofline(rows, need.warps)


def _stairs(need: Supply) -> Chart:
    ada = nvidia.device("8.9")
    chart = cliffs(ada.occupancy(nvidia.Launch(256, 32)), needed=need.warps)
    return Chart(
        chart.spec,
        chart.datasets,
        f"{chart.alt} A line at {need.warps} warps shows what this memory asks for.",
    )


def presets() -> dict[str, dict[str, object]]:
    """Real GPUs whose latency somebody measured, with the controls' values."""
    return {
        name: {"bandwidth": round(bandwidth), "latency": latency, "sms": sms}
        for name, sms, bandwidth, latency, _ in measured()
    }


widget = Widget(
    "Little’s law: warps needed per SM",
    (
        Number("bandwidth", "Bandwidth", 10, 20_000, 1, 2000, "GB/s"),
        Number("latency", "Latency", 10, 2000, 1, 400, "ns"),
        Number("sms", "SMs", 1, 512, 1, 100, ""),
        Slider("access", "Bytes per warp access", 32, 512, 32, 128, "B"),
        Slider("loads", "Loads in flight per warp", 1, 8, 1, 2, ""),
    ),
    view,
    presets,
)
