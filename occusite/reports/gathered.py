"""Gathers a trace's launches: one report for all launches of one kernel with the same resources."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from occusite.reports.report import KernelReport, ReportError

MOST_KERNELS = 300_000


@dataclass(slots=True)
class _Kept:
    report: KernelReport
    grid: Hashable
    launches: int = 1
    same_grid: bool = True


class Gathered:
    """Kernels by what their launches have in common, in the order of the first; counts the launches of each.

    A trace repeats itself: `again` takes in a launch known by its `key`, without its report being made anew.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Kept] = {}

    def again(self, key: Hashable, grid: Hashable) -> bool:
        """Whether a launch of this key is known; then it is counted."""
        entry = self._kept.get(key)
        if entry is None:
            return False
        entry.launches += 1
        entry.same_grid = entry.same_grid and entry.grid == grid
        return True

    def add(self, key: Hashable, grid: Hashable, report: KernelReport) -> None:
        """Take in the first launch of a key. Raises `ReportError` at more than 300,000 different ones."""
        if len(self._kept) >= MOST_KERNELS:
            raise ReportError(report.where, f"more than {MOST_KERNELS:,} different kernels in one trace; split it")
        self._kept[key] = _Kept(report, grid)

    def __iter__(self) -> Iterator[KernelReport]:
        for entry in self._kept.values():
            grid = entry.report.grid if entry.same_grid else None
            yield replace(entry.report, launches=entry.launches, grid=grid)
