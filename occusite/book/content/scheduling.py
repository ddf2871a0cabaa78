"""What chapters 1 and 7 quote from the scheduler model: values for the prose, tables, the chart of knees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from occusite import nvidia, scheduler
from occusite.book.parts.charts import Chart, Rows
from occusite.book.parts.html import Table, percent
from occusite.questions import staircase

# An SM of compute capability 5.0 or later has four schedulers, and deals its warps to them evenly; 6.0 (P100) has two.
SCHEDULERS = 4
WARP_ACCESS = 128
INDEPENDENT = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Memory:
    """One GPU's memory as one of its schedulers sees it.

    `latency`: cycles of a load from DRAM, measured by one warp chasing pointers; `bandwidth` in GB/s and `clock` in
    MHz of the whole GPU with `sms` SMs; `slots`: warp slots per SM; `source`: where the latency was measured.
    """

    latency: int
    bandwidth: float
    sms: int
    clock: int
    slots: int
    source: str

    @property
    def interval(self) -> int:
        """Cycles the memory takes per warp access, for each scheduler's share of the bandwidth, rounded."""
        share = self.bandwidth / (self.sms * SCHEDULERS)
        return round(WARP_ACCESS / share * self.clock / 1000)


_BENCHES = "RRZE-HPC, gpu-benches, gpu-latency (pointer chase, one warp); middle of the range"
MEMORIES = {
    "V100 PCIe": Memory(430, 897.0, 80, 1380, 64, _BENCHES),
    "A100 SXM 80 GB": Memory(544, 2039.0, 108, 1410, 64, _BENCHES),
    "L40": Memory(625, 864.0, 142, 2490, 48, _BENCHES),
    "H100 SXM": Memory(834, 3361.3, 132, 1980, 64, "MT4G, sample results (pointer chase, mean)"),
}


def loop(
    warps: int, latency: int = 400, loads: int = 1, arithmetic: int = 40, policy: str = "greedy", interval: int = 1
) -> scheduler.Run:
    """The widget's loop on one scheduler; arithmetic per load."""
    return scheduler.simulate(scheduler.Kernel(loads, arithmetic * loads, latency, interval=interval), warps, policy)


def dry(run: scheduler.Run) -> str:
    """The share of cycles with nothing to issue."""
    return percent(float(100 * run.idle))


def enough(latency: int = 400, loads: int = 1, arithmetic: int = 40, interval: int = 1) -> int:
    """Warps at which a roof is reached, greedy: the issue's, or the memory's where that is lower."""
    need = scheduler.warps_to_saturate(scheduler.Kernel(loads, arithmetic * loads, latency, interval=interval))
    assert need is not None
    return need


def knee(latency: int, interval: int = 1, independent: int = 1) -> int:
    """Warps per scheduler that keep a unit busy which starts one operation per `interval` cycles and answers after
    `latency`, when each warp keeps `independent` in flight: Little's law."""
    return -(-latency // (interval * independent))


def knees_of(name: str) -> dict[int, int]:
    """Warps per SM that one of `MEMORIES` wants, by independent loads in each."""
    memory = MEMORIES[name]
    return {k: SCHEDULERS * knee(memory.latency, memory.interval, k) for k in INDEPENDENT}


def reached(name: str, independent: int) -> str:
    """Share of its bandwidth that one of `MEMORIES` reaches with all warp slots filled."""
    memory = MEMORIES[name]
    return percent(share(memory.latency, memory.interval, independent, memory.slots // SCHEDULERS))


@lru_cache(maxsize=256)
def share(latency: int, interval: int, independent: int, warps: int) -> float:
    """Simulated share of that unit's peak, in per cent, with `warps` warps on the scheduler."""
    kernel = scheduler.Kernel(independent, 0, latency, interval=interval)
    return float(100 * scheduler.simulate(kernel, warps).throughput / scheduler.roof(kernel))


def idle_by_warps(*warps: int, latency: int = 400, loads: int = 1, arithmetic: int = 40) -> Table:
    """The share of dry cycles for some numbers of warps, simulated and by Little's law."""
    kernel = scheduler.Kernel(loads, arithmetic * loads, latency)
    rows = [
        (
            w,
            f"{w} × {kernel.instructions} ÷ {kernel.alone}",
            f"{float(scheduler.expected(kernel, w)):.2f}",
            f"{float(run.throughput):.2f}",
            dry(run),
        )
        for w in warps
        for run in [scheduler.simulate(kernel, w)]
    ]
    columns = ("warps", "slope", "law: issued per cycle", "simulated", "nothing to issue")
    return Table(columns, rows, f"One scheduler, {latency} cycles latency, {arithmetic} instructions per load")


def regimes() -> Table:
    """Three runs of the scheduler, one in each regime, and what more warps and less work do for it."""
    cases = {
        "much arithmetic, enough warps": (12, scheduler.Kernel(1, 40, 400)),
        "a slow memory, enough warps": (12, scheduler.Kernel(1, 40, 400, interval=60)),
        "the same memory, few warps": (3, scheduler.Kernel(1, 40, 400, interval=60)),
    }
    rows = []
    for name, (warps, kernel) in cases.items():
        run, more = scheduler.simulate(kernel, warps), scheduler.simulate(kernel, warps + 4)
        gain = percent(float(100 * (more.throughput / run.throughput - 1)))
        rows.append((name, warps, dry(run), percent(float(100 * run.bandwidth)), run.regime(), gain))
    columns = ("kernel", "warps", "nothing to issue", "of the bandwidth", "regime", "won by 4 warps more")
    return Table(columns, rows, "One scheduler, three regimes, simulated")


def policies(warps: int = 11) -> Table:
    """The same loop under each policy and start."""
    kernel = scheduler.Kernel()
    rows = [
        (name, begin, dry(scheduler.simulate(kernel, warps, policy, start)))
        for policy, name in scheduler.POLICIES.items()
        for start, begin in scheduler.STARTS.items()
    ]
    return Table(("policy", "start", "nothing to issue"), rows, f"{warps} warps of the same loop, four schedules")


def assumptions() -> Table:
    """What the model does, beside what a chip does."""
    return Table(("the model", "a real SM"), scheduler.ASSUMPTIONS, "What the scheduler model assumes", head=False)


def knees(latency: int, interval: int, slots: int) -> Table:
    """Warps needed for each number of independent operations, and what the simulation makes of them."""
    rows = []
    for k in INDEPENDENT:
        need = knee(latency, interval, k)
        fits = need * SCHEDULERS <= slots
        reached = share(latency, interval, k, min(need, slots // SCHEDULERS))
        occupancy = percent(100 * need * SCHEDULERS / slots) if fits else "no room"
        rows.append((k, need * SCHEDULERS, occupancy, percent(reached)))
    columns = ("independent", "warps needed", "occupancy", "simulated")
    return Table(columns, rows, f"Warps per SM, of {slots} slots, and the share of peak they reach")


def trade(name: str, capability: str, threads: int = 256) -> Table:
    """Independent loads, the warps they leave to find, and the registers each thread may then use."""
    device = nvidia.device(capability)
    steps = staircase.plateaus(device.occupancy(nvidia.Launch(threads, 32)))
    rows = []
    for k, need in knees_of(name).items():
        step = next(p for p in reversed(steps) if p.warps >= need)
        rows.append((k, need, step.warps, percent(100 * step.warps / device.warps_per_sm), step.last))
    columns = ("independent loads", "warps needed", "resident", "occupancy", "registers per thread, at most")
    return Table(columns, rows, f"{name}: demand for warps, and the registers it leaves, {threads} threads per block")


def concurrency(latency: int, interval: int, slots: int) -> Chart:
    """Share of peak against resident warps: one line a number of independent operations, with its knee; dots are
    simulated."""
    most = slots // SCHEDULERS
    lines: Rows = []
    marks: dict[tuple[float, float], list[int]] = {}
    for k in INDEPENDENT:
        exact = latency / (interval * k) * SCHEDULERS
        # Below one warp for each scheduler some schedulers are empty: the law for one of them says nothing there.
        end = min(max(exact, SCHEDULERS), slots)
        top = min(100.0, 100 * end / exact)
        start = min(100.0, 100 * SCHEDULERS / exact)
        lines += [{"k": k, "warps": SCHEDULERS, "share": start}, {"k": k, "warps": end, "share": top}]
        if end < slots:
            lines.append({"k": k, "warps": slots, "share": 100})
        marks.setdefault((round(end, 1), top), []).append(k)
    dots: Rows = [
        {"k": k, "warps": w * SCHEDULERS, "share": round(share(latency, interval, k, w), 2)}
        for k in INDEPENDENT
        for w in sorted({1, *range(2, most + 1, 2)})
        # Past the knee every dot would lie on the roof, one upon another.
        if w <= knee(latency, interval, k) + 2
    ]
    labels: Rows = [
        {"warps": x, "share": y, "text": ", ".join(str(k) for k in ks), "end": x >= slots}
        for (x, y), ks in marks.items()
    ]
    x = {
        "field": "warps",
        "type": "quantitative",
        "scale": {"domain": [0, slots], "nice": False},
        "axis": {"title": "resident warps per SM", "values": list(range(0, slots + 1, 8)), "grid": False},
    }
    y = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, 112], "nice": False},
        "axis": {"title": "share of peak", "values": [0, 25, 50, 75, 100], "labelExpr": "datum.value + ' %'"},
    }
    # An order, not four kinds: one hue, bolder with every doubling, and the dash as a second sign.
    scale = {"domain": list(INDEPENDENT)}
    series = {
        "opacity": {"field": "k", "type": "ordinal", "scale": {**scale, "range": [0.5, 0.65, 0.82, 1]}, "legend": None},
        "strokeDash": {
            "field": "k",
            "type": "ordinal",
            "scale": {**scale, "range": [[2, 3], [5, 3], [10, 3], [1, 0]]},
            "legend": None,
        },
    }
    spec = {
        "height": 260,
        "title": {
            "text": "at each knee: independent operations per warp",
            "anchor": "start",
            "frame": "group",
            "fontSize": 12,
            "fontWeight": 450,
            "color": "var(--occ-ink-soft)",
            "offset": 2,
        },
        "layer": [
            {
                "data": {"name": "lines"},
                "mark": {"type": "line", "strokeWidth": 2.5, "color": "var(--occ-accent)"},
                "encoding": {"x": x, "y": y, "detail": {"field": "k"}, **series},
            },
            {
                "data": {"name": "dots"},
                "mark": {"type": "point", "filled": True, "size": 22, "color": "var(--occ-ink)", "opacity": 0.75},
                "encoding": {"x": x, "y": y, "tooltip": {"field": "share", "format": ".0f"}},
            },
            {
                "data": {"name": "labels"},
                "mark": {
                    "type": "text",
                    "dy": -9,
                    "fontWeight": 650,
                    "align": {"expr": "datum.end ? 'right' : 'center'"},
                },
                "encoding": {"x": x, "y": y, "text": {"field": "text"}},
            },
        ],
    }
    rates = "; ".join(
        f"{k} independent: {knee(latency, interval, k) * SCHEDULERS} warps"
        if knee(latency, interval, k) <= most
        else f"{k} independent: {share(latency, interval, k, most):.0f} % with all {slots} warps"
        for k in INDEPENDENT
    )
    alt = f"Share of peak against resident warps from {SCHEDULERS} on, a slope then a roof, for 1, 2, 4 and 8 operations per warp. {rates}."
    return Chart(spec, {"lines": lines, "dots": dots, "labels": labels}, alt)
