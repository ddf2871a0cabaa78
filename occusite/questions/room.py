"""Memory for a wanted residency: how much each block may take so that exactly so many blocks are resident."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from occusite.model.answer import Occupancy
from occusite.model.checks import integer
from occusite.model.fields import Field
from occusite.questions.staircase import falling, last_where


class Room(NamedTuple):
    """With `field` from `least` to `most` bytes, all else as in the launch, exactly `blocks` blocks are resident.

    Both are None where no size gives that many: another budget allows fewer, or a pool's step leaps over them.
    """

    field: str
    blocks: int
    least: int | None
    most: int | None


def room(answer: Occupancy, blocks: int) -> Room:
    """Bytes of dynamic shared memory (on AMD LDS, on Intel SLM) with which exactly `blocks` blocks are resident.

    The launch's own size of that field is left out of account. `least` of one block is what forces a single block onto
    a core, as a kernel does that wants all of the cache. Where sizes in between give another residency, which older
    pools can do, the range around the smallest is given.
    Raises `ValueError` for blocks below 1.
    """
    blocks = integer("blocks", blocks, 1, None, f"{answer.device.terms.block}s")
    device, launch = answer.device, answer.launch
    field = memory_field(answer)
    low, high = device.range(field)
    residency = device.counter(launch, field.name)

    def reaches(count: int, value: int) -> bool:
        return residency(value)[0] >= count

    for first, last in falling(device, launch, field, low, high):
        most = last_where(partial(reaches, blocks), first, last)
        more = last_where(partial(reaches, blocks + 1), first, last)
        least = first if more is None else more + 1
        if most is not None and least <= most:
            return Room(field.name, blocks, least, most)
    return Room(field.name, blocks, None, None)


def rooms(answer: Occupancy) -> tuple[Room, ...]:
    """The room for every residency that some size gives, most blocks first."""
    # A block takes a warp slot at least.
    found = [room(answer, blocks) for blocks in range(answer.device.slots, 0, -1)]
    return tuple(each for each in found if each.least is not None)


def memory_field(answer: Occupancy) -> Field:
    """The field of on-chip memory that a launch sets last: of static and dynamic shared memory the dynamic."""
    budgets = {budget.key for budget in answer.device.budgets if budget.slot == "memory"}
    fields: list[Field] = [field for field in answer.launch.FIELDS if field.eases in budgets]
    return fields[-1]
