"""What each AMD target has, as data: register files, waves, LDS, work-groups, with what sources dispute.

Units: registers are 32-bit registers of one lane; `pool` and `lds_most` in bytes; counts hold for one SIMD, one CU or,
on RDNA, one WGP of two CUs. Sources: `SOURCES`.
"""

from __future__ import annotations

from typing import NamedTuple

KIB = 1024
SIMDS = 4
MOST_WORK_ITEMS = 1024
# Registers that the trap handler takes of each wave's SGPRs (GCN, CDNA).
TRAP_SGPRS = 16

SOURCES = {
    "llvm-22": "llc 22.1.8, its `; Occupancy:` line and AMDGPUBaseInfo.cpp",
    "llvm-24": "LLVM 24.0.0git (6bc4aaf6641c), its `; Occupancy:` line",
    "hardware": "AMD's ISA documents and Mesa: whole work-groups, LDS and SGPRs in units",
    "hip": "HIP's occupancy call: openxla/xla pull request 47468, run on MI300X or read from its source",
}
RULES = tuple(SOURCES)
DEFAULT_RULES = "hardware"


class Target(NamedTuple):
    """One gfx target.

    `waves`: wave slots of a SIMD. `files`: VGPRs of a SIMD and the unit they are allocated in, by wave size.
    `addressable`: the most VGPRs of a work-item, AGPRs included where `agprs` is "unified"; "separate" AGPRs have a file
    of their own, "" is none. `sgprs`: SGPRs of a SIMD, 0 where they limit nothing; `sgpr_unit`; `sgprs_most` of a wave.
    `cus`: CUs of one core (2 for a WGP). `groups`: work-groups of several waves per CU. `pool`: LDS of one CU;
    `lds_most`: of one work-group; `lds_unit`: the hardware's unit, `lds_unit_24`: LLVM 24's. `hip_waves`: HIP's cap on the waves
    of a SIMD. `example`, `unconfirmed`, `note`.
    """

    family: str
    example: str
    waves: int
    files: dict[int, tuple[int, int]]
    addressable: int = 256
    agprs: str = ""
    sgprs: int = 0
    sgpr_unit: int = 16
    sgprs_most: int = 128
    cus: int = 1
    groups: int = 16
    pool: int = 64 * KIB
    lds_most: int = 64 * KIB
    lds_unit: int = 512
    lds_unit_24: int = 512
    hip_waves: int | None = None
    unconfirmed: tuple[str, ...] = ()
    note: str = ""

    @property
    def wave_size(self) -> int:
        """The wave size of a launch that names none."""
        return 64 if len(self.files) == 1 and 64 in self.files else 32


_HIP_NOTE = "The compiler and the ISA document count 10 waves per SIMD; HIP's occupancy call counts at most 8."
_GCN = Target("GCN 5", "", 10, {64: (256, 4)}, sgprs=800, sgprs_most=112)
_OLD = _GCN._replace(sgprs=512, sgpr_unit=8, sgprs_most=104)
_CDNA = Target("CDNA", "", 8, {64: (512, 8)}, 512, "unified", sgprs=800, sgprs_most=112)
_RDNA = Target("RDNA", "", 16, {32: (1024, 16), 64: (512, 8)}, cus=2, lds_unit=1024)
_LARGE = _RDNA._replace(files={32: (1536, 24), 64: (768, 12)})
_LDS_NOTE = "LDS unit 1,024 bytes by the ISA documents and Mesa; LLVM 24 rounds to 512."
_GFX1250 = Target(
    "gfx12.5",
    "no public device",
    16,
    {32: (1024, 16)},
    1024,
    pool=320 * KIB,
    lds_most=320 * KIB,
    lds_unit=2 * KIB,
    lds_unit_24=2 * KIB,
    unconfirmed=("waves",),
    note="LLVM 22 says 16 waves per SIMD; TensileLite pull request 9703 says 10.",
)


def _rdna(base: Target, family: str, example: str) -> Target:
    return base._replace(family=family, example=example, unconfirmed=("lds_unit",), note=_LDS_NOTE)


TARGETS: dict[str, Target] = {
    "gfx600": _OLD._replace(
        family="GCN 1", example="HD 7970", pool=32 * KIB, lds_most=32 * KIB, lds_unit=256, lds_unit_24=256
    ),
    "gfx700": _OLD._replace(family="GCN 2", example="R9 290"),
    "gfx803": _GCN._replace(family="GCN 3", example="RX 480"),
    "gfx900": _GCN._replace(example="RX Vega 64"),
    "gfx906": _GCN._replace(example="MI50", hip_waves=8, unconfirmed=("waves",), note=_HIP_NOTE),
    "gfx90c": _GCN._replace(example="Ryzen 5000 APUs"),
    "gfx908": _GCN._replace(
        family="CDNA 1", example="MI100", agprs="separate", hip_waves=8, unconfirmed=("waves",), note=_HIP_NOTE
    ),
    "gfx90a": _CDNA._replace(family="CDNA 2", example="MI250X"),
    "gfx942": _CDNA._replace(family="CDNA 3", example="MI300X"),
    "gfx950": _CDNA._replace(
        family="CDNA 4", example="MI355X", pool=160 * KIB, lds_most=160 * KIB, lds_unit=1280, lds_unit_24=1280
    ),
    "gfx1010": _RDNA._replace(
        family="RDNA 1", example="RX 5700 XT", waves=20, files={32: (1024, 8), 64: (512, 4)}, lds_unit=512
    ),
    "gfx1030": _rdna(_RDNA, "RDNA 2", "RX 6900 XT"),
    "gfx1100": _rdna(_LARGE, "RDNA 3", "RX 7900 XTX"),
    "gfx1101": _rdna(_LARGE, "RDNA 3", "RX 7800 XT"),
    "gfx1102": _rdna(_RDNA, "RDNA 3", "RX 7600"),
    "gfx1103": _rdna(_RDNA, "RDNA 3", "Radeon 780M"),
    "gfx1150": _rdna(_RDNA, "RDNA 3.5", "Radeon 890M"),
    "gfx1151": _rdna(_LARGE, "RDNA 3.5", "Radeon 8060S"),
    "gfx1152": _rdna(_RDNA, "RDNA 3.5", "Radeon 860M"),
    "gfx1153": _rdna(_RDNA, "RDNA 3.5", "no named device here"),
    "gfx1200": _rdna(_LARGE, "RDNA 4", "RX 9060 XT"),
    "gfx1201": _rdna(_LARGE, "RDNA 4", "RX 9070 XT"),
    "gfx1250": _GFX1250,
    "gfx1251": _GFX1250,
}


def up(number: int, unit: int) -> int:
    """`number` rounded up to whole units."""
    return -(-number // unit) * unit


def vgprs_counted(target: Target, vgprs: int, agprs: int) -> int:
    """The registers of one work-item that count against one file: unified files put AGPRs behind VGPRs, in fours."""
    if target.agprs == "unified" and agprs:
        return up(vgprs, 4) + agprs
    return max(vgprs, agprs)


def waves_by_vgprs(target: Target, wave_size: int, registers: int) -> int:
    """Waves of a SIMD whose `registers` per work-item fit its file, however many slots it has; 0 for too many."""
    total, unit = target.files[wave_size]
    if registers > min(target.addressable, total):
        return 0
    return total // up(max(registers, 1), unit)
