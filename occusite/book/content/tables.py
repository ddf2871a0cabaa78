"""The book's tables, each computed when the page is built."""

from __future__ import annotations

from occusite import littles_law, nvidia, paper
from occusite.book.content import speed, spills  # noqa: F401 - for the pages
from occusite.book.content.census import by_generation, by_library, dynamic_leaves_open  # noqa: F401 - for the pages
from occusite.book.content.measured import boards, turns, verdicts  # noqa: F401 - for the pages
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
from occusite.book.content.scheduling import assumptions, idle_by_warps, policies, trade  # noqa: F401 - for the pages
from occusite.book.content.silicon import limits_by_architecture, on_chip, rules_ignored  # noqa: F401 - for the pages
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


def plateaus(answer: Occupancy, caption: str = "") -> Table:
    """The steps of the staircase in registers per thread."""
    rows = [
        (
            f"{p.first}–{p.last}" if p.last > p.first else p.first,
            p.warps,
            percent(100 * p.warps / answer.slots) if p.warps else "–",
            limiters(answer, p.limiters) if p.warps else "cannot launch",
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


def measured() -> list[tuple[str, int, float, int, str]]:
    """GPUs whose DRAM latency somebody measured in time: name, SMs, GB/s, ns (the middle of a range), source."""
    from occusite import devices

    found = []
    for gpu in devices.gpus():
        timed = next((entry for entry in gpu.latency if entry.dram_ns), None)
        if timed and timed.dram_ns and gpu.bandwidth_gb_s:
            nanoseconds = round(sum(timed.dram_ns) / 2)
            found.append((gpu.name, gpu.device.sm_count, gpu.bandwidth_gb_s, nanoseconds, timed.source))
    return found


def measured_latencies() -> Table:
    """The presets of the Little's law widget, with who measured the latency."""
    rows = [(name, sms, f"{bandwidth:g}", latency, source) for name, sms, bandwidth, latency, source in measured()]
    columns = ("GPU", "SMs", "GB/s", "latency (ns)", "latency measured by")
    return Table(columns, rows, "The presets, and where their latency comes from")


def _big(value: float) -> str:
    return f"{value:,.10g}".replace(",", THIN)


def _launch(threads: int, registers: int, shared_kib: int) -> str:
    return f"{threads} threads, {registers} registers per thread, {shared_kib}{THIN}KiB per block"


__all__ = ["Markup", "Table", "count", "text"]
