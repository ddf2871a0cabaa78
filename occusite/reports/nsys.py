"""Reads the GPU trace of Nsight Systems (`nsys stats --report cuda_gpu_trace`, formerly gputrace), as CSV or table.

The columns are named "Reg/Trd", "BlkX", "StcSMem (MB)" and so on, their units in the header; a MB is 1,000,000 bytes,
printed with three decimals, so most sizes are intervals. Source: Nsight Systems' User Guide, Statistical Reports.
"""

from __future__ import annotations

import re

from occusite.reports import tables
from occusite.reports.gathered import Gathered
from occusite.reports.report import KernelReport

# A text without this holds nothing for this reader.
MARKS = ("Reg/Trd",)
_RESOURCES = ("Name", "Device", "Reg/Trd", "BlkX", "BlkY", "BlkZ", "StcSMem", "DymSMem")
_COLUMN = re.compile(r"([A-Za-z][\w/]{0,30})(?: ?\(([^()]{1,20})\))?")
_NUMBERED = re.compile(r" \(\d{1,4}\)$")
_LONGEST_HEADER = 2000


class Reader:
    """Collects kernels from the lines of a trace, fed one by one; launches of the same resources are counted."""

    def __init__(self, architecture: str = "") -> None:
        self._assumed = architecture
        self._columns: dict[str, int] = {}
        self._units: dict[str, int | None] = {}
        self._separator = ""
        self._spans: list[tuple[int, int]] = []
        self._found = Gathered()
        self._same: list[int] = []
        self._grid: list[int] = []

    @property
    def open(self) -> bool:
        """Whether the header has come, whose rows hold no mark."""
        return bool(self._columns)

    def feed(self, number: int, line: str) -> None:
        """Take in line `number`, without its end."""
        if "Reg/Trd" in line and "BlkX" in line and len(line) < _LONGEST_HEADER:
            self._header(number, line)
        elif not self._columns:
            return
        elif not self._separator and not self._spans:
            dashes = line.replace("|", " ").replace("+", " ")
            if "---" in line and not dashes.strip("-: >"):
                self._spans = [match.span() for match in re.finditer(r"[-:]+", dashes[:_LONGEST_HEADER])]
        elif len(row := self._cells(number, line)) == len(self._columns):
            self._row(number, row)

    def finish(self) -> list[KernelReport]:
        """One report for all launches of a kernel with the same resources, in the order of the first."""
        return list(self._found)

    def _header(self, number: int, line: str) -> None:
        self._separator = next((by for by in ",;\t" if line.count(by) > 8), "")
        self._spans = []
        if self._separator:
            header = tables.cells(line, self._separator, number)
        else:
            header = [match[0] for match in _COLUMN.finditer(line)]
        self._columns, self._units = {}, {}
        for at, cell in enumerate(header):
            column = _COLUMN.fullmatch(cell)
            name = column[1] if column else cell
            self._columns[name if name not in self._columns else f"{name} {at}"] = at
            self._units[name] = tables.unit(column[2], 1000) if column and column[2] else 1
        self._same = [self._columns[name] for name in _RESOURCES if name in self._columns]
        self._grid = [self._columns[name] for name in ("GrdX", "GrdY", "GrdZ") if name in self._columns]

    def _cells(self, number: int, line: str) -> list[str]:
        if not self._separator:
            if len(self._spans) != len(self._columns):
                return []
            last = self._spans[-1][0]
            return [*(line[start:end].strip(" |") for start, end in self._spans[:-1]), line[last:].strip(" |")]
        if line.count(self._separator) < len(self._columns) - 1:
            return []
        row = tables.cells(line, self._separator, number, len(self._columns))
        if len(row) > len(self._columns):
            # The name stands last, and a name may hold any sign.
            at = len(self._columns) - 1
            row = [*row[:at], self._separator.join(row[at:])]
        return row

    def _row(self, number: int, row: list[str]) -> None:
        key, shape = tuple([row[at] for at in self._same]), tuple([row[at] for at in self._grid])
        if self._found.again(key, shape):
            return

        def cell(name: str) -> str:
            return row[self._columns[name]] if name in self._columns else ""

        block = [tables.whole(cell(f"Blk{axis}")) for axis in "XYZ"]
        grid = [tables.whole(cell(f"Grd{axis}")) for axis in "XYZ"]
        registers = tables.whole(cell("Reg/Trd"))
        x, y, z = block
        if not x or not y or not z or registers is None:
            return
        sizes = {name: tables.size(cell(name), self._units.get(name)) for name in ("StcSMem", "DymSMem")}
        static, dynamic = sizes["StcSMem"], sizes["DymSMem"]
        notes = [
            f"{field} shared memory: {cell(name)[:40]} is rounded ({size.low:,} to {size.high:,} bytes)"
            for field, name, size in (("static", "StcSMem", static), ("dynamic", "DymSMem", dynamic))
            if size is not None and size.exact is None
        ]
        gx, gy, gz = grid
        self._found.add(
            key,
            shape,
            KernelReport(
                kernel=cell("Name"),
                architecture=self._assumed,
                device=_NUMBERED.sub("", cell("Device"))[:200],
                registers=registers,
                threads=x * y * z,
                grid=(gx, gy, gz) if gx is not None and gy is not None and gz is not None else None,
                static_shared=static.exact if static else None,
                static_shared_range=static.between if static else None,
                dynamic_shared=dynamic.exact if dynamic else None,
                dynamic_shared_range=dynamic.between if dynamic else None,
                source="nsys",
                where=f"line {number}",
                notes=tuple(notes),
            ),
        )
