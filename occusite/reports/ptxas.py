"""Reads build logs: `ptxas -v`, `nvcc --resource-usage`, the driver's JIT log, and `nvlink`'s usage lines.

The wordings are those of CUDA 5 to 13.5. A record is the lines

    ptxas info    : Compiling entry function 'NAME' for 'sm_90'
    ptxas info    : Function properties for NAME
        0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    ptxas info    : Used 12 registers, used 1 barriers, 12345 bytes smem, 360 bytes cmem[0]

of which only the first two name the kernel. Jobs that run side by side mix their records, so the counts are
given to the kernel whose properties were printed last, and to none where two could claim them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from occusite.reports.report import RESERVED_SHARED, KernelReport, ReportError, sm

NOT_FINAL = "compiled with -rdc: counts are not final until the device link"
MOST_KERNELS = 300_000
_MIXED = "lines of parallel compilations are mixed"
# One compiler prints a kernel's properties and counts at once: what is not there after this many lines was lost.
_WINDOW = 100

_BEGIN = "Compiling entry function '"
_PROPERTIES = "Function properties for "
# These run over lines of any length: no pattern here may look ahead without a bound.
_FRAME = re.compile(r"(\d{1,12}) bytes stack frame, (\d{1,12}) bytes spill stores, (\d{1,12}) bytes spill loads")
_USED = re.compile(r"info {0,8}: [Uu]sed (\d{1,5}) registers(.*)")
_ITEM = re.compile(r"(\d{1,12})(?:\+(\d{1,12}))? (barriers|stack|bytes (?:cumulative stack|smem|cmem\[(\d{1,2})\]))")
_RDC = re.compile(r"\s(?:-rdc[= ]true|--?relocatable-device-code[= ]true|-dc|--device-c)\b")
_ARCHITECTURE = re.compile(r"\bsm_\d{2,3}[af]?\b")
# What log collectors put before a line and change on each: dates, times, seconds, build progress.
_MOVING = re.compile(r"\d{4}-\d\d-\d\d[T ]?|\d\d:\d\d:\d\d[.,\d]*Z?|\d+\.\d+s?|\[\s*\d+(?:/\d+|%)\s*\]")


@dataclass(slots=True)
class _Record:
    """A kernel whose lines are still coming in."""

    kernel: str
    architecture: str
    line: int
    rdc: bool = False
    linked: bool = False
    frame: tuple[int, int, int] | None = None
    registers: int | None = None
    usage: dict[str, int] = field(default_factory=dict)
    constant: dict[int, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class _Claim(NamedTuple):
    """Someone waits since line `line` for a line that names nobody; `record` None: someone already given up."""

    line: int
    record: _Record | None


@dataclass(slots=True)
class _Stream:
    """The lines of one source of a log: kernels begun, and who waits for spill counts and for register counts."""

    begun: dict[str, list[_Record]] = field(default_factory=dict)
    framing: list[_Claim] = field(default_factory=list)
    counting: list[_Claim] = field(default_factory=list)
    stray: _Record | None = None
    linking: str = ""

    def drop(self, record: _Record) -> None:
        """The record is complete, or will never be."""
        same = self.begun[record.kernel]
        same.remove(record)
        if not same:
            del self.begun[record.kernel]


class Reader:
    """Collects kernels from the lines of a build log, fed one by one; whatever else the log says is passed over."""

    def __init__(self, architecture: str = "") -> None:
        self._assumed = architecture
        self._streams: defaultdict[str, _Stream] = defaultdict(_Stream)
        self._records: list[_Record] = []
        self._rdc = False
        self._command: set[str] = set()

    def feed(self, number: int, line: str) -> None:
        """Take in line `number`, without its end. Raises `ReportError` at more than `MOST_KERNELS` kernels."""
        if "bytes stack frame" in line:
            if frame := _FRAME.search(line):
                claims = _settle(self._stream(line, frame.start()).framing, number)
                if len(claims) == 1 and (record := claims[0]) is not None:
                    record.frame = (int(frame[1]), int(frame[2]), int(frame[3]))
        elif _BEGIN in line:
            before, _, rest = line.rpartition(_BEGIN)
            kernel, _, architecture = rest.rpartition("' for '")
            if kernel and architecture.endswith("'"):
                record = _Record(kernel, architecture[:-1], number, self._rdc)
                self._stream(line, len(before)).begun.setdefault(kernel, []).append(record)
                self._add(record)
        elif _PROPERTIES in line:
            before, _, kernel = line.rpartition(_PROPERTIES)
            self._named(self._stream(line, len(before)), number, kernel.rstrip(), "nvlink" in before[-200:])
        elif "sed " in line and " registers" in line:
            if used := _USED.search(line):
                stream = self._stream(line, used.start() + len("info"))
                if line.endswith("nvlink ", 0, used.start()):
                    self._linked(stream, number, int(used[1]), used[2])
                else:
                    self._used(stream, number, int(used[1]), used[2])
        elif " -" in line and ("nvcc" in line or "nvlink" in line or "ptxas" in line):
            self._rdc = _RDC.search(line) is not None
            self._command = set(_ARCHITECTURE.findall(line))

    def finish(self) -> list[KernelReport]:
        """The kernels of all lines fed, in the order in which they began."""
        linked = {record.kernel for record in self._records if record.linked}
        compiled: defaultdict[str, set[str]] = defaultdict(set)
        for record in self._records:
            if record.kernel in linked and not record.linked:
                compiled[record.kernel].add(record.architecture)
        return [
            self._report_linked(record, compiled[record.kernel])
            if record.linked
            else self._report(record, record.rdc or record.kernel in linked)
            for record in self._records
        ]

    def _add(self, record: _Record) -> None:
        if len(self._records) >= MOST_KERNELS:
            raise ReportError(f"line {record.line}", f"more than {MOST_KERNELS:,} kernels in one log; split it")
        self._records.append(record)

    def _stream(self, line: str, end: int) -> _Stream:
        """The stream a line belongs to, told by what stands before the tool's words ("#12", "builder-1 |")."""
        before = line[max(0, end - 200) : end]
        for tool in ("ptxas info", "nvlink info", "info"):
            if (at := before.rfind(tool)) >= 0:
                before = before[:at]
                break
        key = _MOVING.sub("", before).strip() if before and not before.isspace() else ""
        return self._streams[key if len(self._streams) < 1000 else ""]

    def _named(self, stream: _Stream, number: int, kernel: str, linking: bool) -> None:
        if linking:
            stream.linking = kernel.removesuffix(":").strip("'")
            return
        if kernel in stream.begun:
            record = stream.begun[kernel][-1]
            stream.counting.append(_Claim(number, record))
        else:
            # A device function, or a kernel whose first line was cut off: counts that follow tell which.
            record = stream.stray = _Record(kernel, "", number, self._rdc)
        stream.framing.append(_Claim(number, record))

    def _used(self, stream: _Stream, number: int, registers: int, rest: str) -> None:
        claims = _settle(stream.counting, number)
        stray = stream.stray if stream.stray and number - stream.stray.line < _WINDOW else None
        if not claims and not stray:
            claims = [records[-1] for records in stream.begun.values()]
        if not claims:
            # With another kernel begun, the stray name may be a device function's, printed before that kernel.
            record = stray if stray and not stream.begun else _Record("", "", number, self._rdc)
            record.notes.append("the line that begins this record is missing")
            _count(record, registers, rest)
            self._add(record)
        elif len(claims) == 1:
            if (kernel := claims[0]) is not None:
                several = {r.architecture for r in stream.begun[kernel.kernel]}
                if len(several) > 1:
                    for each in stream.begun[kernel.kernel]:
                        each.architecture = ""
                        each.notes.append(f"{_MIXED}: for one of {', '.join(sorted(several))}")
                stream.drop(kernel)
                _count(kernel, registers, rest)
        else:
            for claimant in claims:
                if claimant is not None:
                    claimant.notes.append(f"{_MIXED}: line {number} may or may not be its count")
                    stream.drop(claimant)
        stream.stray = None

    def _linked(self, stream: _Stream, number: int, registers: int, rest: str) -> None:
        record = _Record(stream.linking, "", number, linked=True)
        stream.linking = ""
        _count(record, registers, rest)
        self._add(record)

    def _report(self, record: _Record, rdc: bool) -> KernelReport:
        counted = record.registers is not None
        notes = list(dict.fromkeys(record.notes))
        if not counted and not notes:
            notes.append("no register count follows: the compilation failed, or the log is cut")
        if rdc:
            notes.append(NOT_FINAL)
        frame = record.frame or (None, None, None)
        return KernelReport(
            kernel=record.kernel,
            architecture=record.architecture or self._assumed,
            registers=record.registers,
            static_shared=record.usage.get("smem", 0) if counted else None,
            barriers=record.usage.get("barriers"),
            stack_frame=frame[0],
            spill_stores=frame[1],
            spill_loads=frame[2],
            stack=record.usage.get("stack"),
            constant=record.constant,
            final=not rdc,
            source="ptxas",
            where=f"line {record.line}",
            notes=tuple(notes),
        )

    def _report_linked(self, record: _Record, compiled: set[str]) -> KernelReport:
        # nvlink names no architecture: take it where the log leaves only one, else say so.
        candidates = compiled or self._command
        architecture = next(iter(candidates)) if len(candidates) == 1 else self._assumed
        shared: int | None = record.usage.get("smem", 0)
        notes = [] if record.kernel else ["the line that names this kernel is missing"]
        if shared is not None and shared >= RESERVED_SHARED:
            said = f"nvlink prints {shared} bytes smem, which on sm_90 counts in the 1,024 the driver reserves"
            if not architecture:
                notes.append(f"{said}; the log does not say for which architecture")
                shared = None
            elif sm(architecture) // 10 == 9:
                notes.append(said)
                shared -= RESERVED_SHARED
        return KernelReport(
            kernel=record.kernel,
            architecture=architecture,
            registers=record.registers,
            static_shared=shared,
            barriers=record.usage.get("barriers"),
            stack=record.usage.get("stack"),
            constant=record.constant,
            source="nvlink",
            where=f"line {record.line}",
            notes=tuple(notes),
        )


def _settle(waiting: list[_Claim], number: int) -> list[_Record | None]:
    """Who may claim line `number`. Of several, each but one stays waiting, but for what can no longer be told."""
    claims = list(
        {id(c.record) if c.record else i: c for i, c in enumerate(waiting) if number - c.line < _WINDOW}.values()
    )
    waiting[:] = [_Claim(c.line, None) for c in claims[1:]]
    return [c.record for c in claims]


def _count(record: _Record, registers: int, rest: str) -> None:
    """Take the counts of a "Used 12 registers, …" line into its record."""
    record.registers = registers
    for first, second, what, bank in _ITEM.findall(rest):
        value = int(first) + int(second or 0)
        if bank:
            record.constant[int(bank)] = value
        else:
            record.usage[what.removeprefix("bytes ").removeprefix("cumulative ")] = value
