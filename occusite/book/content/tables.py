"""The book's tables, each computed when the page is built."""

from __future__ import annotations

import re
from typing import NamedTuple

from occusite import littles_law, nvidia, paper
from occusite.book.content import session, speed, spills  # noqa: F401 - for the pages
from occusite.book.content.census import by_generation, by_library, dynamic_leaves_open  # noqa: F401 - for the pages
from occusite.book.content.measured import measured_boards, turns, verdicts  # noqa: F401 - for the pages
from occusite.book.content.reference import (  # noqa: F401 - for the pages
    gpu_notes,
    header_versions,
    latencies,
    launch_fields,
    limits_per_capability,
    named_gpus,
    source_list,
    sources_per_capability,
    units_per_capability,
)
from occusite.book.content.scheduling import assumptions, idle_by_warps, policies, regimes, trade  # noqa: F401 - for the pages
from occusite.book.content.silicon import limits_by_architecture, on_chip, rules_ignored  # noqa: F401 - for the pages
from occusite.book.parts import charts
from occusite.book.parts.html import THIN, Markup, Table, budget, count, limiters, percent, text
from occusite.model import Occupancy
from occusite.questions import staircase

KIB = paper.KIB


def budgets_on_paper(threads: int = 256, registers: int = 64, shared_kib: int = 12) -> Table:
    """Budget · arithmetic · blocks · warps, for one launch on the paper SM."""
    sm, launch = paper.SM(), paper.Launch(threads, registers, shared_kib * KIB)
    return working_table(
        sm.occupancy(launch), f"Three budgets of the {sm.name}: {_launch(threads, registers, shared_kib)}"
    )


def working_table(answer: Occupancy, caption: str = "") -> Table:
    """The working of any answer: one row a budget, rows of limiters marked."""
    steps = [s for s in answer.steps if s.budget in answer.limits and s.unit == "blocks"]
    rows = [
        (
            budget(answer.budget(s.budget)),
            s.text(count),
            "any number" if s.value is None else s.value,
            "any number" if s.value is None else s.value * answer.warps_per_block,
        )
        for s in steps
    ]
    marked = frozenset(i for i, s in enumerate(steps) if s.budget in answer.limiters)
    return Table(("budget", "arithmetic", "blocks it allows", "warps"), rows, caption, marked)


def what_binds(answer: Occupancy, step: staircase.Stretch) -> Markup | str:
    """The budgets that bind on all of a step of the staircase in registers, then those that join on a part of it."""
    if not step.warps:
        return "cannot launch"
    parts = [s for s in staircase.stretches(answer) if step.first <= s.first and s.last <= step.last]
    joined = [
        f" ({charts.span(s.first, s.last)}: + {limiters(answer, tuple(b for b in s.limiters if b not in step.limiters))})"
        for s in parts
        if set(s.limiters) - set(step.limiters)
    ]
    return Markup(limiters(answer, step.limiters) + "".join(joined))


def plateaus(answer: Occupancy, caption: str = "") -> Table:
    """The steps of the staircase in registers per thread."""
    rows = [
        (
            f"{p.first}–{p.last}" if p.last > p.first else p.first,
            p.warps,
            percent(100 * p.warps / answer.slots) if p.warps else "–",
            what_binds(answer, p),
        )
        for p in staircase.whole_steps(answer)
    ]
    return Table(("registers per thread", "resident warps", "occupancy", "what binds"), rows, caption)


def plateaus_on_paper(threads: int = 256, shared_kib: int = 12) -> Table:
    """The paper SM's staircase."""
    sm = paper.SM()
    return plateaus(
        sm.occupancy(paper.Launch(threads, 32, shared_kib * KIB)),
        f"Plateaus of the {sm.name}, {threads} threads, {shared_kib}{THIN}KiB per block",
    )


def plateaus_on_ada(threads: int = 256, shared_kib: int = 0) -> Table:
    """The exact staircase of an Ada SM."""
    return plateaus(
        nvidia.device("8.9").occupancy(nvidia.Launch(threads, 32, dynamic_shared=shared_kib * KIB)),
        f"Plateaus of an Ada SM, exact rule, {threads} threads"
        + (f", {shared_kib}{THIN}KiB per block" if shared_kib else ""),
    )


def compare(*launches: tuple[int, int, int], caption: str = "") -> Table:
    """Several launches (threads, registers, shared KiB) on the paper SM, one a row."""
    sm = paper.SM()
    rows = []
    for threads, registers, shared_kib in launches:
        answer = sm.occupancy(paper.Launch(threads, registers, shared_kib * KIB))
        rows.append(
            (
                threads,
                registers,
                shared_kib,
                answer.blocks,
                answer.warps,
                percent(answer.percent),
                limiters(answer),
            )
        )
    columns = ("threads", "registers", "shared (KiB)", "blocks", "warps", "occupancy", "what binds")
    return Table(columns, rows, caption, head=False)


def compare_on(capability: str, *launches: tuple[int, ...]) -> Table:
    """Several launches (threads, registers, dynamic shared KiB) on one compute capability, exactly."""
    device = nvidia.device(capability)
    rows = []
    for threads, registers, *shared in launches:
        answer = device.occupancy(nvidia.Launch(threads, registers, dynamic_shared=sum(shared) * KIB))
        charged = answer.allocated["registers_per_block"] // (answer.warps_per_block * 32)
        rows.append(
            (threads, registers, charged, answer.blocks, answer.warps, percent(answer.percent), limiters(answer))
        )
    columns = ("threads", "registers", "charged per thread", "blocks", "warps", "occupancy", "what binds")
    return Table(columns, rows, f"{device.name}, the exact rule", head=False)


def block_sizes(registers: int = 32) -> Table:
    """How block size alone shapes occupancy on an Ada SM."""
    ada = nvidia.device("8.9")
    rows = []
    for threads in (32, 64, 128, 256, 384, 512, 640, 768, 1024):
        answer = ada.occupancy(nvidia.Launch(threads, registers))
        rows.append(
            (
                threads,
                answer.warps_per_block,
                answer.blocks,
                answer.warps,
                percent(answer.percent),
                limiters(answer),
            )
        )
    columns = ("threads per block", "warps each", "blocks", "warps", "occupancy", "what binds")
    return Table(columns, rows, f"Block sizes on an Ada SM, {registers} registers per thread, no shared memory")


def little(bandwidth: float = 2000, latency: float = 400, sms: int = 100, access: int = 128, loads: int = 2) -> Table:
    """Little's law, step by step."""
    need = littles_law.Supply(bandwidth, latency, sms, access, loads)
    rows = [
        ("in flight, whole GPU", f"{bandwidth:g} GB/s × {latency:g} ns", f"{_big(need.total)} bytes"),
        ("per SM", f"{_big(need.total)} ÷ {sms}", f"{_big(need.per_sm)} bytes"),
        ("warp accesses", f"{_big(need.per_sm)} ÷ {access}", f"{need.accesses:g}"),
        ("warps", f"⌈{need.accesses:g} ÷ {loads}⌉", str(need.warps)),
    ]
    return Table(("what", "arithmetic", "comes to"), rows, "Little’s law, from the whole GPU down to one SM")


def bounds_compared() -> Table:
    """One kernel under every way to bound its registers, and what becomes of it."""
    ways = {
        "free": "nothing",
        "free-capped": "`-maxrregcount=64`",
        "threads": "`__launch_bounds__(128)`",
        "threads-capped": "`__launch_bounds__(128)` and `-maxrregcount=64`",
        "one-block": "`__launch_bounds__(128, 1)`",
        "cluster": "`__launch_bounds__(128, 1, 2)`",
        "maxnreg": "`__maxnreg__(64)`",
        "maxnreg-capped": "`__maxnreg__(80)` and `-maxrregcount=64`",
    }
    rows = []
    for name, directive in ways.items():
        kernel, answer = session.bound(name), session.bound_answer(name)
        words = Markup(re.sub("`(.*?)`", r"<code>\1</code>", directive))
        rows.append((words, kernel.registers, kernel.spill_stores, answer.blocks, percent(answer.percent)))
    columns = ("what the compiler is told", "registers", "spill stores (bytes)", "blocks", "occupancy")
    return Table(columns, rows, f"One kernel, one compiler (nvcc {session.compiler()}), eight ways to bound it")


def cheat_sheet() -> Table:
    """What one SM of each current generation has, and the registers that still fill it at 256 threads."""
    rows = []
    for capability in ("7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"):
        device = nvidia.device(capability)
        steps = staircase.plateaus(device.occupancy(nvidia.Launch(256, 32)))
        full = [p.last for p in steps if p.warps == device.warps_per_sm]
        rows.append(
            (
                f"{capability} {nvidia.CHIPS[capability].family}",
                device.warps_per_sm,
                device.allocation.max_blocks,
                device.shared_memory_per_sm // KIB,
                device.shared_memory_per_block_opt_in // KIB,
                full[0] if full else "never",
            )
        )
    columns = (
        "architecture",
        "warp slots",
        "block slots",
        "shared memory (KiB)",
        "most per block (KiB)",
        "registers for full occupancy",
    )
    return Table(columns, rows, "One SM, 65,536 registers; the last column for blocks of 256 threads")


class Measured(NamedTuple):
    """A GPU whose DRAM latency somebody measured in time: `bandwidth` in GB/s, `latency` in ns (the middle of a range),
    `chip` its compute capability; `least` and `most`: ns over all measurements of boards with the same chip."""

    name: str
    sms: int
    bandwidth: float
    latency: int
    chip: str
    least: int
    most: int
    source: str


def measured() -> list[Measured]:
    """The GPUs whose latency was measured in time."""
    from occusite import devices

    boards = []
    for gpu in devices.gpus():
        timed = next((entry for entry in gpu.latency if entry.dram_ns), None)
        if timed and timed.dram_ns and gpu.bandwidth_gb_s and gpu.device.sm_count:
            alike = [
                ns for g in devices.gpus() if g.chip == gpu.chip for m in g.latency if m.dram_ns for ns in m.dram_ns
            ]
            boards.append(
                Measured(
                    gpu.name,
                    gpu.device.sm_count,
                    gpu.bandwidth_gb_s,
                    round(sum(timed.dram_ns) / 2),
                    gpu.device.compute_capability,
                    round(min(alike)),
                    round(max(alike)),
                    timed.source,
                )
            )
    return boards


def measured_latencies() -> Table:
    """The presets of the Little's law widget, with who measured the latency."""
    rows = [(g.name, g.sms, f"{g.bandwidth:g}", g.latency, charts.span(g.least, g.most), g.source) for g in measured()]
    columns = ("GPU", "SMs", "GB/s", "latency (ns)", "same chip, all sources", "latency measured by")
    return Table(columns, rows, "The presets, and where their latency comes from; one warp on an idle GPU each")


def latency_range(chip: str = "GH100") -> tuple[Measured, Measured]:
    """The least and the greatest latency that was measured on boards with one chip."""
    from occusite import devices

    chips = [g for g in measured() if devices.gpu(g.name).chip == chip]
    return min(chips, key=lambda g: g.latency), max(chips, key=lambda g: g.latency)


def _big(value: float) -> str:
    return f"{value:,.10g}".replace(",", THIN)


def _launch(threads: int, registers: int, shared_kib: int) -> str:
    return f"{threads} threads, {registers} registers per thread, {shared_kib}{THIN}KiB per block"


__all__ = ["Markup", "Table", "count", "text"]
