"""Reads `nvprof --print-gpu-trace`, as it prints it to a terminal and with `--csv`.

Sizes are in units of 1,024, with five digits in the table ("2.0000KB"); the table cuts a board's name short.
Source: CUDA Profiler User's Guide, nvprof, GPU-Trace mode.
"""

from __future__ import annotations

import re

from occusite.reports import tables
from occusite.reports.gathered import Gathered
from occusite.reports.report import KernelReport, Size

# A text without any of these holds nothing for this reader.
MARKS = ("SSMem*", "Static SMem")
_ROW = re.compile(
    r"\((\d{1,10}) (\d{1,10}) (\d{1,10})\) {1,40}\((\d{1,5}) (\d{1,5}) (\d{1,5})\) {1,40}(\d{1,5}) {1,40}"
    r"(\d[\d.]{0,15})([KMG]?B) {1,40}(\d[\d.]{0,15})([KMG]?B) (.{1,65536})"
)
_AFTER = re.compile(r"[ -]{0,200}(\S.{0,60}?) {2,60}\d{1,10} {1,40}\d{1,10}(?: {1,60}-){0,4} {1,60}(\S.{0,65536})")
_CORRELATION = re.compile(r" \[\d{1,12}\]$")
_NUMBERED = re.compile(r" \(\d{1,4}\)$")
_CUT_AT = 14


class Reader:
    """Collects kernels from the lines of a trace, fed one by one; launches of the same resources are counted."""

    def __init__(self, architecture: str = "") -> None:
        self._assumed = architecture
        self._table = False
        self._columns: dict[str, int] = {}
        self._units: list[str] | None = None
        self._found = Gathered()

    @property
    def open(self) -> bool:
        """Whether the header has come, whose rows hold no mark."""
        return self._table or bool(self._columns)

    def feed(self, number: int, line: str) -> None:
        """Take in line `number`, without its end."""
        if "SSMem*" in line and "Regs*" in line:
            self._table, self._columns = True, {}
        elif "Static SMem" in line and "Registers Per Thread" in line:
            self._table, self._units = False, None
            self._columns = tables.columns_of(tables.cells(line, ",", number))
        elif self._table:
            if line.rstrip().endswith("]") and (match := _ROW.search(line[: 1 << 17])):
                self._row(number, match)
        elif self._columns and line.count(",") >= len(self._columns) - 1:
            self._csv(number, tables.cells(line, ",", number, len(self._columns)))

    def finish(self) -> list[KernelReport]:
        """One report for all launches of a kernel with the same resources, in the order of the first."""
        return list(self._found)

    def _row(self, number: int, match: re.Match[str]) -> None:
        after = _AFTER.match(match[12])
        if not after:
            return
        gx, gy, gz, x, y, z, registers = (int(match[at]) for at in range(1, 8))
        # A name of that length may go on: rather none than another board's.
        cut = len(after[1]) >= _CUT_AT
        self._add(
            number,
            _CORRELATION.sub("", after[2].rstrip()),
            "" if cut else after[1],
            (x, y, z),
            (gx, gy, gz),
            registers,
            tables.size(match[8], tables.unit(match[9], 1024)),
            tables.size(match[10], tables.unit(match[11], 1024)),
            (f"nvprof cuts the board's name: {after[1]}…",) if cut else (),
        )

    def _csv(self, number: int, row: list[str]) -> None:
        if len(row) != len(self._columns):
            return
        if self._units is None:
            self._units = row
            return
        units = self._units

        def cell(name: str) -> str:
            return row[self._columns[name]] if name in self._columns else ""

        def size(name: str) -> Size | None:
            of = units[self._columns[name]] if name in self._columns else ""
            return tables.size(cell(name), tables.unit(of, 1024))

        values = [tables.whole(cell(f"{what} {axis}")) for what in ("Block", "Grid") for axis in "XYZ"]
        registers = tables.whole(cell("Registers Per Thread"))
        x, y, z, gx, gy, gz = values
        if x and y and z and gx and gy and gz and registers is not None:
            name, device = _CORRELATION.sub("", cell("Name")), _NUMBERED.sub("", cell("Device"))[:200]
            sizes = size("Static SMem"), size("Dynamic SMem")
            self._add(number, name, device, (x, y, z), (gx, gy, gz), registers, *sizes, ())

    def _add(
        self,
        number: int,
        kernel: str,
        device: str,
        block: tuple[int, int, int],
        grid: tuple[int, int, int],
        registers: int,
        static: Size | None,
        dynamic: Size | None,
        notes: tuple[str, ...],
    ) -> None:
        key = (kernel, device, block, registers, static, dynamic)
        if self._found.again(key, grid):
            return
        self._found.add(
            key,
            grid,
            KernelReport(
                kernel=kernel,
                architecture=self._assumed,
                device=device,
                registers=registers,
                threads=block[0] * block[1] * block[2] or None,
                grid=grid,
                static_shared=static.exact if static else None,
                static_shared_range=static.between if static else None,
                dynamic_shared=dynamic.exact if dynamic else None,
                dynamic_shared_range=dynamic.between if dynamic else None,
                source="nvprof",
                where=f"line {number}",
                notes=notes,
            ),
        )
