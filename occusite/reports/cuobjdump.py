"""Reads `cuobjdump --dump-resource-usage` (`-res-usage`), with mangled names or piped through `cu++filt`.

Of a fat binary each block is headed by "arch = sm_90"; of a bare cubin nothing says the architecture. SHARED is the
size of the cubin's section, which in linked code for sm_90 and later counts in the KiB that the driver reserves.
"""

from __future__ import annotations

import re

from occusite.reports.report import RESERVED_SHARED, KernelReport, ReportError, sm, without_reserve

# A text without any of these holds nothing for this reader.
MARKS = ("REG:", "Fatbin ", "arch = ")
_RESOURCE = re.compile(r"(REG|STACK|SHARED|LOCAL|CONSTANT\[(\d{1,2})\]):(\d{1,12}|UNKNOWN)")
_MOST_KERNELS = 300_000


class Reader:
    """Collects kernels from the lines of a dump, fed one by one; other lines are passed over."""

    def __init__(self, architecture: str = "") -> None:
        self._assumed = architecture
        self._architecture = architecture
        self._function = ("", 0)
        self._reports: list[KernelReport] = []

    @property
    def open(self) -> bool:
        """Whether a function was named, whose resources follow."""
        return self._function[1] > 0

    def feed(self, number: int, line: str) -> None:
        """Take in line `number`, without its end. Raises `ReportError` at more than 300,000 kernels."""
        if line.startswith(" Function "):
            self._function = (line[len(" Function ") :].rstrip().removesuffix(":"), number)
        elif "REG:" in line and "STACK:" in line:
            if self._function[1] == number - 1:
                self._resources(line)
        elif line.startswith("arch = "):
            self._architecture = line[len("arch = ") :].strip()
        elif line.startswith("Fatbin "):
            self._architecture = self._assumed

    def finish(self) -> list[KernelReport]:
        """The kernels of all lines fed, in order."""
        return self._reports

    def _resources(self, line: str) -> None:
        kernel, number = self._function
        values: dict[str, int | None] = {}
        constant: dict[int, int] = {}
        for what, bank, value in _RESOURCE.findall(line):
            if bank:
                constant[int(bank)] = int(value) if value != "UNKNOWN" else 0
            else:
                values[what] = int(value) if value != "UNKNOWN" else None
        # Every kernel has bank 0 (its parameters); a device function has none and is never launched.
        if 0 not in constant:
            return
        if len(self._reports) >= _MOST_KERNELS:
            raise ReportError(f"line {number}", f"more than {_MOST_KERNELS:,} kernels in one dump; split it")
        shared, between, notes = values.get("SHARED"), None, []
        if shared is not None and shared >= RESERVED_SHARED:
            said = f"SHARED:{shared} counts in the 1,024 bytes the driver reserves"
            if not self._architecture:
                notes.append(f"{said} if this is linked code for sm_90 or later; the dump does not say")
                between = (shared - RESERVED_SHARED, shared)
                shared = None
            elif sm(self._architecture) >= 90:
                notes.append(f"{said}; not so in an object still to be linked (-rdc), which a dump does not tell")
                shared = without_reserve(shared, self._architecture, linked=True)
        if values.get("STACK", 0) is None:
            notes.append("the stack size cannot be determined (recursion)")
        self._reports.append(
            KernelReport(
                kernel=kernel,
                architecture=self._architecture,
                registers=values.get("REG"),
                static_shared=shared,
                static_shared_range=between,
                stack=values.get("STACK"),
                constant=constant,
                source="cuobjdump",
                where=f"line {number}",
                notes=tuple(notes),
            )
        )
