"""A kernel launch in AMD's terms: what one work-group asks of a CU or WGP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from occusite.model.fields import MOST_BYTES, Field, checker

FIELDS = (
    Field(
        *("work_items", "Work-items per work-group", "work-items", "count"),
        low=1,
        eases="waves",
        help="Work-items per work-group.",
    ),
    Field(
        *("vgprs", "VGPRs per work-item", "VGPRs", "count"),
        eases="vgprs",
        help="Vector registers per work-item, without AGPRs.",
    ),
    Field(
        *("sgprs", "SGPRs per wave", "SGPRs", "count"),
        default=0,
        eases="sgprs",
        help="Scalar registers per wave, as the assembly counts them; they limit up to gfx950, not on RDNA.",
    ),
    Field(
        *("lds", "LDS per work-group", "bytes", "bytes"),
        high=MOST_BYTES,
        default=0,
        eases="lds",
        help="LDS per work-group; 48KiB is understood.",
    ),
    Field(
        *("agprs", "AGPRs per work-item", "AGPRs", "count"),
        default=0,
        since="gfx908",
        rare=True,
        help="Accumulation registers per work-item (CDNA).",
    ),
    Field(
        *("wave_size", "Wave size", "work-items per wave", "count"),
        low=32,
        high=64,
        default=None,
        rare=True,
        help="32 or 64 work-items per wave; by default 64 on GCN and CDNA, 32 on RDNA.",
    ),
    Field(
        *("cu_mode", "CU mode", "", "flag"),
        default=False,
        since="gfx1010",
        rare=True,
        help="Whether a work-group stays in one CU of its WGP; the compiler's default is WGP mode.",
    ),
    Field(
        *("least_work_items", "Smallest work-group of the kernel's range", "work-items", "count"),
        low=1,
        default=None,
        rare=True,
        help="The kernel's smallest work-group, for the compiler's rule alone; by default the work-group itself.",
    ),
    Field(
        *("least_waves", "Waves per SIMD asked for, at least", "waves", "count"),
        low=1,
        default=None,
        rare=True,
        help="The lower bound of amdgpu-waves-per-eu, for the compiler's rule alone.",
    ),
    Field(
        *("most_waves", "Waves per SIMD asked for, at most", "waves", "count"),
        low=1,
        default=None,
        rare=True,
        help="The upper bound of amdgpu-waves-per-eu, for the compiler's rule alone.",
    ),
)
_check = checker(FIELDS)


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch.

    `work_items` per work-group; `vgprs` and `agprs` per work-item; `sgprs` per wave, with those the assembly adds;
    `lds` per work-group. `wave_size`: 32, 64, or None for the target's own. `cu_mode`: RDNA's work-groups stay
    in one CU. `least_work_items`: where a kernel takes a range of sizes, the compiler counts the best case from this
    to `work_items`; hardware looks at `work_items` alone. `least_waves`, `most_waves`: the pair of
    `amdgpu-waves-per-eu`, from which the compiler raises the register counts; hardware takes counts as they are.

    Raises `ValueError` naming the field for a value no launch can have. More than the device has is a legal question:
    the answer is no work-group, with the reason.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = FIELDS

    work_items: int
    vgprs: int
    sgprs: int = 0
    lds: int = 0
    agprs: int = 0
    wave_size: int | None = None
    cu_mode: bool = False
    least_work_items: int | None = None
    least_waves: int | None = None
    most_waves: int | None = None

    def __post_init__(self) -> None:
        _check(self)
        if self.wave_size not in (None, 32, 64):
            raise ValueError(f"wave_size: {self.wave_size!r} is not allowed; give 32, 64, or None for the default")

    def pooled(self) -> Launch:
        """The launch itself: all its LDS is one amount."""
        return self
