"""`occusite sweep`: residency along one field of a launch, as plateaus or value by value, with a plot in a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import options
from occusite.cli.output import Cell, Limiters, Table, in_terminal, percent, show, show_json, staircase
from occusite.cli.parser import option

if TYPE_CHECKING:
    from occusite.model import Device, Field, Occupancy

_MOST_ROWS = 1_000_000
_PLOT_WIDTH, _PLOT_HEIGHT = 64, 6
# The launch stands here where its value along the sweep is not set.
_ELSEWHERE = 32


@options.with_launch
def sweep(
    fields: dict[str, Any],
    device: options.Device = None,
    along: Annotated[
        str | None,
        option("--along", "-k", metavar="FIELD", help="The field to vary, such as threads.  [default: registers]"),
    ] = None,
    first: Annotated[
        str | None, option("--first", metavar="N", help="The first value.  [default: the field's least]")
    ] = None,
    last: Annotated[
        str | None, option("--last", metavar="N", help="The last value.  [default: the field's most]")
    ] = None,
    every: Annotated[
        str | None,
        option("--every", metavar="STEP", help="A row every STEP values.  [default: a row per plateau]"),
    ] = None,
    rules: options.Rules = None,
    json: options.Json = False,
) -> None:
    """Residency along one field: the plateaus.

    The field's own option marks where the launch stands.
    """
    gpu = options.question(device, rules, fields, False)[0]
    field = _field(gpu, along or _registers(gpu))
    along = field.name
    marked = along in fields
    if field.default is ... and not marked:
        fields = {**fields, along: _ELSEWHERE}
    launch = options.question(device, rules, fields)[1]
    answer = gpu.occupancy(launch)
    ends = [options.number(n, v) for n, v in (("first", first), ("last", last), ("every", every))]
    rows = _rows(answer, field, *ends)
    if json:
        show_json({"device": gpu.name, "along": along, "slots": gpu.slots, "rows": rows})
        return
    show(*_parts(answer, along, rows, getattr(launch, field.name) if marked else None))


def _registers(device: Device) -> str:
    """The first field that takes registers, or else the first that takes anything but slots for warps."""
    slots = {b.key: b.slot for b in device.budgets}
    fields = [f for f in device.launch_type.FIELDS if f.whole and slots.get(f.eases, "warps") != "warps"]
    return str(min(fields, key=lambda f: slots[f.eases] != "registers").name)


def _field(device: Device, name: str) -> Field:
    fields = {f.name: f for f in device.launch_type.FIELDS if f.whole}
    if name not in fields:
        raise ValueError(f"along: {name!r} is not allowed; give one of {', '.join(fields)}")
    field: Field = fields[name]
    return field


def _rows(
    answer: Occupancy, field: Field, first: int | None, last: int | None, every: int | None
) -> list[dict[str, Any]]:
    """One row a plateau, or every so many values: the values, what is resident, the limiters."""
    from occusite.model.checks import integer
    from occusite.questions import staircase as stairs

    device, launch = answer.device, answer.launch
    low, high = device.range(field)
    least = 1 if field.default is ... else 0
    low = low if first is None else integer("first", first, least)
    high = high if last is None else integer("last", last, low)
    if every is None:
        if not stairs.is_appetite(device, launch, field):
            integer("last", high, low, low + _MOST_ROWS)
        spans = [(p.first, p.last) for p in stairs.plateaus(answer, field.name, low, high)]
    else:
        integer("every", every, 1)
        integer("last", high, low, low + every * _MOST_ROWS)
        spans = [(value, value) for value in range(low, high + 1, every)]
    rows = []
    for start, end in spans:
        point = device.occupancy(replace(launch, **{field.name: start}))
        rows.append(
            {
                "first": start,
                "last": end,
                "blocks": point.blocks,
                "warps": point.warps,
                "occupancy": point.warps / point.slots if point.runs else None,
                "limiters": list(point.limiters) if point.runs else [],
            }
        )
    return rows


def _parts(answer: Occupancy, along: str, rows: list[dict[str, Any]], at: int | None) -> list[object]:
    from occusite.cli.occupancy import described
    from occusite.model.answer import budgets_of

    device = answer.device
    block, warp = f"{device.terms.block}s", f"{device.terms.warp}s"
    table = Table([along, block, warp, "occupancy", "limited by"], right=frozenset({0, 1, 2, 3}))
    for index, row in enumerate(rows):
        values = str(row["first"]) if row["first"] == row["last"] else f"{row['first']}–{row['last']}"
        share = percent(row["warps"], device.slots) if row["blocks"] else "–"
        limiters = Limiters(budgets_of(device, tuple(row["limiters"])))
        table.rows.append([values, row["blocks"], row["warps"], share, limiters])
        if at is not None and row["first"] <= at <= row["last"]:
            table.marked.add(index)
    parts: list[object] = [f"{described(answer.launch)}, on {device.name}; {along} varied", ""]
    if in_terminal():
        parts += [*_plot(device, rows), ""]
    return [*parts, table]


def _plot(device: Device, rows: list[dict[str, Any]]) -> list[object]:
    """The staircase over the whole range, warps upward."""
    low, high = rows[0]["first"], rows[-1]["last"]
    width = min(_PLOT_WIDTH, high - low + 1)
    levels, index = [], 0
    for column in range(width):
        value = low + column * (high - low) // max(width - 1, 1)
        while rows[index]["last"] < value and index + 1 < len(rows):
            index += 1
        levels.append(rows[index]["warps"])
    lines = staircase(levels, device.slots, _PLOT_HEIGHT)
    labels = [f"{device.slots:>4} ", *["     "] * (_PLOT_HEIGHT - 2), "   0 "]
    axis = f"     {low}{str(high).rjust(width - len(str(low)))}"
    return [Cell(label + line, "warps") for label, line in zip(labels, lines, strict=True)] + [axis]
