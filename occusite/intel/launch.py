"""A kernel launch in Intel's terms: what one work-group asks of an Xe-core or subslice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from occusite.model.fields import MOST_BYTES, Field, checker

FIELDS = (
    Field(
        *("work_items", "Work-items per work-group", "work-items", "count"),
        low=1,
        eases="threads",
        help="Work-items per work-group.",
    ),
    Field(
        *("sub_group", "Work-items per sub-group", "work-items per sub-group", "count"),
        low=1,
        help="Work-items per sub-group, which one hardware thread runs: 8, 16 or 32.",
    ),
    Field(
        *("slm", "SLM per work-group", "bytes", "bytes"),
        high=MOST_BYTES,
        default=0,
        eases="slm",
        help="Shared local memory per work-group; 48KiB is understood.",
    ),
    Field(
        *("barrier", "Barrier", "", "flag"),
        default=False,
        help="Whether the kernel uses a work-group barrier.",
    ),
    Field(
        *("large_grf", "Large GRF", "", "flag"),
        default=False,
        since="Xe-HPC",
        rare=True,
        help="256 registers per thread instead of 128, and half as many threads.",
    ),
)
_check = checker(FIELDS)


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch.

    `work_items` per work-group; `sub_group`: work-items of one hardware thread; `slm`: shared local memory per
    work-group; `barrier`: whether the kernel has one; `large_grf`: 256 registers per thread, half the threads.

    Raises `ValueError` naming the field for a value no launch can have. More than the device has is a legal question:
    the answer is no work-group, with the reason.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = FIELDS

    work_items: int
    sub_group: int
    slm: int = 0
    barrier: bool = False
    large_grf: bool = False

    def __post_init__(self) -> None:
        _check(self)

    def pooled(self) -> Launch:
        """The launch itself: all its SLM is one amount."""
        return self
