"""Measurements on real GPUs: bandwidth against occupancy, and the times of thousands of configurations (Measured)."""

from __future__ import annotations

import csv
import itertools
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pkgutil import get_data
from typing import Any, NamedTuple

from occusite import devices, nvidia
from occusite.book.parts.charts import SLOT_SCALE, Chart
from occusite.book.parts.html import SLOT_NAMES, THIN, Markup, Table, budget, percent

WARP = 32
# The streaming kernels: what a thread does, its bytes as the benchmark counts them, and the part of these it waits for.
KERNELS = {
    "read": "read: one load",
    "init": "init: one store",
    "scale": "scale: a load, a store",
    "triad": "triad: two loads, a store",
    "3pt": "3pt: a stencil, a store",
}
COUNTED = {"read": 8, "init": 8, "scale": 16, "triad": 24, "3pt": 16}
TUNED = {"convolution": "2D convolution, 15 × 15", "dedispersion": "dedispersion"}
# The slope is read where the curve is still straight: up to this share of the warp slots.
STRAIGHT = 1 / 8
# Fewer configurations than these at one occupancy say little of its best and its median.
FEW = 20
SEVERAL = "several"
# The horizontal axis of both pictures.
OCCUPANCY: dict[str, Any] = {
    "field": "x",
    "type": "quantitative",
    "scale": {"domain": [0, 100], "nice": False},
    "axis": {"title": "occupancy (%)", "values": [0, 25, 50, 75, 100], "grid": False},
}


def table_of(name: str) -> list[dict[str, str]]:
    """The rows of a table of `data/measurements`, without the lines on where it comes from."""
    text = (get_data("occusite", f"data/measurements/{name}.csv") or b"").decode()
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def device(architecture: str) -> nvidia.Device:
    """The device an architecture's name stands for."""
    target = devices.find(architecture)
    assert isinstance(target, nvidia.Device)
    return target


# ---------- bandwidth against occupancy ----------


class Point(NamedTuple):
    """Resident warps per SM, the share of the slots that is in percent, and the bandwidth in GB/s."""

    warps: int
    occupancy: float
    rate: float


class Curve(NamedTuple):
    """One streaming kernel on one board, whose `sms` SMs have `slots` warp slots each; points by rising occupancy."""

    gpu: str
    kernel: str
    sms: int
    slots: int
    points: tuple[Point, ...]

    @property
    def best(self) -> float:
        """The highest bandwidth at any occupancy, GB/s."""
        return max(point.rate for point in self.points)

    @property
    def turn(self) -> float:
        """Nanoseconds from one thread in a slot to the next, by the slope: bytes in flight ÷ bandwidth, least squares
        through the origin over the points up to `STRAIGHT` of the slots."""
        return self.slope(STRAIGHT)

    def slope(self, share: float) -> float:
        """What `turn` comes to over the points up to `share` of the slots."""
        points = [point for point in self.points if point.warps <= share * self.slots]
        flying = [self.flying(point.warps) for point in points]
        rates = (point.rate for point in points)
        return sum(b * b for b in flying) / sum(b * rate for b, rate in zip(flying, rates, strict=True))

    def flying(self, warps: int) -> int:
        """Bytes that `warps` resident warps on every SM have asked for, each thread once."""
        return self.sms * warps * WARP * COUNTED[self.kernel]

    def law(self, warps: float) -> float:
        """GB/s by Little's law: the measured slope, up to the measured roof."""
        return min(self.best, self.flying(1) * warps / self.turn)

    def share(self, occupancy: float) -> float:
        """Percent of the best at the measured point nearest to `occupancy` percent."""
        return 100 * min(self.points, key=lambda point: abs(point.occupancy - occupancy)).rate / self.best

    def reaches(self, share: float) -> float:
        """The least occupancy in percent from which on the bandwidth is at least `share` percent of its best."""
        short = [i for i, point in enumerate(self.points) if 100 * point.rate < share * self.best]
        return self.points[short[-1] + 1 if short else 0].occupancy

    @property
    def gap(self) -> float:
        """By how many percent of the best the law promises more than was measured, where it is furthest off."""
        return max(100 * (self.law(point.warps) - point.rate) / self.best for point in self.points)


@cache
def _curves() -> dict[tuple[str, str], Curve]:
    curves = {}
    for row in table_of("streaming"):
        slots = device(row["architecture"]).slots
        blocks, warps = int(row["blocks"]), int(row["step"]) // WARP
        resident = [blocks * warps * i for i in range(1, len(row["gb_per_s"].split()) + 1)]
        points = tuple(
            Point(held, 100 * held / slots, float(rate))
            for held, rate in zip(resident, row["gb_per_s"].split(), strict=True)
        )
        curves[row["gpu"], row["kernel"]] = Curve(row["gpu"], row["kernel"], int(row["sms"]), slots, points)
    return curves


def curve(gpu: str, kernel: str = "read") -> Curve:
    """One measured curve. Raises `KeyError` for a board or kernel that was not measured."""
    return _curves()[gpu, kernel]


def streamed() -> list[str]:
    """The boards whose bandwidth was measured, oldest first."""
    return list(dict.fromkeys(gpu for gpu, _ in _curves()))


def widest(gpu: str) -> float:
    """The highest bandwidth any of the kernels reached on a board, GB/s."""
    return max(curve(gpu, kernel).best for kernel in KERNELS)


def against_law(gpu: str, kernel: str) -> Chart:
    """Measured bandwidth against occupancy, with the law's slope and roof beside it."""
    measured = curve(gpu, kernel)
    knee = measured.best * measured.turn / measured.flying(1)
    corner = [0.0, min(knee, measured.slots), float(measured.slots)]
    law = [{"x": round(100 * w / measured.slots, 2), "rate": round(measured.law(w), 1)} for w in corner]
    rows = [
        {
            "x": round(point.occupancy, 2),
            "rate": point.rate,
            "tip": f"{point.warps} warps: {point.rate:.0f} GB/s, {100 * point.rate / measured.best:.0f} % of the best",
        }
        for point in measured.points
    ]
    top = round(measured.best * 1.12)
    y = {
        "field": "rate",
        "type": "quantitative",
        "scale": {"domain": [0, top], "nice": False},
        "axis": {"title": "GB/s", "tickCount": 5, "format": "d"},
    }
    spec = {
        "height": 300,
        "layer": [
            {
                "data": {"name": "law"},
                "mark": {"type": "line", "strokeWidth": 1.5, "strokeDash": [5, 4], "color": "var(--occ-ink-soft)"},
                "encoding": {"x": OCCUPANCY, "y": y},
            },
            {
                "data": {"name": "measured"},
                "mark": {"type": "line", "strokeWidth": 1.5, "color": "var(--occ-accent)"},
                "encoding": {"x": OCCUPANCY, "y": y},
            },
            {
                "data": {"name": "measured"},
                "mark": {"type": "point", "filled": True, "size": 26, "color": "var(--occ-accent)", "opacity": 1},
                "encoding": {"x": OCCUPANCY, "y": y, "tooltip": {"field": "tip"}},
            },
            {
                "data": {"name": "names"},
                "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -4},
                "encoding": {"x": OCCUPANCY, "y": y, "text": {"field": "label"}},
            },
        ],
    }
    names = [{"x": 100, "rate": measured.best, "label": "dashed: the law’s slope and roof"}]
    rates = ", ".join(f"{at} %: {_at(measured, at).rate:.0f} GB/s" for at in (25, 50, 75, 100))
    return Chart(
        spec,
        {"law": law, "measured": rows, "names": names},
        f"Bandwidth against occupancy, {kernel} on {gpu}, as points: {rates}. The law’s line, dashed, meets its roof of "
        f"{measured.best:.0f} GB/s at {100 * knee / measured.slots:.0f} % occupancy; the points bend below that corner.",
    )


def _at(measured: Curve, occupancy: float) -> Point:
    return min(measured.points, key=lambda point: abs(point.occupancy - occupancy))


def at_quarters(gpu: str, kernel: str) -> Table:
    """What was measured and what the law says at a quarter, half and all of the slots."""
    measured = curve(gpu, kernel)
    rows = []
    for occupancy in (25, 50, 100):
        point = _at(measured, occupancy)
        law = measured.law(point.warps)
        rows.append(
            (
                percent(occupancy),
                point.warps,
                round(point.rate),
                percent(100 * point.rate / measured.best),
                percent(100 * law / measured.best),
            )
        )
    columns = ("occupancy", "warps per SM", "GB/s", "of its best", "by the law")
    return Table(columns, rows, f"{kernel} on {gpu}, measured and by the law")


# Whose idle latency the GPU table has: the same chip with the same memory.
CHASED = {
    "V100": "Tesla V100 PCIe 16 GB",
    "A100 40GB": "A100 PCIe 40 GB",
    "A100 80GB": "A100 PCIe 80 GB",
    "A40": "A40 PCIe",
    "L40": "L40",
}


def chased(gpu: str) -> str:
    """The latency of a chain of loads on an idle GPU of this kind, ns, as a range of all who measured it; "" where
    nobody did."""
    if gpu not in CHASED:
        return ""
    times = [ns for entry in devices.gpu(CHASED[gpu]).latency if entry.dram_ns for ns in entry.dram_ns]
    return f"{min(times)}–{max(times)}" if max(times) > min(times) else str(times[0])


def measured_boards(kernel: str = "read") -> Table:
    """Every board with one kernel: its best, what part of it is there when, and the time of a turn."""
    rows = []
    for gpu in streamed():
        measured = curve(gpu, kernel)
        rows.append(
            (
                gpu,
                round(measured.best),
                *(percent(measured.share(occupancy)) for occupancy in (25, 50)),
                percent(measured.reaches(90)),
                round(measured.turn),
                chased(gpu) or "–",
            )
        )
    columns = ("GPU", "best GB/s", "at 25 %", "at 50 %", "90 % from", "turn (ns)", "chain of loads (ns)")
    return Table(
        columns, rows, f"The kernel {kernel}: what share of its best is there, and from which occupancy on 90 %"
    )


def turns(gpu: str) -> Table:
    """Every kernel on one board: bytes a thread moves, and how long its turn takes."""
    rows = [
        (
            KERNELS[kernel],
            COUNTED[kernel],
            round(curve(gpu, kernel).turn),
            round(curve(gpu, kernel).best),
            percent(curve(gpu, kernel).reaches(90)),
        )
        for kernel in KERNELS
    ]
    columns = ("kernel", "bytes a thread", "turn (ns)", "best GB/s", "90 % of it from")
    return Table(columns, rows, f"The kernels on {gpu}: more bytes a turn, the same time")


# ---------- thousands of configurations ----------


class Config(NamedTuple):
    """One way to build and launch a kernel, its measured time (µs), and what occusite says of its residency: resident
    warps, and the slots of the budgets that limit them."""

    threads: int
    registers: int
    shared: int
    spills: int
    time: float
    warps: int
    limiters: tuple[str, ...]

    @property
    def limiter(self) -> str:
        """The budget that binds; `SEVERAL` where easing one alone changes nothing."""
        return self.limiters[0] if len(self.limiters) == 1 else SEVERAL


class Level(NamedTuple):
    """All configurations with the same resident warps: how many, and their best and median speed in percent of the
    best of all."""

    warps: int
    occupancy: float
    runs: int
    best: float
    median: float


@cache
def _tuning() -> tuple[dict[str, str], list[dict[str, str]]]:
    rows = table_of("tuning")
    boards = dict(name.split("|") for name in rows[0] if "|" in name)
    return boards, rows


def tuned() -> list[str]:
    """The boards whose configurations were timed."""
    return list(_tuning()[0])


@cache
def _residency(architecture: str, threads: int, registers: int, shared: int) -> tuple[int, tuple[str, ...]]:
    answer = device(architecture).occupancy(nvidia.Launch(threads, registers, static_shared=shared))
    return answer.warps, tuple(budget.slot for budget in answer.limiting)


@cache
def configs(kernel: str, gpu: str) -> tuple[Config, ...]:
    """Every timed configuration of a kernel on a board. Raises `KeyError` for one that was not timed."""
    boards, rows = _tuning()
    architecture = boards[gpu]
    timed = []
    for row in rows:
        time = row[f"{gpu}|{architecture}"]
        if row["kernel"] == kernel and time != "–":
            numbers = (int(row["threads"]), int(row[f"registers {architecture}"]), int(row["shared"]))
            residency = _residency(architecture, *numbers)
            timed.append(Config(*numbers, int(row[f"spills {architecture}"]), float(time), *residency))
    if not timed:
        raise KeyError((kernel, gpu))
    return tuple(timed)


def slots(gpu: str) -> int:
    """Warp slots of an SM of a board whose configurations were timed."""
    return device(_tuning()[0][gpu]).slots


def fastest(kernel: str, gpu: str) -> Config:
    """The configuration with the shortest time."""
    return min(configs(kernel, gpu), key=lambda config: config.time)


@cache
def levels(kernel: str, gpu: str) -> tuple[Level, ...]:
    """The configurations by their resident warps, from few to many."""
    best, most = fastest(kernel, gpu).time, slots(gpu)
    groups: dict[int, list[float]] = {}
    for config in configs(kernel, gpu):
        groups.setdefault(config.warps, []).append(100 * best / config.time)
    return tuple(
        Level(warps, 100 * warps / most, len(speeds), max(speeds), statistics.median(speeds))
        for warps, speeds in sorted(groups.items())
    )


def level(kernel: str, gpu: str, occupancy: float) -> Level:
    """The level nearest to `occupancy` percent."""
    return min(levels(kernel, gpu), key=lambda found: abs(found.occupancy - occupancy))


def best_up_to(kernel: str, gpu: str, occupancy: float) -> float | None:
    """The best speed of any configuration with at most `occupancy` percent, in percent of the best of all; None where
    no configuration is so empty."""
    return max((found.best for found in levels(kernel, gpu) if found.occupancy <= occupancy), default=None)


@cache
def rank_correlation(kernel: str, gpu: str) -> float:
    """Spearman's rank correlation of occupancy with speed over all configurations, ties with their mean rank."""
    timed = configs(kernel, gpu)
    return statistics.correlation(_ranks([c.warps for c in timed]), _ranks([-c.time for c in timed]))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    for _, group in itertools.groupby(order, key=values.__getitem__):
        same = list(group)
        for index in same:
            ranks[index] = start + (len(same) - 1) / 2
        start += len(same)
    return ranks


def in_words(rho: float) -> str:
    """What a rank correlation says of occupancy and speed."""
    if abs(rho) < 0.1:
        return "knowing one says next to nothing of the other"
    strength = "a weak tendency" if abs(rho) < 0.3 else "a tendency" if abs(rho) < 0.6 else "a strong tendency"
    return f"{strength} for fuller configurations to be {'faster' if rho > 0 else 'slower'}"


def signed(value: float, digits: int = 2) -> str:
    """A number with a real minus sign."""
    return f"{value:.{digits}f}".replace("-", "−")


GROUPS = {
    **{slot: SLOT_NAMES[slot] for slot in ("registers", "memory", "warps", "blocks")},
    SEVERAL: "several at once",
}
# Made in the picture: as words in the data they would be most of it.
TIP = "datum.x + ' % occupancy, ' + datum.speed + ' % of the best' + (datum.count > 1 ? ' (' + datum.count + ' of them)' : '')"
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")


MARKS = dict(zip(GROUPS, "●■▲◆✚", strict=True))


def colours() -> list[str]:
    """The colour of each of `GROUPS`, in their order."""
    scale = dict(zip(SLOT_SCALE["domain"], SLOT_SCALE["range"], strict=True))
    return [scale.get(slot, "var(--occ-ink-soft)") for slot in GROUPS]


def legend(limiters: set[str], more: str = "", *, shapes: bool = True) -> Markup:
    """What the colours of a picture mean, and its shapes if it has any, for the limiters that occur in it."""
    names = [
        f'<span class="occ-mark occ-mark--{name}" aria-hidden="true">{MARKS[name] if shapes else "■"}</span> '
        + (GROUPS[name] if name == SEVERAL else budget(name))
        for name in GROUPS
        if name in limiters
    ]
    limiters_named = f"What limits each: {', '.join(names)}. " if names else ""
    return Markup(f'<p class="occ-legend">{limiters_named}{more}</p>')


def dots(kernel: str, gpu: str) -> list[dict[str, Any]]:
    """One row a dot of the picture: configurations of equal occupancy and limiter whose speeds round to the same
    percent are one dot, which says how many they are."""
    best, most = fastest(kernel, gpu).time, slots(gpu)
    cells: dict[tuple[int, int, str], int] = {}
    for config in configs(kernel, gpu):
        cell = (config.warps, round(100 * best / config.time), GROUPS[config.limiter])
        cells[cell] = cells.get(cell, 0) + 1
    return [
        {
            "x": round(100 * warps / most, 1),
            "speed": speed,
            "limiter": limiter,
            "count": count,
        }
        for (warps, speed, limiter), count in sorted(cells.items())
    ]


def scatter(kernel: str, gpu: str, occupancy: float) -> Chart:
    """Speed against occupancy: a dot for every configuration, lines for the best and the median at each occupancy,
    and the level nearest to `occupancy` marked."""
    found, here = levels(kernel, gpu), level(kernel, gpu, occupancy)
    many = [at for at in found if at.runs >= FEW]
    lines = [
        {"x": round(at.occupancy, 2), "speed": round(value, 1), "line": name}
        for name in ("best", "median")
        for at in many
        for value in (getattr(at, name),)
    ]
    y = {
        "field": "speed",
        "type": "quantitative",
        "scale": {"domain": [0, 104], "nice": False},
        "axis": {"title": "speed (% of the best)", "values": [0, 25, 50, 75, 100]},
    }
    names = list(GROUPS.values())
    spec = {
        "height": 380,
        "layer": [
            {
                "data": {"name": "dots"},
                "transform": [{"calculate": TIP, "as": "tip"}],
                "mark": {"type": "point", "filled": True, "size": 22, "opacity": 0.55},
                "encoding": {
                    "x": OCCUPANCY,
                    "y": y,
                    "color": {
                        "field": "limiter",
                        "type": "nominal",
                        "scale": {"domain": names, "range": colours()},
                        "legend": None,
                    },
                    "shape": {
                        "field": "limiter",
                        "type": "nominal",
                        "scale": {"domain": names, "range": list(SHAPES)},
                        "legend": None,
                    },
                    "tooltip": {"field": "tip"},
                },
            },
            {
                "data": {"name": "lines"},
                "mark": {"type": "line", "strokeWidth": 2, "color": "var(--occ-ink)"},
                "encoding": {
                    "x": OCCUPANCY,
                    "y": y,
                    "strokeDash": {
                        "field": "line",
                        "type": "nominal",
                        "scale": {"domain": ["best", "median"], "range": [[1, 0], [5, 4]]},
                        "legend": None,
                    },
                },
            },
            {
                "data": {"name": "here"},
                "mark": {"type": "rule", "strokeWidth": 1, "color": "var(--occ-ink)"},
                "encoding": {"x": OCCUPANCY},
            },
        ],
    }
    reached = "; ".join(
        f"{at.occupancy:.0f} %: best {at.best:.0f} %, median {at.median:.0f} %"
        for share in (25, 50, 75, 100)
        for at in (level(kernel, gpu, share),)
    )
    return Chart(
        spec,
        {"dots": dots(kernel, gpu), "lines": lines, "here": [{"x": round(here.occupancy, 2)}]},
        f"Speed against occupancy of {len(configs(kernel, gpu))} configurations of {TUNED[kernel]} on {gpu}, as dots "
        f"coloured by their limiter. Speed in percent of the best of all. {reached}.",
    )


def verdicts(kernel: str) -> Table:
    """Each board in one row: what occupancy says of speed, and what the best with half of the slots reaches."""
    rows = []
    for gpu in tuned():
        top = fastest(kernel, gpu)
        full = level(kernel, gpu, 100)
        reached = [best_up_to(kernel, gpu, share) for share in (25, 50, 60)]
        rows.append(
            (
                gpu,
                len(configs(kernel, gpu)),
                signed(rank_correlation(kernel, gpu)),
                percent(100 * top.warps / slots(gpu)),
                percent(full.median),
                *("none there" if best is None else percent(best) for best in reached),
            )
        )
    columns = ("GPU", "runs", "correlation", "fastest at", "full: median", "≤ 25 %", "≤ 50 %", "≤ 60 %")
    caption = "speeds in percent of the fastest; ≤: the best with at most so much occupancy"
    return Table(columns, rows, f"{TUNED[kernel]}: {caption}")


# ---------- what the sentences say ----------


def timed() -> int:
    """How many times the second set holds: configurations, each counted on every board that ran it."""
    return sum(len(configs(kernel, gpu)) for kernel in TUNED for gpu in tuned())


def sheet(gpu: str) -> float:
    """The bandwidth the GPU table gives for a board, GB/s."""
    rate = devices.gpu(gpu).bandwidth_gb_s
    assert rate
    return rate


def stretch() -> list[float]:
    """How many times as long a turn takes as the longest idle latency measured, for each board that has one."""
    return [curve(gpu).turn / float(chased(gpu).split("–")[-1]) for gpu in streamed() if gpu in CHASED]


def gaps() -> list[float]:
    """How far the law is off at the corner on every board but the L40, in percent of the best."""
    return [curve(gpu).gap for gpu in streamed() if gpu != "L40"]


def drift() -> list[float]:
    """By how many percent a turn grows when it is read from a quarter of the slots."""
    return [100 * (curve(gpu).slope(2 * STRAIGHT) / curve(gpu).turn - 1) for gpu in streamed()]


def medians(kernel: str) -> list[float]:
    """The median speed at full occupancy on each board."""
    return [level(kernel, gpu, 100).median for gpu in tuned()]


def correlations(kernel: str) -> list[float]:
    """The rank correlation on each board."""
    return [rank_correlation(kernel, gpu) for gpu in tuned()]


def short(kernel: str, gpu: str, occupancy: float) -> str:
    """What the best at an occupancy lacks of the best of all."""
    return f"{100 - level(kernel, gpu, occupancy).best:.1f}{THIN}%"


# ---------- the reader's own ----------


def runs() -> list[list[dict[str, str]]]:
    """The tables that scripts/measure wrote and somebody sent, one a board; see that script for their columns."""
    folder = resources.files("occusite") / "data" / "measurements" / "runs"
    if not folder.is_dir():
        return []
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".csv")), key=lambda file: file.name)
    return [list(csv.DictReader(file.read_text(encoding="utf-8").splitlines())) for file in files]


def told(tables: Sequence[Sequence[Mapping[str, str]]]) -> str:
    """What the sent tables say of the copy: for each board, from which occupancy on it moves nine tenths of its best,
    with one load in flight per thread and with the most."""
    sentences = []
    for table in tables:
        copies = [row for row in table if row["part"] == "copy"]
        if not copies:
            continue
        full = int(copies[0]["threads_per_sm"]) // WARP
        enough = {}
        for loads in sorted({int(row["loads"]) for row in copies}):
            points = sorted((int(r["warps"]), float(r["gb_per_s"])) for r in copies if int(r["loads"]) == loads)
            best = max(rate for _, rate in points)
            enough[loads] = next(warps for warps, rate in points if rate >= 0.9 * best)
        few, many = min(enough), max(enough)
        sentences.append(
            f"On the {copies[0]['gpu']} a copy comes to nine tenths of its best with {percent(100 * enough[few] / full)} of "
            f"the slots at {few} load in flight per thread, and with {percent(100 * enough[many] / full)} at {many}."
        )
    return " ".join(sentences) or "So far nobody has sent a table."
