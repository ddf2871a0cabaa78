"""`occusite shared`: dynamic shared memory for so many blocks per SM, and what forces a single one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import options
from occusite.cli.output import Table, show, show_json
from occusite.cli.parser import Exit, option

if TYPE_CHECKING:
    from occusite.model import Occupancy
    from occusite.questions.room import Room


@options.with_launch
def shared(
    fields: dict[str, Any],
    device: options.Device = None,
    blocks: Annotated[
        str | None,
        option("--blocks", metavar="N", help="Blocks per SM that shall be resident.  [default: each number]"),
    ] = None,
    rules: options.Rules = None,
    json: options.Json = False,
) -> None:
    """Dynamic shared memory for exactly so many blocks per SM.

    The least for one block forces a single block onto each SM. On AMD it is the LDS, on Intel the SLM. Beside it stands
    what cudaOccupancyAvailableDynamicSMemPerBlock answers. Exits with 1 when no size gives that many blocks.
    """
    from occusite.model.checks import integer
    from occusite.questions import records
    from occusite.questions.room import room, rooms

    gpu, launch = options.question(device, rules, fields)
    answer = gpu.occupancy(launch)
    count = options.number("blocks", blocks)
    found = rooms(answer) if count is None else (room(answer, integer("blocks", count, 1)),)
    rows = [each for each in found if each.least is not None]
    if json:
        made = [{**each._asdict(), "available": _available(answer, each.blocks)} for each in found]
        show_json({**records.question(answer), "rooms": made})
    else:
        show(*_parts(answer, rows, count))
    if not rows:
        raise Exit(1)


def _parts(answer: Occupancy, rows: list[Room], count: int | None) -> list[object]:
    from occusite.questions.room import memory_field

    device = answer.device
    blocks = f"{device.terms.block}s"
    head: list[object] = [f"device: {device.name}"]
    if not rows:
        wanted = (
            f"exactly {count} {blocks if count != 1 else device.terms.block}" if count else f"any {device.terms.block}"
        )
        return [*head, f"no size makes {wanted} resident"]
    api = any(_available(answer, row.blocks) is not None for row in rows)
    columns = [f"{blocks} per {device.terms.core}", "at least", "at most", *["the API's answer"] * api]
    table = Table(columns, right=frozenset({0, 1, 2, 3}))
    for row in rows:
        available = _available(answer, row.blocks)
        table.rows.append(
            [row.blocks, f"{row.least:,}", f"{row.most:,}", *[f"{available:,}" if available is not None else "–"] * api]
        )
    return [*head, f"bytes:  {memory_field(answer).label}, all else as given", "", table]


def _available(answer: Occupancy, blocks: int) -> int | None:
    """What the vendor's API answers, where it has one and that many blocks are resident."""
    ask = getattr(answer.device, "available_dynamic_shared", None)
    try:
        return None if ask is None else int(ask(answer.launch, blocks))
    except ValueError:
        return None
