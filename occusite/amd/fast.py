"""The fast path of the rules with whole work-groups: plain integers in, from the same rule functions, remembered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from occusite.amd import hardware
from occusite.amd.launch import Launch
from occusite.amd.rules import MOST_WORK_ITEMS, SIMDS, Target, vgprs_counted, waves_by_vgprs

# The fields whose values a sweep may vary; all others are options of it.
SWEPT = ("work_items", "vgprs", "sgprs", "lds")
_ANY = 1 << 62


def counter(
    target: Target, launch: Launch, wave_size: int, hip: bool, names: tuple[str, ...]
) -> Callable[..., tuple[int, int]] | None:
    """A function of the values of the fields `names` to (blocks, warps); None for other fields, and refused modes."""
    if not set(names) <= set(SWEPT) or wave_size not in target.files or (launch.agprs and not target.agprs):
        return None
    places = target.cus if launch.cu_mode else 1
    simds, cus = SIMDS // places, target.cus // places
    slots, barriers = simds * hardware.wave_slots(target, hip), cus * target.groups

    @cache
    def by_registers(vgprs: int, sgprs: int) -> int:
        registers = vgprs_counted(target, vgprs, launch.agprs)
        scalars = hardware.waves_by_sgprs(target, sgprs, hip)
        if sgprs > target.sgprs_most:
            return 0
        fit = min(slots, simds * waves_by_vgprs(target, wave_size, registers))
        return fit if scalars is None else min(fit, simds * scalars)

    @cache
    def by_lds(lds: int) -> int:
        taken = hardware.lds_allocated(target, lds)
        return 0 if lds > target.lds_most else cus * target.pool // taken if taken else _ANY

    def residency(work_items: int, vgprs: int, sgprs: int, lds: int) -> tuple[int, int]:
        if work_items > MOST_WORK_ITEMS:
            return 0, 0
        waves = -(-work_items // wave_size)
        fit = by_registers(vgprs, sgprs) // waves
        room = by_lds(lds)
        if room < fit:
            fit = room
        if waves > 1 and barriers < fit:
            fit = barriers
        return places * fit, places * fit * waves

    items, vgprs, sgprs, lds = launch.work_items, launch.vgprs, launch.sgprs, launch.lds
    if names == ("work_items",):
        return lambda v: residency(v, vgprs, sgprs, lds)
    if names == ("vgprs",):
        return lambda v: residency(items, v, sgprs, lds)
    if names == ("lds",):
        return lambda v: residency(items, vgprs, sgprs, v)
    if names == ("work_items", "vgprs"):
        return lambda w, v: residency(w, v, sgprs, lds)
    own = {"work_items": items, "vgprs": vgprs, "sgprs": sgprs, "lds": lds}
    return lambda *values: residency(**(own | dict(zip(names, values, strict=True))))
