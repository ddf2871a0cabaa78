"""A census of shipped kernels: how full an SM the kernels of published libraries can make (Measured)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from occusite import nvidia
from occusite.book.content.measured import GROUPS, SEVERAL, colours, device, table_of
from occusite.book.parts.charts import Chart
from occusite.book.parts.html import Table, percent

KIB = 1024
ALL = "all"
# How the classes of the picture are cut, in percent of the warp slots.
CLASSES = (12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100)


class Row(NamedTuple):
    """Kernels of one library that take the same: registers, the bound on threads (0: none), bytes of static shared
    memory, whether they have a stack frame, and how many they are."""

    registers: int
    threads: int
    shared: int
    stack: int
    kernels: int


class Facts(NamedTuple):
    """What one wheel ships for one architecture: `kernels` without its empty `shells`, the median of their registers,
    and how many were compiled with a bound on their block."""

    library: str
    version: str
    kernels: int
    shells: int
    median: int
    bounded: int


class Ceiling(NamedTuple):
    """The most resident warps any legal block size gives, in percent of the slots, and the slot of what limits them."""

    warps: int
    occupancy: float
    limiter: str


@cache
def _census() -> dict[tuple[str, str], tuple[Row, ...]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for line in table_of("census"):
        numbers = (int(line[name]) for name in Row._fields)
        found.setdefault((line["library"], line["architecture"]), []).append(Row(*numbers))
    return {key: tuple(rows) for key, rows in found.items()}


@cache
def facts() -> dict[tuple[str, str], Facts]:
    """The wheels' own numbers, by library and architecture."""
    return {
        (line["library"], line["architecture"]): Facts(
            line["library"], line["version"], *(int(line[name]) for name in Facts._fields[2:])
        )
        for line in table_of("census-wheels")
    }


def libraries() -> list[str]:
    """The libraries that were counted."""
    return list(dict.fromkeys(library for library, _ in _census()))


def architectures() -> list[str]:
    """The architectures they were counted for, oldest first."""
    return sorted({architecture for _, architecture in _census()}, key=lambda name: int(name[3:]))


def rows(architecture: str, library: str = ALL) -> list[Row]:
    """What one library, or all, ship for an architecture; empty where a library has nothing for it."""
    chosen = libraries() if library == ALL else [library]
    return [row for name in chosen for row in _census().get((name, architecture), ())]


@cache
def ceiling(architecture: str, registers: int, threads: int, shared: int, dynamic: int = 0) -> Ceiling:
    """How full a kernel can make an SM: the block size up to its bound that holds the most warps, were it launched with
    `dynamic` bytes of dynamic shared memory a block. A kernel that cannot be launched so has no warps."""
    found = device(architecture)
    # Rounded up, the largest counts pass what a thread may have.
    registers = min(registers, 255)
    launch = nvidia.Launch(32, registers, static_shared=shared, dynamic_shared=dynamic)
    counter = found.counter(launch, "threads")
    best, size = 0, 32
    # From the bound down: most kernels are launched with it, and a full SM ends the search.
    for block in range(threads or found.max_threads_per_block, 0, -32):
        warps = counter(block)[1]
        if warps > best:
            best, size = warps, block
        if best == found.slots:
            break
    answer = found.occupancy(nvidia.Launch(size, registers, static_shared=shared, dynamic_shared=dynamic))
    slots = [budget.slot for budget in answer.limiting]
    # A full SM is limited by its slots, whatever else would be used up with them.
    limiter = "warps" if best == found.slots else slots[0] if len(slots) == 1 else SEVERAL
    return Ceiling(best, 100 * best / found.slots, limiter)


def ceilings(architecture: str, library: str = ALL, dynamic: int = 0) -> Counter[Ceiling]:
    """How many kernels have which ceiling."""
    found: Counter[Ceiling] = Counter()
    for row in rows(architecture, library):
        found[ceiling(architecture, row.registers, row.threads, row.shared, dynamic)] += row.kernels
    return found


def _share(found: Mapping[Ceiling, int], which: Iterable[Ceiling]) -> float:
    total = sum(found.values())
    return 100 * sum(found[c] for c in which) / total if total else 0.0


def at_most(architecture: str, occupancy: float, library: str = ALL, dynamic: int = 0) -> float:
    """Percent of the kernels that cannot pass an occupancy."""
    found = ceilings(architecture, library, dynamic)
    return _share(found, (c for c in found if c.occupancy <= occupancy))


def can_fill(architecture: str, library: str = ALL, dynamic: int = 0) -> float:
    """Percent of the kernels for which some legal block size fills every warp slot."""
    found = ceilings(architecture, library, dynamic)
    return _share(found, (c for c in found if c.occupancy == 100))


def held_back(architecture: str, library: str = ALL, dynamic: int = 0) -> dict[str, float]:
    """Of the kernels that cannot fill the SM, the percent that each slot's budget limits, most first."""
    found = Counter({c: n for c, n in ceilings(architecture, library, dynamic).items() if c.occupancy < 100})
    slots = {c.limiter for c in found}
    shares = {slot: _share(found, (c for c in found if c.limiter == slot)) for slot in slots}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def framed(architecture: str, library: str = ALL) -> float:
    """Percent of the kernels with a stack frame: spills, arrays with computed indices, calls."""
    chosen = rows(architecture, library)
    total = sum(row.kernels for row in chosen)
    return 100 * sum(row.kernels for row in chosen if row.stack) / total if total else 0.0


def count(architecture: str, library: str = ALL) -> int:
    """Kernels that were counted, without empty shells."""
    return sum(row.kernels for row in rows(architecture, library))


def shells(architecture: str, library: str = ALL) -> int:
    """Empty shells, which are counted nowhere else."""
    return sum(f.shells for (name, target), f in facts().items() if target == architecture and library in (ALL, name))


def with_shells(architecture: str, library: str) -> float:
    """Percent of a library's kernels that cannot pass a quarter of the slots, were its empty shells counted as well."""
    kernels, empty = count(architecture, library), shells(architecture, library)
    return at_most(architecture, 25, library) * kernels / (kernels + empty) if kernels else 0.0


def histogram(architecture: str, library: str, dynamic: int) -> Chart:
    """The share of kernels by the occupancy they cannot pass, coloured by what limits it."""
    found = ceilings(architecture, library, dynamic)
    total = sum(found.values()) or 1
    cells: Counter[tuple[float, str]] = Counter()
    for at, kernels in found.items():
        cells[next((edge for edge in CLASSES if at.occupancy <= edge), CLASSES[-1]), GROUPS[at.limiter]] += kernels
    data: list[dict[str, Any]] = [
        {
            "at": f"{edge:g}",
            "share": round(100 * kernels / total, 2),
            "limiter": limiter,
            "tip": f"at most {edge:g} %, {limiter}: {kernels} kernels, {100 * kernels / total:.1f} %",
        }
        for (edge, limiter), kernels in sorted(cells.items())
    ]
    names = list(GROUPS.values())
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
                "scale": {"domain": names, "range": colours()},
                "legend": None,
            },
            "order": {"field": "limiter", "type": "nominal"},
            "tooltip": {"field": "tip"},
        },
    }
    told = "; ".join(
        f"{edge:g} %: {100 * sum(n for (at, _), n in cells.items() if at == edge) / total:.0f} %" for edge in CLASSES
    )
    who = "all libraries" if library == ALL else library
    return Chart(
        spec,
        {"classes": data},
        f"Shares of the kernels of {who} for {architecture} by the occupancy they cannot pass, coloured by what limits "
        f"it. {told}.",
    )


def _held_words(shares: dict[str, float]) -> str:
    return ", ".join(f"{GROUPS[slot]} {percent(share)}" for slot, share in list(shares.items())[:2]) or "nothing"


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
    columns = ("library", "kernels", "empty shells", "median registers", "at most 25 %", "can be full", "use the stack")
    return Table(columns, lines, f"Kernels for {architecture} in published wheels, and how full they can make an SM")


def by_generation() -> Table:
    """All libraries together, one architecture a row."""
    lines = []
    for target in architectures():
        lines.append(
            (
                device(target).name,
                count(target),
                shells(target),
                percent(at_most(target, 25)),
                percent(can_fill(target)),
                _held_words(held_back(target)),
                percent(framed(target)),
            )
        )
    columns = (
        "architecture",
        "kernels",
        "empty shells",
        "at most 25 %",
        "can be full",
        "the others are limited by",
        "use the stack",
    )
    return Table(columns, lines, "All counted libraries together")


def dynamic_leaves_open(architecture: str, *kib: int) -> Table:
    """How the two shares move, were every block launched with so much dynamic shared memory."""
    lines = [
        (
            size,
            percent(at_most(architecture, 25, dynamic=size * KIB)),
            percent(can_fill(architecture, dynamic=size * KIB)),
        )
        for size in kib
    ]
    columns = ("dynamic shared memory a block (KiB)", "at most 25 %", "can be full")
    return Table(columns, lines, f"Kernels for {architecture}, were each block launched with so much on top")
