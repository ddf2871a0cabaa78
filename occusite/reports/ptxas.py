"""Reads build logs: `ptxas -v`, `nvcc --resource-usage`, the driver's JIT log, and `nvlink`'s usage lines.

The wordings are those of CUDA 5 to 13.5. A record is the lines

    ptxas info    : Compiling entry function 'NAME' for 'sm_90'
    ptxas info    : Function properties for NAME
        0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    ptxas info    : Used 12 registers, used 1 barriers, 12345 bytes smem, 360 bytes cmem[0]

of which only the first two name the kernel, and only the first the architecture. Jobs that run side by side mix their
records, so the counts are given to the kernel whose properties were printed last, and to none where two could claim
them. Properties without a beginning are a called function's. Lines that a terminal broke are put together again
where only so they make sense.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from occusite.reports.report import RESERVED_SHARED, CalleeSpills, KernelReport, ReportError, sm

NOT_FINAL = "compiled with -rdc: counts are not final until the device link"
MOST_KERNELS = 300_000
# A text without any of these holds nothing for this reader.
MARKS = ("ptxas", "nvlink", "nvcc", "registers", "entry function", "bytes stack frame", "Function properties")
_MIXED = "lines of parallel compilations are mixed"
# One compiler prints a kernel's properties and counts at once: what is not there after this many lines was lost.
_WINDOW = 100

_BEGIN = "Compiling entry function '"
_PROPERTIES = "Function properties for "
# These run over lines of any length: no pattern here may look ahead without a bound.
_BEGUN = re.compile(r"' for 'sm_\d{2,3}[af]?'\s{0,80}$")
_FRAME = re.compile(r"(\d{1,12}) bytes stack frame, (\d{1,12}) bytes spill stores, (\d{1,12}) bytes spill loads")
_USED = re.compile(r"info {0,8}: [Uu]sed (\d{1,5}) registers(.*)")
_ITEM = re.compile(
    r",? ?(?:used )?(\d{1,12})(?:\+(\d{1,12}))? "
    r"(barriers?|stack|textures?|samplers?|surfaces?|bytes (?:cumulative stack(?= size)|[slg]mem|cmem\[(\d{1,2})\]))(?: size)?"
)
_TARGET = re.compile(r" ?\(target: (sm_\d{2,3}[af]?)\)")
_REJECTED = re.compile(
    r"ptxas (?:error|fatal) {0,8}: (?:Entry f|F)unction '([^']{1,65536})' (.{1,300})|"
    r"ptxas (?:error|fatal) {0,8}: (.{1,200}) in (?:entry )?function '([^']{1,65536})'"
)
_IGNORED = re.compile(r"ptxas warning {0,8}: (Value of [\w ]{1,80}) for entry (\S{1,65536}) (is out of range.{1,200})")
_SLOWED = re.compile(r": (?:\(C\d{4}\) )?(Potential Performance Loss: .{1,300}) in (?:the )?function '([^']{1,65536})'")
_HEXADECIMAL = re.compile(r"0x([0-9a-fA-F]{1,12})")
_RDC = re.compile(r"\s(?:-rdc[= ]true|--?relocatable-device-code[= ]true|-dc|--device-c)\b")
_ARCHITECTURE = re.compile(r"\bsm_\d{2,3}[af]?\b")
# What log collectors put before a line and change on each: dates, times, seconds, build progress.
_MOVING = re.compile(r"\d{4}-\d\d-\d\d[T ]?|\d\d:\d\d:\d\d[.,\d]*Z?|\d+\.\d+s?|\[\s*\d+(?:/\d+|%)\s*\]")
# What a line begins with that no terminal broke off the line before; and what a broken-off end of counts may be.
_FRESH = re.compile(r"ptxas |nvlink |\binfo {4}:|bytes stack frame|Compile time")
_CUT = re.compile(r"(?:,? ?(?:used )?[\d+]{0,13}[a-z \[\d\]]{0,40}| ?\(target: ?s?m?_?\d{0,3}[af]?)\s*")
_ENDS = ("]", " smem", " lmem", " gmem", " barriers", " size", ")")
_LONGEST = 1 << 17
_MOST_PIECES = 1000


@dataclass(slots=True)
class _Record:
    """A kernel whose lines are still coming in."""

    kernel: str
    architecture: str
    line: int
    rdc: bool = False
    linker: str = ""
    frame: tuple[int, int, int] | None = None
    registers: int | None = None
    usage: dict[str, int] = field(default_factory=dict)
    constant: dict[int, int] = field(default_factory=dict)
    problem: str = ""
    callees: dict[str, CalleeSpills] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class _Claim(NamedTuple):
    """Someone waits since line `line` for a line that names nobody; `record` None: someone already given up."""

    line: int
    record: _Record | None


class _Said(NamedTuple):
    """What the compiler says about a kernel before or after its record: an error, or what it ignores."""

    text: str
    error: bool


@dataclass(slots=True)
class _Stream:
    """The lines of one source of a log, which may be several compilers' without a mark to tell them apart.

    `begun`: kernels whose properties are still to come; `lost`: of those that shared a name, how many properties will
    still come, and in which line the last came. `framing`, `counting`: who waits for spill counts and for register counts.
    `callee`: the function whose properties were printed last without a beginning, `done`: the kernel counted last.
    `linking`: the kernel that the linker named last, by target. `said`: what was said about kernels yet to begin.
    """

    begun: defaultdict[str, list[_Record]] = field(default_factory=lambda: defaultdict(list))
    lost: dict[str, tuple[int, int]] = field(default_factory=dict)
    framing: list[_Claim] = field(default_factory=list)
    counting: list[_Claim] = field(default_factory=list)
    callee: _Record | None = None
    done: _Record | None = None
    linking: dict[str, str] = field(default_factory=dict)
    said: dict[str, list[_Said]] = field(default_factory=dict)

    def take(self, kernel: str, number: int) -> list[_Record]:
        """Take out the kernels of this name whose properties may stand in line `number`: all that still wait."""
        waiting = self.begun.pop(kernel, [])
        near = [record for record in waiting if number - record.line < _WINDOW]
        return near or waiting[-1:]

    def waiting(self, kernel: str, number: int) -> bool:
        """Whether a kernel of this name has begun before line `number` and is not counted yet."""
        near = (c.record for c in self.counting if number - c.line < _WINDOW)
        return any(r is not None and r.kernel == kernel for r in near) or any(
            number - r.line < _WINDOW for r in self.begun.get(kernel, ())
        )


class Reader:
    """Collects kernels from the lines of a build log, fed one by one; whatever else the log says is passed over."""

    def __init__(self, architecture: str = "") -> None:
        self._assumed = architecture
        self._streams: defaultdict[str, _Stream] = defaultdict(_Stream)
        self._prefixes: dict[str, _Stream] = {}
        self._records: list[_Record] = []
        self._by_name: dict[str, _Record] = {}
        self._rdc = False
        self._command: set[str] = set()
        # A line that looks broken off, its number, and in how many pieces it came so far.
        self._held = ""
        self._held_at = (0, 0)
        self._counted: tuple[int, _Record | None] = (0, None)
        self._work = 1 << 26

    @property
    def open(self) -> bool:
        """Whether a line is held back that seems broken off."""
        return bool(self._held)

    def feed(self, number: int, line: str) -> None:
        """Take in line `number`, without its end. Raises `ReportError` at more than `MOST_KERNELS` kernels."""
        if self._held:
            self._mend(number, line)
        else:
            self._feed(number, line, True)

    def _feed(self, number: int, line: str, whole: bool) -> None:
        """One line; `whole` allows to hold it back when it seems broken off."""
        if "bytes stack frame" in line:
            if frame := _FRAME.search(line):
                self._framed(self._stream(line, frame.start()), number, frame)
            elif whole:
                self._hold(number, line)
        elif _BEGIN in line:
            before, _, rest = line.rpartition(_BEGIN)
            kernel, _, architecture = rest.rpartition("' for '")
            if kernel and architecture.endswith("'"):
                self._begin(self._stream(line, len(before)), kernel, architecture[:-1], number)
            elif whole:
                self._hold(number, line)
        elif _PROPERTIES in line:
            before, _, kernel = line.rpartition(_PROPERTIES)
            stream, kernel = self._stream(line, len(before)), kernel.rstrip()
            if whole and _broken(kernel, stream):
                self._hold(number, line)
            else:
                self._named(stream, number, kernel, "nvlink" in before[-200:])
        elif "sed " in line and " registers" in line:
            if used := _USED.search(line):
                rest = used[2]
                if (
                    whole
                    and not rest.endswith(_ENDS)
                    and (end := _rest(rest)) < len(rest)
                    and _CUT.fullmatch(rest, end)
                ):
                    self._hold(number, line)
                else:
                    self._counts(number, line, used)
        elif line.startswith(",") and self._counted[0] == number - 1 and self._counted[1] is not None:
            _count(self._counted[1], self._counted[1].registers or 0, line)
        elif "ptxas" in line:
            self._said(number, line, whole)
        elif " -" in line and ("nvcc" in line or "nvlink" in line):
            self._command_line(line)

    def finish(self) -> list[KernelReport]:
        """The kernels of all lines fed, in the order in which they began."""
        if self._held:
            self._release()
        linked = {record.kernel for record in self._records if record.linker == "nvlink"}
        compiled: defaultdict[str, set[str]] = defaultdict(set)
        last: dict[str, _Record] = {}
        for record in self._records:
            if not record.linker:
                last[record.kernel] = record
                if record.kernel in linked:
                    compiled[record.kernel].add(record.architecture)
        reports = []
        never = [report for stream in self._streams.values() for report in self._left_over(stream)]
        for record in self._records:
            if record.linker == "driver" and record.kernel in last:
                # The driver compiles and links in one go: one kernel, whose registers the linker may have raised.
                last[record.kernel].registers = record.registers
        for record in self._records:
            if record.linker == "nvlink" or (record.linker and record.kernel not in last):
                reports.append(self._report_linked(record, compiled[record.kernel]))
            elif not record.linker:
                reports.append(self._report(record, record.rdc or record.kernel in linked))
        return reports + never

    def _hold(self, number: int, line: str) -> None:
        self._held, self._held_at = line, (number, 1)

    def _release(self) -> None:
        line, self._held = self._held, ""
        self._feed(self._held_at[0], line, False)

    def _mend(self, number: int, line: str) -> None:
        """Put a line to the one held back when together they are more; else each stands for itself."""
        begun, pieces = self._held_at
        other = not line.strip() or _FRESH.search(line[:1000]) is not None
        # Each piece costs what is held already: bounded, so that no text takes more than some passes over it.
        self._work -= len(self._held) - 32 * len(line)
        other = other or pieces >= _MOST_PIECES or len(self._held) > _LONGEST or self._work < 0
        for joined in () if other else (self._held + line, f"{self._held.rstrip()} {line.lstrip()}"):
            if self._complete(joined):
                self._held = ""
                self._feed(begun, joined, False)
                return
        used = _USED.search(self._held + line)
        if other or (used and not _CUT.fullmatch(used[2], _rest(used[2]))):
            self._release()
            self.feed(number, line)
        else:
            self._held, self._held_at = self._held + line, (begun, pieces + 1)

    def _complete(self, line: str) -> bool:
        if "bytes stack frame" in line:
            return _FRAME.search(line) is not None
        if _PROPERTIES in line:
            before, _, kernel = line.rpartition(_PROPERTIES)
            kernel, begun = kernel.rstrip(), self._stream(line, len(before)).begun
            return kernel in begun or (kernel.startswith("'") and kernel.endswith(("'", "':", ")")))
        if used := _USED.search(line):
            return _rest(used[2]) == len(used[2])
        return _BEGIN in line and _BEGUN.search(line, max(0, len(line) - 120)) is not None

    def _counts(self, number: int, line: str, used: re.Match[str]) -> None:
        stream = self._stream(line, used.start() + len("info"))
        if line.endswith("nvlink ", 0, used.start()):
            self._linked(stream, number, int(used[1]), used[2], "nvlink")
        elif stream.linking and " stack," in used[2]:
            self._linked(stream, number, int(used[1]), used[2], "driver")
        else:
            self._used(stream, number, int(used[1]), used[2])

    def _command_line(self, line: str) -> None:
        self._rdc = _RDC.search(line) is not None
        self._command = set(_ARCHITECTURE.findall(line))

    def _add(self, record: _Record) -> None:
        if len(self._records) >= MOST_KERNELS:
            raise ReportError(f"line {record.line}", f"more than {MOST_KERNELS:,} kernels in one log; split it")
        self._records.append(record)

    def _stream(self, line: str, end: int) -> _Stream:
        """The stream a line belongs to, told by what stands before the tool's words ("#12", "builder-1 |")."""
        before = line[end - 200 : end] if end > 200 else line[:end]
        if stream := self._prefixes.get(before):
            return stream
        whole = before
        for tool in ("ptxas", "nvlink", "info"):
            if (at := before.rfind(tool)) >= 0:
                before = before[:at]
                break
        key = _MOVING.sub("", before).strip() if before and not before.isspace() else ""
        stream = self._streams[key if len(self._streams) < 1000 else ""]
        if len(self._prefixes) < 1000:
            self._prefixes[whole] = stream
        return stream

    def _begin(self, stream: _Stream, kernel: str, architecture: str, number: int) -> None:
        record = _Record(kernel, architecture, number, self._rdc)
        said = stream.said.pop(kernel, [])
        for each in said:
            if not each.error:
                record.notes.append(each.text)
            elif stream.waiting(kernel, number):
                record.notes.append(f"{_MIXED}: the compiler rejected this kernel for one of several architectures")
            else:
                record.problem = each.text
        if not said and kernel in stream.begun:
            for other in stream.begun[kernel]:
                if other.problem and number - other.line < _WINDOW:
                    # The error may be this one's: it stood before both.
                    said_of_one = f"{_MIXED}: of one architecture, {other.problem}"
                    other.problem = ""
                    other.notes.append(said_of_one)
                    record.notes.append(said_of_one)
        stream.begun[kernel].append(record)
        self._by_name[kernel] = record
        self._add(record)

    def _named(self, stream: _Stream, number: int, kernel: str, nvlink: bool) -> None:
        target = _TARGET.search(kernel)
        if target:
            kernel = kernel[: target.start()]
        if nvlink or (kernel.startswith("'") and kernel.endswith("':")):
            if len(stream.linking) > 1000:
                stream.linking.clear()
            stream.linking[target[1] if target else ""] = kernel.removesuffix(":").strip("'")
            return
        waiting = stream.take(kernel, number)
        lost, line = stream.lost.pop(kernel, (0, 0))
        several = len(waiting) + (lost if number - line < _WINDOW else 0)
        if not several:
            # A called function, or a kernel whose first line was cut off: counts that follow tell which.
            stream.callee = _Record(kernel, "", number, self._rdc)
            stream.framing.append(_Claim(number, stream.callee))
            return
        claimant = waiting[0] if waiting and several == 1 else None
        if claimant is None:
            for record in waiting:
                record.notes.append(f"{_MIXED}: several kernels have this name, and which counts are whose is not told")
            stream.lost[kernel] = (several - 1, number)
        stream.counting.append(_Claim(number, claimant))
        stream.framing.append(_Claim(number, claimant))

    def _framed(self, stream: _Stream, number: int, frame: re.Match[str]) -> None:
        claims = _settle(stream.framing, number)
        if len(claims) != 1 or (record := claims[0]) is None:
            return
        record.frame = (int(frame[1]), int(frame[2]), int(frame[3]))
        done, spills = stream.done, CalleeSpills(record.kernel, *record.frame[1:])
        if record is not stream.callee or done is None or number - done.line >= _WINDOW:
            return
        if (spills.stores or spills.loads) and not stream.counting and not any(stream.begun.values()):
            done.callees[record.kernel] = spills

    def _used(self, stream: _Stream, number: int, registers: int, rest: str) -> None:
        claims = _settle(stream.counting, number)
        callee = stream.callee if stream.callee and number - stream.callee.line < _WINDOW else None
        stream.callee = stream.done = None
        self._counted = (number, None)
        if not claims and not callee:
            claims = self._without_properties(stream, number)
        if not claims:
            # With another kernel begun, the callee's name may be a device function's, printed before that kernel.
            record = callee if callee and not any(stream.begun.values()) else _Record("", "", number, self._rdc)
            record.notes.append("the line that begins this record is missing")
            _count(record, registers, rest)
            self._counted = (number, record)
            self._add(record)
        elif len(claims) == 1:
            if (kernel := claims[0]) is not None:
                _count(kernel, registers, rest)
                self._counted = (number, kernel)
                stream.done = kernel
        else:
            for claimant in claims:
                if claimant is not None:
                    claimant.notes.append(f"{_MIXED}: line {number} may or may not be its count")

    def _without_properties(self, stream: _Stream, number: int) -> list[_Record | None]:
        """The kernels that counts may belong to where no properties were printed, as before CUDA 4."""
        begun = [r for records in stream.begun.values() for r in records if number - r.line < _WINDOW]
        stream.begun.clear()
        return list(begun)

    def _linked(self, stream: _Stream, number: int, registers: int, rest: str, linker: str) -> None:
        target = _TARGET.search(rest)
        architecture = target[1] if target else ""
        if not target and len(stream.linking) == 1:
            ((architecture, kernel),) = stream.linking.items()
            stream.linking.clear()
        else:
            kernel = stream.linking.pop(architecture, "")
        record = _Record(kernel, architecture, number, linker=linker)
        _count(record, registers, rest)
        self._counted = (number, record)
        self._add(record)

    def _said(self, number: int, line: str, whole: bool) -> None:
        """A line of the compiler that is no record's: an error, what it ignores, a new file, its command."""
        if whole and line.endswith(("Compiling entry function", "Function properties for")):
            self._hold(number, line)
        elif "error" in line or "fatal" in line:
            if match := _REJECTED.search(line):
                kernel, text = (match[1], match[2]) if match[1] else (match[4], match[3])
                text = _HEXADECIMAL.sub(lambda m: f"{int(m[1], 16):,}", text).rstrip(". ")
                self._remark(line, match, kernel, _Said(f"the compiler rejected this kernel: {text}", True))
        elif "warning" in line:
            if match := _IGNORED.search(line):
                self._remark(line, match, match[2], _Said(f"{match[1]} {match[3]}".rstrip(), False))
        elif "bytes gmem" in line:
            self._stream(line, line.find("ptxas")).done = None
        elif "Performance Loss" in line:
            if match := _SLOWED.search(line):
                self._remark(line, match, match[2], _Said(match[1], False))
        elif " -" in line:
            self._command_line(line)

    def _remark(self, line: str, match: re.Match[str], kernel: str, said: _Said) -> None:
        stream = self._stream(line, match.end() if match.start() else 0)
        if len(stream.said) < MOST_KERNELS and len(stream.said.setdefault(kernel, [])) < 10:
            stream.said[kernel].append(said)

    def _left_over(self, stream: _Stream) -> list[KernelReport]:
        """What was said of kernels of which no record followed: told of the record before, else a report of its own."""
        never = []
        for kernel, said in stream.said.items():
            record = self._by_name.get(kernel)
            for each in said:
                if record is None and each.error:
                    never.append(KernelReport(kernel=kernel, problem=each.text, source="ptxas"))
                elif record is not None and each.error:
                    record.problem = record.problem or each.text
                elif record is not None:
                    record.notes.append(each.text)
        return never

    def _report(self, record: _Record, rdc: bool) -> KernelReport:
        counted = record.registers is not None
        notes = list(dict.fromkeys(record.notes))
        if not counted and not notes:
            notes.append("no register count follows: the compilation failed, or the log is cut")
        if rdc:
            notes.append(NOT_FINAL)
        for callee in record.callees.values():
            notes.append(
                f"{callee.name[:200]}, compiled with this kernel, spills {callee.stores:,} bytes in stores "
                f"and {callee.loads:,} in loads"
            )
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
            problem=record.problem,
            callee_spills=tuple(record.callees.values()),
        )

    def _report_linked(self, record: _Record, compiled: set[str]) -> KernelReport:
        # Linking for one architecture, nvlink names none: take it where the log leaves only one, else say so.
        candidates = {record.architecture} if record.architecture else compiled or self._command
        architecture = next(iter(candidates)) if len(candidates) == 1 else self._assumed
        shared: int | None = record.usage.get("smem", 0)
        between: tuple[int, int] | None = None
        notes = [] if record.kernel else ["the line that names this kernel is missing"]
        if shared is not None and shared >= RESERVED_SHARED:
            said = f"nvlink prints {shared} bytes smem, which on sm_90 counts in the 1,024 the driver reserves"
            if not architecture:
                notes.append(f"{said}; the log does not say for which architecture")
                between = (shared - RESERVED_SHARED, shared)
                shared = None
            elif sm(architecture) // 10 == 9:
                notes.append(said)
                shared -= RESERVED_SHARED
        return KernelReport(
            kernel=record.kernel,
            architecture=architecture,
            registers=record.registers,
            static_shared=shared,
            static_shared_range=between,
            barriers=record.usage.get("barriers"),
            stack=record.usage.get("stack"),
            constant=record.constant,
            source="nvlink",
            where=f"line {record.line}",
            notes=tuple(notes),
        )


def _settle(waiting: list[_Claim], number: int) -> list[_Record | None]:
    """Who may claim line `number`. Of several, each but one stays waiting, but for what can no longer be told."""
    if len(waiting) < 2:
        alone = [c.record for c in waiting]
        waiting.clear()
        return alone
    claims = [c for c in waiting if number - c.line < _WINDOW] or waiting[:]
    waiting[:] = [_Claim(c.line, None) for c in claims[1:]]
    return [c.record for c in claims]


def _broken(kernel: str, stream: _Stream) -> bool:
    """Whether a name after "Function properties for" is the beginning of one: a begun kernel's, or the linker's."""
    if kernel.startswith("'"):
        return not kernel.endswith(("'", "':", ")"))
    return kernel not in stream.begun and any(name.startswith(kernel) for name in _few(stream.begun))


def _few(begun: dict[str, list[_Record]]) -> list[str]:
    return list(begun)[-20:]


def _rest(rest: str) -> int:
    """Where the counts after "Used 12 registers" end."""
    at = 0
    while item := _ITEM.match(rest, at):
        at = item.end()
    if target := _TARGET.match(rest, at):
        at = target.end()
    return len(rest) if rest[at:].isspace() else at


def _count(record: _Record, registers: int, rest: str) -> None:
    """Take the counts of a "Used 12 registers, …" line into its record."""
    record.registers = registers
    for first, second, what, bank in _ITEM.findall(rest):
        value = int(first) + int(second or 0)
        if bank:
            record.constant[int(bank)] = value
        else:
            what = what.removeprefix("bytes ").removeprefix("cumulative ")
            record.usage["barriers" if what == "barrier" else what] = value
