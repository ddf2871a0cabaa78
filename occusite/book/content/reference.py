"""The reference pages: limits and named GPUs as tables, each cell with its source, and the command line's own words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from occusite import amd, intel, nvidia, paper
from occusite.book.parts.html import THIN, Markup, Table
from occusite.devices import GPU, gpus
from occusite.model import REQUIRED
from occusite.nvidia.rules import OTHER_HEADERS, SOURCES

KIB = 1024
_ADDRESS = "https://"

# Fields as the tables' columns call them.
_COLUMNS = {
    "sm_count": "SMs",
    "bandwidth_gb_s": "bandwidth",
    "boost_mhz": "boost clock",
    "memory_gb": "memory",
    "memory_type": "memory",
    "bus_bits": "bus",
    "l2_mb": "L2",
    "chip": "chip",
    "shared_memory_per_sm": "shared memory per SM",
    "shared_memory_per_block_opt_in": "shared memory per block with opt-in",
}


def limits_per_capability() -> Table:
    """What one SM has, and the most one block may take."""
    rows = []
    for capability, chip in nvidia.CHIPS.items():
        device = nvidia.device(capability)
        rows.append(
            (
                capability,
                chip.family,
                device.warps_per_sm,
                device.allocation.max_blocks,
                device.registers_per_sm,
                device.registers_per_block,
                device.allocation.max_registers,
                device.shared_memory_per_sm // KIB,
                device.shared_memory_per_block // KIB,
                device.shared_memory_per_block_opt_in // KIB,
            )
        )
    columns = (
        *("CC", "family", "warp slots", "block slots", "registers", "registers per block", "registers per thread"),
        *("shared KiB", "KiB per block", "KiB with opt-in"),
    )
    return Table(_broken(columns), rows, "Limits of one SM and of one block")


def launch_fields(vendor: str) -> Table:
    """Every field of a vendor's launch: its name, what it is, its default, and since which architecture it counts."""
    kinds: dict[str, Any] = {"nvidia": nvidia.Launch, "amd": amd.Launch, "intel": intel.Launch, "paper": paper.Launch}
    rows = [
        (
            Markup(f"<code>{field.name}</code>"),
            f"{field.help.rstrip('.')}{f' (from {field.since} on)' if field.since else ''}",
            {"count": "whole number", "bytes": "bytes", "percent": "percent", "flag": "true or false"}.get(
                field.kind, " · ".join(field.choices)
            ),
            "required" if field.default is REQUIRED else _as_json(field.default),
        )
        for field in kinds[vendor].FIELDS
    ]
    return Table(("field", "what it is", "values", "default"), rows, "What a launch asks")


def _as_json(value: object) -> str:
    return json.dumps(value).strip('"')


def units_per_capability() -> Table:
    """In what units each stock is handed out."""
    rows = []
    for capability in nvidia.CHIPS:
        device = nvidia.device(capability)
        rules = device.allocation
        rows.append(
            (
                capability,
                rules.register_unit,
                f"{rules.partitions}, fits {rules.must_fit_partitions}"
                if rules.must_fit_partitions
                else rules.partitions,
                rules.shared_unit,
                device.reserved_shared_memory,
                ", ".join(str(step // KIB) for step in rules.shared_steps) or "fixed",
                rules.barriers,
                rules.virtual,
                "yes" if rules.partitioned_caching else "no",
            )
        )
    columns = (
        *("CC", "register unit", "register partitions", "shared unit", "block’s reserve"),
        *("shared set to (KiB)", "barriers", "virtual resources", "partitioned caching"),
    )
    return Table(_broken(columns), rows, "Units, partitions and settings")


def sources_per_capability() -> Table:
    """Where each row comes from, what is doubtful, and where sources disagree."""
    rows = [
        (
            capability,
            chip.example,
            ", ".join(chip.sources),
            ", ".join(_COLUMNS[name] for name in chip.unconfirmed) or "–",
            _long(chip.note or "–"),
        )
        for capability, chip in nvidia.CHIPS.items()
    ]
    return Table(("CC", "example", "sources", "unconfirmed", "where sources disagree"), rows, "Sources, row by row")


def source_list() -> Table:
    """The sources by their short names."""
    return Table(("name", "source"), list(SOURCES.items()), "The sources")


def header_versions() -> Table:
    """Where older versions of the vendor's header answer otherwise than the newest."""
    rows = []
    for first, last, major, minor, changes in OTHER_HEADERS:
        allocation = nvidia.device(f"{major}.{minor}").allocation if f"{major}.{minor}" in nvidia.CHIPS else None
        then = "not known" if changes is None else ", ".join(f"{value} {name}" for name, value in changes.items())
        here = "known" if allocation else "known; no device of this number is described, so this package refuses it"
        now = here if changes is None else ", ".join(f"{getattr(allocation, name)} {name}" for name in changes)
        rows.append((f"{major}.{minor}", f"{first}–{last}", then, now))
    return Table(
        ("CC", "header of CUDA", "says", f"newest ({nvidia.HEADER}) says"), rows, "Rules that changed with the header"
    )


def named_gpus(family: str) -> Table:
    """The GPUs of one family: what the board has, and where each number comes from."""
    boards = [gpu for gpu in gpus() if nvidia.CHIPS[gpu.device.compute_capability].family == family]
    if not boards:
        raise ValueError(f"family: {family!r} is not allowed; give one of {', '.join(families())}")
    rows = [
        (
            gpu.name,
            gpu.device.compute_capability,
            gpu.device.sm_count,
            gpu.bandwidth_gb_s,
            gpu.boost_mhz,
            None if gpu.memory_gb is None else f"{gpu.memory_gb:g}{THIN}{gpu.memory_type}".strip(),
            gpu.l2_mb,
            Markup(_linked(gpu.source)) if gpu.source.startswith(_ADDRESS) else "see below",
        )
        for gpu in boards
    ]
    columns = ("GPU", "CC", "SMs", "GB/s", "boost MHz", "memory GB", "L2 MB", "source")
    return Table(_broken(columns), rows, f"{family}: named GPUs")


def gpu_notes() -> Table:
    """The GPUs of which more is to say than one source: cells from elsewhere, who confirms them, what to doubt."""
    rows = [(gpu.name, Markup("; ".join(_provenance(gpu)))) for gpu in gpus()]
    return Table(("GPU", "cells"), [row for row in rows if row[1]], "Cells from other sources, confirmed, or in doubt")


def _broken(headings: Iterable[str]) -> list[Markup]:
    """Headings on two lines where they have two parts, so that wide tables stay narrow."""
    return [Markup(escape(heading).replace(" ", "<br>", 1)) for heading in headings]


def families() -> list[str]:
    """The families that have named GPUs, oldest first."""
    return list(dict.fromkeys(nvidia.CHIPS[gpu.device.compute_capability].family for gpu in gpus()))


def latencies() -> Table:
    """Load latencies that papers and benchmarks measured, in cycles of the SM's clock."""
    rows = []
    for gpu in gpus():
        for latency in gpu.latency:
            nanoseconds = f"{_range(latency.dram_ns)}{THIN}ns" if latency.dram_ns else ""
            rows.append(
                (
                    gpu.name + (f" ({latency.variant})" if latency.variant else ""),
                    latency.l1_cycles,
                    latency.l2_cycles,
                    _range(latency.dram_cycles),
                    nanoseconds or "–",
                    _long(f"{latency.method}; {latency.source}" + (f"; {latency.note}" if latency.note else "")),
                )
            )
    columns = ("GPU", "L1 cycles", "L2 cycles", "DRAM cycles", "DRAM", "how, and by whom")
    return Table(_broken(columns), rows, "Measured load latency")


def _provenance(gpu: GPU) -> Iterator[str]:
    if not gpu.source.startswith(_ADDRESS):
        yield _linked(gpu.source)
    for cell, source in gpu.cells.items():
        yield f"{escape(_COLUMNS.get(cell, cell))}: {_linked(source)}"
    if gpu.confirmed_by:
        yield f"confirmed by {_linked(gpu.confirmed_by)}"
    if gpu.unconfirmed:
        names = dict.fromkeys(_COLUMNS.get(cell, cell) for cell in gpu.unconfirmed)
        yield f"unconfirmed: {escape(', '.join(names))}"
    if gpu.note:
        yield escape(gpu.note)


def _linked(source: str) -> str:
    """A source as a link where it is an address, named by its site."""
    if not source.startswith(_ADDRESS):
        return escape(source)
    address = source.split()[0]
    site = address.split("/")[2].removeprefix("www.")
    rest = source[len(address) :]
    return f'<a class="occ-source" href="{escape(address)}" rel="noopener">{escape(site)}</a>{escape(rest)}'


def _long(text: str) -> Markup:
    """Running text in a cell that stays wide enough to read."""
    return Markup(f'<span class="occ-long">{escape(text)}</span>')


def _range(pair: tuple[float, float]) -> str:
    return f"{pair[0]:g}" if pair[0] == pair[1] else f"{pair[0]:g}–\u2060{pair[1]:g}"
