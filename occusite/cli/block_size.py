"""`occusite block-size`: the vendor's suggestion, the smallest block as good, and what each size gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import options
from occusite.cli.output import Limiters, Table, bar, in_terminal, percent, show, show_json
from occusite.cli.parser import Exit, option
from occusite.model.terms import counted

if TYPE_CHECKING:
    from occusite import nvidia


@options.with_launch
def block_size(
    fields: dict[str, Any],
    device: options.Device = None,
    shared_per_thread: Annotated[
        str | None,
        option(
            "--shared-per-thread", metavar="BYTES", help="Dynamic shared memory that grows with the block, per thread."
        ),
    ] = None,
    max_threads: Annotated[
        str | None, option("--max-threads", metavar="N", help="The kernel's own limit: its launch bounds.")
    ] = None,
    rules: options.Rules = None,
    json: options.Json = False,
) -> None:
    """The vendor's block size, and the smallest as good.

    Exits with 1 when no block size runs.
    """
    from occusite import nvidia
    from occusite.model.fields import block, size

    gpu, launch = options.question(device, rules, {"threads": "1", **fields})
    if not isinstance(gpu, nvidia.Device):
        raise ValueError(f"device: {gpu.name!r} is not allowed; give a GPU whose vendor suggests block sizes")
    launch = replace(launch, threads=1)
    most = block("max_threads", max_threads, "threads") if max_threads is not None else None
    grows = size("shared_per_thread", shared_per_thread) if shared_per_thread else 0
    fixed = launch.dynamic_shared
    shared: Callable[[int], int] | None = (lambda threads: fixed + grows * threads) if grows else None
    suggested = gpu.potential_block_size(launch, shared, most)
    smallest = gpu.smallest_block_size(launch, shared, most)
    if json:
        show_json({"device": gpu.name, "suggested": suggested._asdict(), "smallest_as_good": smallest._asdict()})
    else:
        show(*_parts(gpu, launch, shared, suggested, smallest, most))
    if not suggested.threads:
        raise Exit(1)


def _parts(
    device: nvidia.Device,
    launch: nvidia.Launch,
    shared: Callable[[int], int] | None,
    suggested: nvidia.BlockSize,
    smallest: nvidia.BlockSize,
    max_threads: int | None,
) -> list[object]:
    if not suggested.threads:
        return [f"device: {device.name}", "no block size runs with these registers and this shared memory"]
    table = Table(["threads", "blocks", "warps", "occupancy", "limited by"], right=frozenset({0, 1, 2, 3}))
    if in_terminal():
        table.columns = [*table.columns, ""]
    most = min(max_threads or device.max_threads_per_block, device.max_threads_per_block)
    common = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}
    sizes = sorted({s for s in common if s <= most} | {most, suggested.threads, smallest.threads})
    for index, threads in enumerate(sizes):
        dynamic = shared(threads) if shared else launch.dynamic_shared
        answer = device.occupancy(replace(launch, threads=threads, dynamic_shared=dynamic))
        limiters = Limiters(answer.limiting if answer.runs else ())
        share = percent(answer.warps, answer.slots) if answer.runs else "–"
        row: list[object] = [threads, answer.blocks, answer.warps, share, limiters]
        if in_terminal():
            row.append(bar(answer.warps, answer.slots, 12))
        table.rows.append(row)
        if threads in (suggested.threads, smallest.threads):
            table.marked.add(index)
    return [
        f"device:           {device.name}",
        f"suggested:        {_described(device, suggested)} (as cudaOccupancyMaxPotentialBlockSize)",
        f"smallest as good: {_described(device, smallest)}",
        f"fills the device: {_grids(device, suggested, smallest)}",
        "",
        table,
    ]


def _grids(device: nvidia.Device, suggested: nvidia.BlockSize, smallest: nvidia.BlockSize) -> str:
    if suggested.min_grid is None or smallest.min_grid is None:
        return f"the number of SMs is not known{': ' * bool(device.note)}{device.note}"
    first = f"{counted(suggested.min_grid, 'blocks')} of {suggested.threads}"
    return f"{first}, or {smallest.min_grid:,} of {smallest.threads}" if smallest != suggested else first


def _described(device: nvidia.Device, size: nvidia.BlockSize) -> str:
    share = percent(size.warps, device.warps_per_sm)
    return f"{counted(size.threads, 'threads')}, {counted(size.blocks, 'blocks')}, {size.warps} of {device.warps_per_sm} warps ({share})"
