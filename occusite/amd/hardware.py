"""The hardware's rule, by documents: whole work-groups on one CU or WGP, VGPRs, SGPRs and LDS in their units.

HIP's occupancy call (`hip`) leaves the trap handler's SGPRs out and counts at most 8 waves per SIMD on gfx906 and gfx908.
"""

from __future__ import annotations

from occusite.amd.launch import Launch
from occusite.amd.rules import SIMDS, TRAP_SGPRS, Target, up, vgprs_counted, waves_by_vgprs


def each_limit(target: Target, launch: Launch, wave_size: int, hip: bool = False) -> dict[str, int | None]:
    """Work-groups of one core that each budget alone allows; None is unlimited. The launch is one that can run.

    In CU mode each CU of a WGP is a place of its own, with half its SIMDs and LDS; else the WGP is one place.
    """
    places = target.cus if launch.cu_mode else 1
    simds, cus = SIMDS // places, target.cus // places
    waves = -(-launch.work_items // wave_size)
    slots = simds * wave_slots(target, hip)
    registers = vgprs_counted(target, launch.vgprs, launch.agprs)
    by_vgprs = simds * waves_by_vgprs(target, wave_size, registers)
    by_sgprs = waves_by_sgprs(target, launch.sgprs, hip)
    lds = lds_allocated(target, launch.lds)
    return {
        "vgprs": places * (by_vgprs // waves),
        "sgprs": None if by_sgprs is None else places * (simds * by_sgprs // waves),
        "lds": places * (cus * target.pool // lds) if lds else None,
        "waves": places * (slots // waves),
        # A work-group of one wave needs no barrier, and so no place among those that have one.
        "groups": None if waves == 1 else places * cus * target.groups,
    }


def wave_slots(target: Target, hip: bool) -> int:
    """Wave slots of a SIMD."""
    return target.hip_waves if hip and target.hip_waves else target.waves


def waves_by_sgprs(target: Target, sgprs: int, hip: bool) -> int | None:
    """Waves of a SIMD whose SGPRs fit; None where they are no limit."""
    if not target.sgprs:
        return None
    each = up(max(sgprs, 1), target.sgpr_unit) + (0 if hip else TRAP_SGPRS)
    return target.sgprs // each


def lds_allocated(target: Target, lds: int) -> int:
    """Bytes of LDS that a work-group takes."""
    return up(lds, target.lds_unit)
