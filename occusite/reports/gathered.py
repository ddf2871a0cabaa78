"""Launches of a trace, gathered: one report for all launches of one kernel with the same resources."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from occusite.reports.report import KernelReport, ReportError

MOST_KERNELS = 300_000


@dataclass(slots=True)
class _Kept:
    report: KernelReport
    launches: int = 1
    same_grid: bool = True


class Gathered:
    """Kernels by name and resources, in the order of their first launches; counts the launches of each."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Kept] = {}

    def add(self, report: KernelReport) -> None:
        """Take in one launch. Raises `ReportError` at more than 300,000 different ones."""
        key = (
            *(report.kernel, report.device, report.architecture, report.registers, report.threads),
            *(report.static_shared, report.dynamic_shared, report.static_shared_range, report.dynamic_shared_range),
            report.shared_memory,
        )
        if kept := self._kept.get(key):
            kept.launches += 1
            kept.same_grid = kept.same_grid and kept.report.grid == report.grid
            return
        if len(self._kept) >= MOST_KERNELS:
            raise ReportError(report.where, f"more than {MOST_KERNELS:,} different kernels in one trace; split it")
        self._kept[key] = _Kept(report)

    def __iter__(self) -> Iterator[KernelReport]:
        for kept in self._kept.values():
            yield replace(kept.report, launches=kept.launches, grid=kept.report.grid if kept.same_grid else None)
