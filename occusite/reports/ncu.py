"""Reads Nsight Compute: its CSV (`ncu --csv`, details and raw page) and the text of its pages, wherever it was pasted.

Read are the columns ID, Kernel Name, Block Size, Grid Size, CC, and of the metrics those below, by their name (raw
page, `--print-metric-name name`) or their label (details page, section Launch Statistics). They are documented in the
Nsight Compute Profiling Guide, "Metrics Reference", launch metrics. A profile knows the block size and the dynamic
shared memory, which no compiler does. The details page rounds kilobytes (of 1,000 bytes): then a size is an interval.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from occusite.reports import tables
from occusite.reports.report import KernelReport, ReportError, Size

_METRICS = {
    "launch__registers_per_thread": "registers",
    "Registers Per Thread": "registers",
    "launch__block_size": "threads",
    "Block Size": "threads",
    "launch__shared_mem_per_block_static": "static_shared",
    "Static Shared Memory Per Block": "static_shared",
    "launch__shared_mem_per_block_dynamic": "dynamic_shared",
    "Dynamic Shared Memory Per Block": "dynamic_shared",
    "launch__shared_mem_config_size": "pool",
    "Shared Memory Configuration Size": "pool",
    "launch__barrier_count": "barriers",
    "launch__cluster_size": "cluster",
    "Cluster Size": "cluster",
}
# A text without any of these holds nothing for this reader.
MARKS = ("Kernel Name", ", Context ", "Registers Per Thread", "launch__registers_per_thread")
_SIZES = ("static_shared", "dynamic_shared", "pool")
# The pool is set in steps of one KiB.
_POOL_STEP = 1024
# A row of a page: label and [unit] and value, with the unit before or after the value; several stand side by side.
_ROW = re.compile(
    rf"(?:^|\s\s|\t)({'|'.join(sorted(map(re.escape, _METRICS), key=len, reverse=True))})\s*(?:\[([\w/ ]{{1,30}})\])?"
    r"[\s:=]{0,200}(?:([A-Za-z][\w/]{0,30})\s{1,200})?(\d[\d.,]{0,24})(?!\w|\()(?:[ \t]([KMG]i?[Bb](?:yte)?s?(?:/block)?)\b)?"
)
_LAUNCHED = re.compile(r"\((\d{1,10}), ?(\d{1,10}), ?(\d{1,10})\)x\((\d{1,5}), ?(\d{1,5}), ?(\d{1,5})\)$")
_DATED = re.compile(r"(.*), \d{4}-\w{3}-\d\d \d\d:\d\d:\d\d$")
_CAPABILITY = re.compile(r"(\d{1,2})\.(\d)")
_TRIPLE = re.compile(r"\(? ?(\d{1,10}), ?(\d{1,10}), ?(\d{1,10}) ?\)?")
_DEVICE = re.compile(r", CC (\d{1,2})\.(\d)\b")
_LONGEST_ROW = 4000
_MOST_LAUNCHES = 300_000


class _Metric(NamedTuple):
    text: str
    unit: str
    all_digits: bool

    def whole(self) -> int | None:
        """A count; None where the text does not give it exactly."""
        return tables.whole(self.text)

    def size(self) -> Size | None:
        """The bytes this can be; None where the text gives no size. Only the raw page prints all digits."""
        of = tables.unit(self.unit) if self.unit else 1
        found, size = tables.number(self.text), tables.size(self.text, of)
        if size is not None and found is not None and of is not None and self.all_digits:
            scaled = int("".join(found)) * of
            exact, left = divmod(scaled, 10 ** len(found[1]))
            return Size(exact, exact) if not left else size
        return size


class _Launch:
    """The rows of one launch, gathered."""

    __slots__ = ("architecture", "grid", "kernel", "line", "metrics", "threads")

    def __init__(self, kernel: str, line: int, architecture: str) -> None:
        self.kernel, self.line, self.architecture = kernel, line, architecture
        self.threads: int | None = None
        self.grid: tuple[int, int, int] | None = None
        self.metrics: dict[str, _Metric] = {}


class Reader:
    """Collects launches from the lines of a profile, fed one by one, whatever the profiled program printed around."""

    def __init__(self, architecture: str = "") -> None:
        self._assumed = architecture
        self._columns: dict[str, int] = {}
        self._width = 0
        self._separator, self._quoted = ",", True
        self._units: list[str] | None = None
        self._launches: dict[str, _Launch] = {}
        self._page: _Launch | None = None

    @property
    def open(self) -> bool:
        """Whether a header has come, whose rows may hold none of the marks."""
        return bool(self._columns) or self._page is not None

    def feed(self, number: int, line: str) -> None:
        """Take in line `number`, without its end. Raises `ReportError` at a row that the header does not fit."""
        if "Kernel Name" in line and (by := self._header(line)):
            columns = tables.cells(line, by, number)
            if "Kernel Name" in columns:
                self._columns, self._width = tables.columns_of(columns), len(columns)
                self._separator, self._quoted, self._units = by, line.lstrip().startswith('"'), None
        elif ", Context " in line and ", Stream " in line:
            self._begin(number, line)
        elif self._columns and (line.startswith('"') if self._quoted else self._separator in line):
            self._row(number, line)
        elif "Shared Memory" in line or "Per Thread" in line or " Size" in line or "launch__" in line:
            self._text(number, line)

    def finish(self) -> list[KernelReport]:
        """One report per profiled launch, in order."""
        return [self._report(each) for each in self._launches.values() if each.kernel or "registers" in each.metrics]

    @staticmethod
    def _header(line: str) -> str:
        by = tables.separator(line, "ID")
        if not by and ("Metric Name" in line or "launch__" in line):
            # A column was put before it, or the ID was left out.
            by = max(",;\t", key=line.count)
        return by

    def _row(self, number: int, line: str) -> None:
        row = tables.cells(line, self._separator, number, self._width)
        if "Metric Name" in self._columns:
            # The columns of rules, which stand last, may be left out.
            if self._quoted or (len(row) <= self._width and self._cell(row, "ID").isdecimal()):
                self._details(number, row)
        elif len(row) != self._width:
            if self._quoted or self._cell(row, "ID").isdecimal():
                raise ReportError(f"line {number}", f"{len(row)} values under a header of {self._width} columns")
        elif self._units is None and not self._cell(row, "ID"):
            self._units = row
        elif "ID" not in self._columns or self._cell(row, "ID").isdecimal():
            self._raw(number, row)

    def _cell(self, row: list[str], column: str) -> str:
        at = self._columns.get(column, len(row))
        return row[at] if at < len(row) else ""

    def _new(self, key: str, kernel: str, number: int, architecture: str) -> _Launch:
        if len(self._launches) >= _MOST_LAUNCHES:
            raise ReportError(f"line {number}", f"more than {_MOST_LAUNCHES:,} launches in one profile; split it")
        self._launches[key] = launch = _Launch(kernel, number, architecture or self._assumed)
        return launch

    def _launch(self, number: int, row: list[str]) -> _Launch:
        # Profiles of several processes number their launches each from 0.
        key = f"{self._cell(row, 'ID')} {self._cell(row, 'Process ID')}"
        if "ID" not in self._columns:
            key = f"{number}" if "Metric Name" not in self._columns else f"{self._cell(row, 'Kernel Name')} of no ID"
        if key not in self._launches:
            capability = _CAPABILITY.fullmatch(self._cell(row, "CC"))
            architecture = f"sm_{capability[1]}{capability[2]}" if capability else ""
            launch = self._new(key, self._cell(row, "Kernel Name"), number, architecture)
            if block := _TRIPLE.fullmatch(self._cell(row, "Block Size")):
                launch.threads = int(block[1]) * int(block[2]) * int(block[3])
            if grid := _TRIPLE.fullmatch(self._cell(row, "Grid Size")):
                launch.grid = (int(grid[1]), int(grid[2]), int(grid[3]))
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

    def _begin(self, number: int, line: str) -> None:
        """The line over a launch's sections: "name (grid)x(block), Context 1, Stream 7, Device 0, CC 8.6"."""
        before, _, after = line.partition(", Context ")
        name, device = before[-(1 << 17) :].strip("> \t*`#"), _DEVICE.search(after[:200])
        launched, dated = _LAUNCHED.search(name[-200:]), _DATED.fullmatch(name[-(1 << 12) :])
        if launched:
            name = name[: len(name) - len(launched[0])].rstrip()
        elif dated:
            name = dated[1]
        else:
            return
        architecture = f"sm_{device[1]}{device[2]}" if device else ""
        self._page = self._new(f"page {number}", name, number, architecture)
        if launched:
            self._page.grid = (int(launched[1]), int(launched[2]), int(launched[3]))
            self._page.threads = int(launched[4]) * int(launched[5]) * int(launched[6])

    def _text(self, number: int, line: str) -> None:
        """A row of a page, in a terminal, a quotation or a Markdown table."""
        row = line[:_LONGEST_ROW].replace("|", "  ").replace("`", "").replace("**", "").strip(" >\t-*")
        for match in _ROW.finditer(row):
            label, bracket, before, value, after = match.groups()
            field = _METRICS[label]
            if self._page is None or (field in self._page.metrics and self._page.kernel == ""):
                self._page = self._new(f"page {number}", "", number, "")
            self._page.metrics[field] = _Metric(value.rstrip(".,"), bracket or before or after or "", False)

    def _report(self, launch: _Launch) -> KernelReport:
        counts: dict[str, int] = {}
        sizes: dict[str, Size] = {}
        notes: list[str] = []
        for field, metric in launch.metrics.items():
            if field in _SIZES:
                if size := metric.size():
                    sizes[field] = size
            elif (count := metric.whole()) is not None:
                counts[field] = count
            if field not in sizes and field not in counts and metric.text:
                notes.append(f"{field}: {_given(metric)} cannot be read; export with --print-units base")
        pool = _pool(sizes.pop("pool", None))
        for field, size in sizes.items():
            if size.exact is None:
                between = f"{size.low:,} to {size.high:,} bytes"
                notes.append(
                    f"{field}: {_given(launch.metrics[field])} is rounded ({between}); export with --print-units base"
                )
        cluster = counts.get("cluster", 0)
        static, dynamic = sizes.get("static_shared"), sizes.get("dynamic_shared")
        return KernelReport(
            kernel=launch.kernel,
            architecture=launch.architecture,
            registers=counts.get("registers"),
            static_shared=static.exact if static else None,
            static_shared_range=static.between if static else None,
            dynamic_shared=dynamic.exact if dynamic else None,
            dynamic_shared_range=dynamic.between if dynamic else None,
            pool=pool,
            threads=counts.get("threads", launch.threads),
            grid=launch.grid,
            barriers=counts.get("barriers"),
            cluster=(cluster, 1, 1) if cluster > 1 else None,
            source="ncu",
            where=f"line {launch.line}",
            notes=tuple(notes),
        )


def _given(metric: _Metric) -> str:
    return f"{metric.text[:40]} {metric.unit[:40]}".strip()


def _pool(size: Size | None) -> int | None:
    """The only multiple of one KiB that is printed so; 0 is what older profilers print when they do not know."""
    if size is None or not size.low:
        return None
    first = -(-size.low // _POOL_STEP) * _POOL_STEP
    return first if first <= size.high < first + _POOL_STEP else None
