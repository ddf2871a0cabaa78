"""What each Intel architecture has, as data, and the rule of the vendor's public calculator.

Source: GPU Occupancy Calculator of oneAPI-samples, commit f819c66. Units: SLM in bytes; counts hold for one Xe-core, before Xe for one
subslice.
"""

from __future__ import annotations

from typing import NamedTuple

from occusite.intel.launch import Launch

KIB = 1024
SOURCE = "Intel's GPU Occupancy Calculator (oneAPI-samples f819c66)"


class Architecture(NamedTuple):
    """One architecture: `engines` (vector engines, EUs) of a core, `threads` of a core, `slm` of a core and `slm_most` of
    a work-group, `slm_steps`, the most `work_items` of a work-group, work-groups and barriers of a core, sub-group sizes,
    whether it has large GRF, and names by which compilers and people call it."""

    family: str
    engines: int
    threads: int
    slm: int
    slm_most: int
    slm_steps: tuple[int, ...]
    work_items: int
    groups: int
    barriers: int
    sub_groups: tuple[int, ...] = (8, 16, 32)
    large_grf: bool = False
    aliases: tuple[str, ...] = ()


_STEPS = tuple(KIB * step for step in (0, 1, 2, 4, 8, 16, 32, 64))
_FINE = tuple(KIB * step for step in (0, 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128))
_XE2 = Architecture("Xe2", 8, 64, 128 * KIB, 128 * KIB, _FINE, 1024, 64, 64, (16, 32))
_XE = Architecture("Xe-HPG", 16, 128, 128 * KIB, 64 * KIB, _STEPS, 1024, 128, 128)
_XE_LP = Architecture("Xe-LP", 16, 112, 64 * KIB, 64 * KIB, _STEPS, 512, 112, 64)
_GEN = Architecture("Gen9", 8, 56, 64 * KIB, 64 * KIB, _STEPS, 256, 56, 32)

ARCHITECTURES: dict[str, Architecture] = {
    "gen9": _GEN._replace(aliases=("skl", "kbl", "cfl")),
    "gen11": _GEN._replace(family="Gen11", aliases=("icl", "icllp")),
    "gen12": _XE_LP._replace(aliases=("tgl", "tgllp", "rkl", "adl", "adl-s", "adl-p", "rpl")),
    "xe_dg1": _XE_LP._replace(aliases=("dg1",)),
    "xe_lpg": _XE._replace(family="Xe-LPG", aliases=("mtl",)),
    "xe_hpg_dg2_arc": _XE._replace(aliases=("dg2", "dg2-g10", "dg2-g11", "dg2-g12", "acm-g10", "acm-g11", "acm-g12")),
    "xe_hp_ats": _XE._replace(aliases=("ats", "atsm", "ats-m", "ats-m75", "ats-m150")),
    "xe_hpc_pvc": _XE2._replace(family="Xe-HPC", large_grf=True, aliases=("pvc",)),
    "xe2_lpg": _XE2._replace(aliases=("lnl", "lnl-m")),
    "xe2_hpg": _XE2._replace(aliases=("bmg", "bmg-g21")),
}


def threads_per_group(launch: Launch) -> int:
    """Hardware threads of a work-group; a part of a sub-group takes a whole one."""
    return -(-launch.work_items // launch.sub_group)


def threads_free(architecture: Architecture, large_grf: bool) -> int:
    """Hardware threads of a core: large GRF leaves half."""
    return architecture.threads // 2 if large_grf else architecture.threads


def slm_allocated(architecture: Architecture, slm: int) -> int | None:
    """Bytes of SLM that a work-group takes: the next of the core's steps; None above the largest."""
    return next((step for step in architecture.slm_steps if step >= slm), None)


def each_limit(architecture: Architecture, launch: Launch) -> dict[str, int | None]:
    """Work-groups of one core that each budget alone allows; None is unlimited."""
    slm = slm_allocated(architecture, launch.slm)
    return {
        "threads": threads_free(architecture, launch.large_grf) // threads_per_group(launch),
        "slm": 0 if slm is None else architecture.slm // slm if slm else None,
        "groups": None if launch.barrier else architecture.groups,
        "barriers": architecture.barriers if launch.barrier else None,
    }
