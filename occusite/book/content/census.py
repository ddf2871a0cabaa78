"""A census of shipped kernels: how full an SM the kernels of published libraries can make (Measured)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from occusite import nvidia
from occusite.book.content.measured import GROUPS, SEVERAL, colours, device, table_of
from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table, percent

ALL = "all"
# How the classes of the picture are cut, in percent of the warp slots.
CLASSES = (12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100)
# The limiter of a ceiling with every warp slot taken: whatever else is used up with them, nothing could add a warp.
FULL = "full"


class Facts(NamedTuple):
    """What one wheel ships for one architecture: `kernels` without its empty `shells`, the median of their registers,
    how many were compiled with a bound on their block, and how many have a stack frame."""

    library: str
    version: str
    kernels: int
    shells: int
    median: int
    bounded: int
    framed: int


class Ceiling(NamedTuple):
    """The most resident warps any legal block size gives, in percent of the slots, and the slot of what limits them;
    `FULL` where all slots are taken."""

    warps: int
    occupancy: float
    limiter: str

    @property
    def edge(self) -> float:
        """The least of `CLASSES` that the occupancy does not pass."""
        return next((edge for edge in CLASSES if self.occupancy <= edge), CLASSES[-1])


@cache
def facts() -> dict[tuple[str, str], Facts]:
    """The wheels' own numbers, by library and architecture."""
    return {
        (line["library"], line["architecture"]): Facts(
            line["library"], line["version"], *(int(line[name]) for name in Facts._fields[2:])
        )
        for line in table_of("census-wheels")
    }


# A cell of the census: the edge of a class of occupancy, and the slot of what limits it.
Cells = Counter[tuple[float, str]]


@cache
def _cells() -> dict[tuple[str, str, int], Cells]:
    """How many kernels are in which cell, by library, architecture and KiB of dynamic shared memory a block."""
    counts: dict[tuple[str, str, int], Cells] = {}
    for line in table_of("census-ceilings"):
        key = (line["library"], line["architecture"], int(line["dynamic"]))
        cells: Cells = Counter()
        for cell in line["cells"].split():
            edge, limiter, kernels = cell.split(":")
            cells[float(edge), limiter] = int(kernels)
        counts[key] = cells
    return counts


def libraries() -> list[str]:
    """The libraries that were counted."""
    return list(dict.fromkeys(library for library, _ in facts()))


def architectures() -> list[str]:
    """The architectures they were counted for, oldest first."""
    return sorted({architecture for _, architecture in facts()}, key=lambda name: int(name[3:]))


def dynamics() -> list[int]:
    """The sizes of dynamic shared memory, in KiB a block, that ceilings were computed with."""
    return sorted({dynamic for _, _, dynamic in _cells()})


def ceiling(architecture: str, registers: int, threads: int, shared: int, dynamic: int = 0) -> Ceiling:
    """How full a kernel can make an SM: the block size up to its bound (0: none) that holds the most warps, were it
    launched with `dynamic` bytes of dynamic shared memory a block. A kernel that cannot be launched so has no warps."""
    target = device(architecture)
    # Rounded up, the largest counts pass what a thread may have.
    registers = min(registers, 255)
    launch = nvidia.Launch(32, registers, static_shared=shared, dynamic_shared=dynamic)
    counter = target.counter(launch, "threads")
    best, size = 0, 32
    # From the bound down: most kernels are launched with it, and a full SM ends the search.
    for block in range(threads or target.max_threads_per_block, 0, -32):
        warps = counter(block)[1]
        if warps > best:
            best, size = warps, block
        if best == target.slots:
            break
    answer = target.occupancy(nvidia.Launch(size, registers, static_shared=shared, dynamic_shared=dynamic))
    slots = [budget.slot for budget in answer.limiting]
    limiter = FULL if best == target.slots else slots[0] if len(slots) == 1 else SEVERAL
    return Ceiling(best, 100 * best / target.slots, limiter)


def cells(architecture: str, library: str = ALL, dynamic: int = 0) -> Cells:
    """How many kernels of one library, or of all, are in which cell, with `dynamic` KiB a block; empty where a library
    has nothing for the architecture. Raises `KeyError` for a size that no ceiling was computed with."""
    if dynamic not in dynamics():
        raise KeyError(dynamic)
    total: Cells = Counter()
    for name in libraries() if library == ALL else [library]:
        total += _cells().get((name, architecture, dynamic), Counter())
    return total


def _share(counts: Cells, which: Iterable[tuple[float, str]]) -> float:
    total = sum(counts.values())
    return 100 * sum(counts[cell] for cell in which) / total if total else 0.0


def at_most(architecture: str, occupancy: float, library: str = ALL, dynamic: int = 0) -> float:
    """Percent of the kernels that cannot pass an occupancy, which is one of `CLASSES`."""
    counts = cells(architecture, library, dynamic)
    return _share(counts, (cell for cell in counts if cell[0] <= occupancy))


def can_fill(architecture: str, library: str = ALL, dynamic: int = 0) -> float:
    """Percent of the kernels for which some legal block size fills every warp slot."""
    counts = cells(architecture, library, dynamic)
    return _share(counts, (cell for cell in counts if cell[1] == FULL))


def held_back(architecture: str, library: str = ALL, dynamic: int = 0) -> dict[str, float]:
    """Of the kernels that cannot fill the SM, the percent that each slot's budget limits, most first."""
    counts = Counter({c: n for c, n in cells(architecture, library, dynamic).items() if c[1] != FULL})
    shares = {slot: _share(counts, (cell for cell in counts if cell[1] == slot)) for _, slot in counts}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _sum(architecture: str, library: str, name: str) -> int:
    return sum(
        getattr(f, name) for (owner, target), f in facts().items() if target == architecture and library in (ALL, owner)
    )


def framed(architecture: str, library: str = ALL) -> float:
    """Percent of the kernels with a stack frame: spills, arrays with computed indices, calls."""
    total = count(architecture, library)
    return 100 * _sum(architecture, library, "framed") / total if total else 0.0


def count(architecture: str, library: str = ALL) -> int:
    """Kernels that were counted, without empty shells."""
    return _sum(architecture, library, "kernels")


def shells(architecture: str, library: str = ALL) -> int:
    """Empty shells, which are counted nowhere else."""
    return _sum(architecture, library, "shells")


def with_shells(architecture: str, library: str) -> float:
    """Percent of a library's kernels that cannot pass a quarter of the slots, were its empty shells counted as well."""
    kernels, empty = count(architecture, library), shells(architecture, library)
    return at_most(architecture, 25, library) * kernels / (kernels + empty) if kernels else 0.0


def _tip(edge: float, limiter: str) -> str:
    return "can be full" if limiter == FULL else f"at most {edge:g} %, {GROUPS[limiter]}"


def histogram(architecture: str, library: str, dynamic: int) -> Chart:
    """The share of kernels by the occupancy they cannot pass, coloured by what limits it; `dynamic` in KiB a block."""
    counts = cells(architecture, library, dynamic)
    total = sum(counts.values()) or 1
    # A full SM has the colour of its warp slots.
    names = {**GROUPS, FULL: GROUPS["warps"]}
    order = list(names)
    data: list[dict[str, Any]] = [
        {
            "at": f"{edge:g}",
            "share": round(100 * kernels / total, 2),
            "limiter": names[limiter],
            "order": order.index(limiter),
            "tip": f"{_tip(edge, limiter)}: {kernels} kernels, {100 * kernels / total:.1f} %",
        }
        for (edge, limiter), kernels in sorted(counts.items())
    ]
    spec = {
        "height": 280,
        "data": {"name": "classes"},
        "mark": {"type": "bar", "stroke": "var(--occ-paper)", "strokeWidth": 1},
        "encoding": {
            "x": {
                "field": "at",
                "type": "ordinal",
                "scale": {"domain": [f"{edge:g}" for edge in CLASSES], "paddingInner": 0.18},
                "axis": {"title": "occupancy they cannot pass (%)", "labelAngle": 0},
            },
            "y": {
                "field": "share",
                "type": "quantitative",
                "stack": "zero",
                "axis": {"title": "kernels (%)", "tickCount": 5, "format": "d"},
            },
            "color": {
                "field": "limiter",
                "type": "nominal",
                "scale": {"domain": list(GROUPS.values()), "range": colours()},
                "legend": None,
            },
            "order": {"field": "order", "type": "ordinal"},
            "tooltip": {"field": "tip"},
        },
    }
    shares = "; ".join(
        f"{edge:g} %: {_share(counts, (cell for cell in counts if cell[0] == edge)):.0f} %" for edge in CLASSES
    )
    who = "all libraries" if library == ALL else library
    return Chart(
        spec,
        {"classes": data},
        f"Shares of the kernels of {who} for {architecture} by the occupancy they cannot pass, coloured by what limits "
        f"it. {shares}.",
    )


def by_library(architecture: str) -> Table:
    """What each library ships for one architecture, and how full its kernels can be."""
    lines = []
    for name in libraries():
        known = facts().get((name, architecture))
        if known is None:
            continue
        lines.append(
            (
                f"{name} {known.version}",
                known.kernels,
                known.shells,
                known.median,
                percent(at_most(architecture, 25, name)),
                percent(can_fill(architecture, name)),
                percent(framed(architecture, name)),
            )
        )
    columns = ("library", "kernels", "empty shells", "median registers", "at most 25 %", "can be full", "stack")
    return Table(columns, lines, f"Kernels for {architecture} in published wheels, and how full they can make an SM")


def by_generation() -> Table:
    """All libraries together, one architecture a row."""
    lines = []
    for target in architectures():
        lines.append(
            (
                f"{target[3:-1]}.{target[-1]} {device(target).name.partition('(')[2][:-1]}",
                count(target),
                shells(target),
                percent(at_most(target, 25)),
                percent(can_fill(target)),
                percent(held_back(target).get("registers", 0)),
                percent(framed(target)),
            )
        )
    columns = (
        "architecture",
        "kernels",
        "empty shells",
        "at most 25 %",
        "can be full",
        "rest: registers",
        "stack",
    )
    return Table(
        columns,
        lines,
        "All counted libraries together; of the rest, which cannot be full, how many registers alone limit",
    )


def dynamic_leaves_open(architecture: str) -> Table:
    """How the two shares move, were every block launched with so much dynamic shared memory."""
    lines = [
        (
            size,
            percent(at_most(architecture, 25, dynamic=size)),
            percent(can_fill(architecture, dynamic=size)),
        )
        for size in dynamics()
    ]
    columns = ("dynamic shared memory a block (KiB)", "at most 25 %", "can be full")
    return Table(columns, lines, f"Kernels for {architecture}, were each block launched with so much on top")
