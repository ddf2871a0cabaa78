"""The compiler's rule: waves per SIMD as LLVM's `; Occupancy:` counts them, equal on every golden row.

LLVM first asks which waves per SIMD the work-group sizes and LDS allow, then raises the register counts to the least
that this number leaves, and divides. It counts waves, not whole work-groups. Source: AMDGPUSubtarget.cpp,
AMDGPUBaseInfo.cpp and AMDGPUAsmPrinter.cpp of LLVM 22 and 24.
"""

from __future__ import annotations

from typing import NamedTuple

from occusite.amd.launch import Launch
from occusite.amd.rules import SIMDS, TRAP_SGPRS, Target, up, vgprs_counted, waves_by_vgprs

# SGPRs and the waves they allow in LLVM 22, which has a table where LLVM 24 divides; None is no limit.
_TABLE_8 = ((80, None), (88, 9), (100, 8), (10**9, 7))
_TABLE_6 = ((48, None), (56, 9), (64, 8), (72, 7), (80, 6), (10**9, 5))


class Count(NamedTuple):
    """What LLVM counts with: waves per SIMD that each budget allows, and the register counts after raising.

    `waves`: by work-group sizes alone; `lds`: with LDS as well, None where it allows no fewer. `vgprs`, `sgprs`: waves
    by registers. `vgprs_raised`, `sgprs_raised`: the counts it divides by. `aim`: the waves they were raised for.
    """

    vgprs: int
    sgprs: int | None
    lds: int | None
    waves: int
    vgprs_raised: int
    sgprs_raised: int
    aim: int

    @property
    def occupancy(self) -> int:
        """LLVM's number: waves per SIMD."""
        return min(self.vgprs, self.waves, *(v for v in (self.sgprs, self.lds) if v is not None))


def count(target: Target, launch: Launch, wave_size: int, newer: bool) -> Count:
    """LLVM's count for one launch; `newer`: LLVM 24, which rounds LDS and divides SGPRs."""
    low, high, simds, cus = _range(target, launch, wave_size)
    lds = up(launch.lds, target.lds_unit_24) if newer else launch.lds
    by_size = _by_groups(target, low, high, simds, cus, None)
    both = _by_groups(target, low, high, simds, cus, cus * target.pool // lds) if lds else by_size
    aim = _aim(target, launch, both, -(-high // simds))
    registers = max(vgprs_counted(target, launch.vgprs, launch.agprs), 1, _least_vgprs(target, wave_size, aim))
    scalars = launch.sgprs
    if target.sgprs:
        scalars = max(scalars, 1, _least_sgprs(target, aim))
    return Count(
        max(1, waves_by_vgprs(target, wave_size, registers)),
        _by_sgprs(target, scalars, newer) if target.sgprs else None,
        _lds_alone(target, low, high, simds, cus, lds, both, by_size),
        by_size,
        registers,
        scalars,
        aim,
    )


def lds_turns(target: Target, launch: Launch, wave_size: int, newer: bool) -> tuple[int, ...]:
    """Bytes of LDS beyond which LLVM counts more waves again: fewer work-groups, but larger ones, may hold more.

    Only a kernel with a range of work-group sizes has them.
    """
    low, high, simds, cus = _range(target, launch, wave_size)
    pool, unit = cus * target.pool, target.lds_unit_24 if newer else 1
    by_groups = {n: _by_groups(target, low, high, simds, cus, n) for n in range(target.waves * simds + 1)}
    ends = sorted({pool // n // unit * unit for n in by_groups if n} - {0})
    most = max(by_groups)
    return tuple(end for end in ends if by_groups[min(most, pool // (end + unit))] > by_groups[min(most, pool // end)])


def _range(target: Target, launch: Launch, wave_size: int) -> tuple[int, int, int, int]:
    """Waves of the smallest and the largest work-group, and the SIMDs and CUs that one work-group may use."""
    least = launch.work_items if launch.least_work_items is None else launch.least_work_items
    low, high = -(-min(least, launch.work_items) // wave_size), -(-launch.work_items // wave_size)
    return low, high, *((SIMDS // target.cus, 1) if launch.cu_mode else (SIMDS, target.cus))


def _by_groups(target: Target, low: int, high: int, simds: int, cus: int, by_lds: int | None) -> int:
    """Waves per SIMD, best case over work-groups of `low` to `high` waves, as LLVM looks for it: from both ends."""
    slots = target.waves * simds

    def groups(waves: int) -> int:
        fit = slots if waves == 1 else min(slots // waves, cus * target.groups)
        return fit if by_lds is None else min(fit, by_lds)

    if by_lds == 0:
        return 1
    most, least = groups(low) * low, groups(high) * high
    if least >= most:
        most = least
    else:
        spare = (slots - most) // groups(low)
        most += groups(low) * min(spare, high - low)
    return max(1, min(target.waves, -(-most // simds)))


def _lds_alone(
    target: Target, low: int, high: int, simds: int, cus: int, lds: int, both: int, by_size: int
) -> int | None:
    """Waves per SIMD by LDS alone; for a range of sizes only where it allows fewer than the sizes do."""
    if not lds:
        return None
    if low != high:
        return both if both < by_size else None
    return max(1, -(-(cus * target.pool // lds) * low // simds))


def _aim(target: Target, launch: Launch, default: int, implied: int) -> int:
    """The waves per SIMD that LLVM keeps registers for: the kernel's own bounds where they are valid, else the default."""
    if launch.least_waves is None and launch.most_waves is None:
        return default
    least = launch.least_waves or 1
    most = default if launch.most_waves is None else launch.most_waves
    if least > most or most > target.waves or least > target.waves or least < implied:
        return default
    return min(most, default)


def _least_vgprs(target: Target, wave_size: int, waves: int) -> int:
    """The least VGPRs with which no more than `waves` fit; LLVM raises a kernel's count to it."""
    if waves >= target.waves:
        return 0
    total, unit = target.files[wave_size]
    most = total // waves // unit * unit
    if most == total // target.waves // unit * unit:
        return 0
    addressable = min(target.addressable, total)
    fewest = waves_by_vgprs(target, wave_size, addressable)
    if waves < fewest:
        return _least_vgprs(target, wave_size, fewest)
    return min(1 + min(most - unit, total // (waves + 1) // unit * unit), addressable)


def _least_sgprs(target: Target, waves: int) -> int:
    """The least SGPRs with which no more than `waves` fit."""
    if waves >= target.waves:
        return 0
    room = max(0, target.sgprs // (waves + 1) - TRAP_SGPRS) // target.sgpr_unit * target.sgpr_unit
    return min(room + 1, 104 if target.sgpr_unit == 8 else 102)


def _by_sgprs(target: Target, sgprs: int, newer: bool) -> int | None:
    if newer:
        return max(1, target.sgprs // (up(sgprs, target.sgpr_unit) + TRAP_SGPRS))
    table = _TABLE_6 if target.sgpr_unit == 8 else _TABLE_8
    return next(waves for most, waves in table if sgprs <= most)
