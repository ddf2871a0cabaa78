"""`occusite sweep`: residency along one knob, as plateaus or value by value, with a plot in a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from occusite.cli import options
from occusite.cli.output import Binding, Cell, Table, in_terminal, percent, show, show_json, staircase

if TYPE_CHECKING:
    from occusite import nvidia

KNOBS = ("registers", "threads", "dynamic_shared", "static_shared", "barriers")
_MOST_ROWS = 1_000_000
_PLOT_WIDTH, _PLOT_HEIGHT = 64, 6


def sweep(
    context: typer.Context,
    device: options.Device = None,
    knob: Annotated[
        str, typer.Option("--knob", "-k", metavar="|".join(KNOBS), help="What to vary.", show_default=True)
    ] = "registers",
    first: Annotated[
        int | None, typer.Option("--first", metavar="N", help="The first value.  [default: the knob's least]")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", help="The last value.  [default: the knob's most]")
    ] = None,
    every: Annotated[
        int | None,
        typer.Option("--every", metavar="STEP", help="A row every STEP values.  [default: a row per plateau]"),
    ] = None,
    threads: options.Threads = None,
    registers: options.Registers = None,
    static_shared: options.StaticShared = None,
    dynamic_shared: options.DynamicShared = None,
    max_dynamic_shared: options.MaxDynamicShared = None,
    opt_in: options.OptIn = True,
    carveout: options.Carveout = None,
    barriers: options.Barriers = 1,
    partitioned_caching: options.PartitionedCaching = "off",
    cluster: options.Cluster = 1,
    header: options.Header = None,
    json: options.Json = False,
) -> None:
    """Residency along one knob: the plateaus.

    The knob's own option marks where the launch stands.
    """
    from occusite.model.checks import choice

    gpu = options.device(device, header)
    choice("knob", knob, KNOBS)
    here = context.params.get(knob) if knob not in ("barriers",) else barriers
    given = {} if here is not None or knob not in ("threads", "registers") else {knob: 32}
    launch = options.launch(context, **given)
    rows = _rows(gpu, launch, knob, first, last, every)
    if json:
        show_json({"device": gpu.name, "knob": knob, "slots": gpu.warps_per_sm, "rows": rows})
        return
    at = getattr(launch, knob) if here is not None else None
    show(*_parts(gpu, launch, knob, rows, at))


def _rows(
    device: nvidia.Device, launch: nvidia.Launch, knob: str, first: int | None, last: int | None, every: int | None
) -> list[dict[str, Any]]:
    """One row a plateau, or every so many values: the values, what is resident, what binds."""
    from occusite.model.checks import whole
    from occusite.questions import staircase as stairs

    low, high = stairs.span(device, launch, knob)
    least = 1 if knob in ("threads", "registers") else 0
    low = low if first is None else whole("first", first, least)
    high = high if last is None else whole("last", last, low)
    if every is None:
        if knob == "threads":
            whole("last", high, low, low + _MOST_ROWS)
        spans = [(p.first, p.last) for p in stairs.plateaus(device, launch, knob, low, high)]
    else:
        whole("every", every, 1)
        whole("last", high, low, low + every * _MOST_ROWS)
        spans = [(value, value) for value in range(low, high + 1, every)]
    rows = []
    for start, end in spans:
        changed: dict[str, Any] = {knob: start}
        answer = device.occupancy(replace(launch, **changed))
        rows.append(
            {
                "first": start,
                "last": end,
                "blocks": answer.blocks,
                "warps": answer.warps,
                "occupancy": answer.warps / answer.slots,
                "binding": list(answer.binding) if answer.runs else [],
            }
        )
    return rows


def _parts(
    device: nvidia.Device, launch: nvidia.Launch, knob: str, rows: list[dict[str, Any]], at: int | None
) -> list[object]:
    from occusite.cli.occupancy import described

    table = Table([knob, "blocks", "warps", "occupancy", "limited by"], right=frozenset({0, 1, 2, 3}))
    for index, row in enumerate(rows):
        values = str(row["first"]) if row["first"] == row["last"] else f"{row['first']}–{row['last']}"
        share = percent(row["warps"], device.warps_per_sm)
        table.rows.append([values, row["blocks"], row["warps"], share, Binding(row["binding"])])
        if at is not None and row["first"] <= at <= row["last"]:
            table.marked.add(index)
    parts: list[object] = [f"{described(launch)}, on {device.name}; {knob} varied", ""]
    if in_terminal():
        parts += [*_plot(device, rows), ""]
    return [*parts, table]


def _plot(device: nvidia.Device, rows: list[dict[str, Any]]) -> list[object]:
    """The staircase over the whole range, warps upward."""
    low, high = rows[0]["first"], rows[-1]["last"]
    width = min(_PLOT_WIDTH, high - low + 1)
    levels, index = [], 0
    for column in range(width):
        value = low + column * (high - low) // max(width - 1, 1)
        while rows[index]["last"] < value and index + 1 < len(rows):
            index += 1
        levels.append(rows[index]["warps"])
    lines = staircase(levels, device.warps_per_sm, _PLOT_HEIGHT)
    labels = [f"{device.warps_per_sm:>4} ", *["     "] * (_PLOT_HEIGHT - 2), "   0 "]
    axis = f"     {low}{str(high).rjust(width - len(str(low)))}"
    return [Cell(label + line, "warps") for label, line in zip(labels, lines, strict=True)] + [axis]
