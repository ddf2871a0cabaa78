"""Reads Nsight Compute's CSV (`ncu --csv`): the details page, one metric a row, and the raw page, one launch a row.

Read are the columns ID, Kernel Name, Block Size, CC, and of the metrics the six below, by their name (raw page,
`--print-metric-name name`) or their label (details page, section Launch Statistics). They are documented in the
Nsight Compute Profiling Guide, "Metrics Reference", launch metrics. A profile knows the block size and the dynamic
shared memory, which no compiler does. The details page rounds kilobytes: export it with `--print-units base`.
"""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

from occusite.reports.report import KernelReport, ReportError

_METRICS = {
    "launch__registers_per_thread": "registers",
    "Registers Per Thread": "registers",
    "launch__block_size": "threads",
    "Block Size": "threads",
    "launch__shared_mem_per_block_static": "static_shared",
    "Static Shared Memory Per Block": "static_shared",
    "launch__shared_mem_per_block_dynamic": "dynamic_shared",
    "Dynamic Shared Memory Per Block": "dynamic_shared",
    "launch__barrier_count": "barriers",
    "launch__cluster_size": "cluster",
    "Cluster Size": "cluster",
}
# The profiler's K is 1,000; only the raw page prints all digits.
_SCALED = {"K": 3, "M": 6, "G": 9}
_WHOLE = re.compile(r"\d{1,12}|\d{1,3}(?:,\d{3}){1,3}")
_DECIMAL = re.compile(r"(\d{1,9})\.(\d{1,9})")
_CAPABILITY = re.compile(r"(\d{1,2})\.(\d)")
_SIZES = re.compile(r"\(? ?(\d{1,5}), ?(\d{1,5}), ?(\d{1,5})\)?")
_MOST_LAUNCHES = 300_000


class _Metric(NamedTuple):
    text: str
    unit: str
    all_digits: bool

    def whole(self) -> int | None:
        """The value in units of one; None where the text does not give it exactly."""
        power = _SCALED.get(self.unit[:1], 0)
        if _WHOLE.fullmatch(self.text) and (not power or self.all_digits or self.text == "0"):
            return int(self.text.replace(",", "") + "0" * power)
        if decimal := _DECIMAL.fullmatch(self.text):
            fraction = decimal[2].rstrip("0")
            if not fraction and not power:
                return int(decimal[1])
            if self.all_digits and len(fraction) <= power:
                return int(decimal[1] + fraction.ljust(power, "0"))
        return None


class _Launch:
    """The rows of one launch, gathered."""

    __slots__ = ("architecture", "kernel", "line", "metrics", "threads")

    def __init__(self, kernel: str, line: int, architecture: str) -> None:
        self.kernel, self.line, self.architecture = kernel, line, architecture
        self.threads: int | None = None
        self.metrics: dict[str, _Metric] = {}


class Reader:
    """Collects launches from the lines of a CSV, fed one by one, whatever the profiled program printed around it."""

    def __init__(self, architecture: str = "") -> None:
        self._assumed = architecture
        self._columns: dict[str, int] = {}
        self._units: list[str] | None = None
        self._launches: dict[str, _Launch] = {}

    def feed(self, number: int, line: str) -> None:
        """Take in line `number`, without its end. Raises `ReportError` at a row that the header does not fit."""
        if not line.startswith('"'):
            return
        if line.startswith('"ID",'):
            columns = self._row(number, line)
            if "Kernel Name" in columns:
                self._columns = {name: at for at, name in enumerate(columns)}
                self._units = None
        elif self._columns:
            row = self._row(number, line)
            if "Metric Name" in self._columns:
                self._details(number, row)
            elif len(row) != len(self._columns):
                raise ReportError(f"line {number}", f"{len(row)} values under a header of {len(self._columns)} columns")
            elif self._units is None and not row[self._columns["ID"]]:
                self._units = row
            else:
                self._raw(number, row)

    def finish(self) -> list[KernelReport]:
        """One report per profiled launch, in order."""
        return [self._report(launch) for launch in self._launches.values()]

    def _row(self, number: int, line: str) -> list[str]:
        try:
            return next(csv.reader([line], strict=True))
        except csv.Error as error:
            raise ReportError(f"line {number}", f"not a row of CSV: {error}") from None

    def _cell(self, row: list[str], column: str) -> str:
        at = self._columns.get(column, len(row))
        return row[at] if at < len(row) else ""

    def _launch(self, number: int, row: list[str]) -> _Launch:
        # Profiles of several processes number their launches each from 0.
        key = f"{self._cell(row, 'ID')} {self._cell(row, 'Process ID')}"
        if key not in self._launches:
            if len(self._launches) >= _MOST_LAUNCHES:
                raise ReportError(f"line {number}", f"more than {_MOST_LAUNCHES:,} launches in one profile; split it")
            capability = _CAPABILITY.fullmatch(self._cell(row, "CC"))
            architecture = f"sm_{capability[1]}{capability[2]}" if capability else self._assumed
            launch = _Launch(self._cell(row, "Kernel Name"), number, architecture)
            if size := _SIZES.fullmatch(self._cell(row, "Block Size")):
                launch.threads = int(size[1]) * int(size[2]) * int(size[3])
            self._launches[key] = launch
        return self._launches[key]

    def _details(self, number: int, row: list[str]) -> None:
        launch = self._launch(number, row)
        if field := _METRICS.get(self._cell(row, "Metric Name")):
            launch.metrics[field] = _Metric(self._cell(row, "Metric Value"), self._cell(row, "Metric Unit"), False)

    def _raw(self, number: int, row: list[str]) -> None:
        launch = self._launch(number, row)
        for name, field in _METRICS.items():
            if name in self._columns and name.startswith("launch__"):
                unit = self._units[self._columns[name]] if self._units else ""
                launch.metrics[field] = _Metric(self._cell(row, name), unit, True)

    def _report(self, launch: _Launch) -> KernelReport:
        values: dict[str, int] = {}
        notes: list[str] = []
        for field, metric in launch.metrics.items():
            value = metric.whole()
            if value is not None:
                values[field] = value
            elif metric.text:
                given = f"{metric.text[:40]} {metric.unit[:40]}".strip()
                notes.append(f"{field}: {given} is not exact; export with --print-units base")
        cluster = values.get("cluster", 0)
        return KernelReport(
            kernel=launch.kernel,
            architecture=launch.architecture,
            registers=values.get("registers"),
            static_shared=values.get("static_shared"),
            dynamic_shared=values.get("dynamic_shared"),
            threads=values.get("threads", launch.threads),
            barriers=values.get("barriers"),
            cluster=(cluster, 1, 1) if cluster > 1 else None,
            source="ncu",
            where=f"line {launch.line}",
            notes=tuple(notes),
        )
