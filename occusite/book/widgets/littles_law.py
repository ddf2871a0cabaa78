"""Little's law with presets for real GPUs: warps needed per SM, marked on the staircase of the board's own SM."""

from __future__ import annotations

from occusite import nvidia
from occusite.book.content.tables import little, measured
from occusite.book.parts.charts import Chart, cliffs, roofline
from occusite.book.parts.widget import Choice, Number, Slider, View, Widget
from occusite.littles_law import Supply

CHIPS = ("7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")


def view(bandwidth: int, latency: int, sms: int, chip: str, access: int, loads: int) -> View:
    """Warps needed, the slope and the roof, and the staircase that has to reach the line."""
    need = Supply(bandwidth, latency, sms, access, loads)
    device = nvidia.device(chip)
    each = f"{loads} load{'s' if loads > 1 else ''} in flight per warp"
    if need.warps <= device.warps_per_sm:
        verdict = f"With {each}, fewer leave the memory idle part of the time. Under load the latency grows, and so does the number."
    else:
        verdict = f"This SM has {device.warps_per_sm} slots: give each warp more to ask for, by wider accesses or more independent loads than {loads}."
    return View(
        f"<strong>At least {need.warps} warps needed per SM</strong> <br>{verdict}",
        {
            "steps": little(bandwidth, latency, sms, access, loads),
            "roof": _roof(need, device.warps_per_sm),
            "stairs": _stairs(need, device),
        },
    )


def _roof(need: Supply, slots: int) -> Chart:
    rows = [{"warps": w, "value": round(need.throughput(w), 4)} for w in range(slots + 1)]
    return roofline(rows, need.warps)


def _stairs(need: Supply, device: nvidia.Device) -> Chart:
    chart = cliffs(device.occupancy(nvidia.Launch(256, 32)), needed=need.warps)
    asked = (
        f"A line at {need.warps} warps shows" if chart.datasets["needed"] else f"{need.warps} warps, above it all, are"
    )
    return Chart(chart.spec, chart.datasets, f"{chart.alt} {asked} what this memory asks for.")


def presets() -> dict[str, dict[str, object]]:
    """Real GPUs whose latency somebody measured, with the controls' values."""
    return {
        gpu.name: {"bandwidth": round(gpu.bandwidth), "latency": gpu.latency, "sms": gpu.sms, "chip": gpu.chip}
        for gpu in measured()
    }


widget = Widget(
    "Little’s law: warps needed per SM",
    (
        Number("bandwidth", "Bandwidth", 10, 20_000, 1, 2000, "GB/s"),
        Number("latency", "Latency", 10, 2000, 1, 400, "ns"),
        Number("sms", "SMs", 1, 512, 1, 100, ""),
        Choice("chip", "Each SM is one of", {c: f"{c} · {nvidia.CHIPS[c].family}" for c in CHIPS}, "8.9"),
        Slider("access", "Bytes per warp access", 32, 512, 32, 128, "B"),
        Slider("loads", "Loads in flight per warp", 1, 8, 1, 2, ""),
    ),
    view,
    presets,
)
