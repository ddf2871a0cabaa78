"""Reads a trace of PyTorch's profiler (Kineto's JSON), event by event: traces of gigabytes are common.

A kernel's event has "registers per thread", "shared memory" (static and dynamic bytes together), "block" and "grid";
the board and its compute capability are in "deviceProperties". Source: Kineto, `CuptiActivity.cpp`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from occusite.reports.gathered import Gathered
from occusite.reports.report import KernelReport, ReportError
from occusite.reports.source import Source

_REGISTERS, _SHARED = "registers per thread", "shared memory"
_RESOURCES = (_REGISTERS, _SHARED, "block", "device")
_EVENTS = re.compile(r'"traceEvents"\s{0,100}:\s{0,100}\[')
_DEVICES = re.compile(r'"deviceProperties"\s{0,100}:\s{0,100}(?=\[)')
_BETWEEN = re.compile(r"[\s,]*")
_LARGEST = 1 << 24
_DECODER = json.JSONDecoder()


def sniff(head: bytes) -> bool:
    """Whether a file that begins so may be a trace."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    marks = (b'"traceEvents"', b'"deviceProperties"', b'"schemaVersion"', b'"traceName"')
    return (text.startswith(b"{") and any(mark in head for mark in marks)) or (
        text.startswith(b"[") and b'"ph"' in head
    )


def each(source: Source) -> Iterator[KernelReport]:
    """The kernels of a trace, one for all launches with the same resources. Raises `ReportError` without any."""
    text = _Text(source)
    before = text.until_events()
    gathered = Gathered()
    events, problem = 0, ""
    try:
        for event in text.values():
            events += 1
            args = event.get("args") if isinstance(event, dict) else None
            if isinstance(args, dict) and _REGISTERS in args:
                key = (str(event.get("name")), *(str(args.get(field)) for field in _RESOURCES))
                grid = str(args.get("grid"))
                if not gathered.again(key, grid) and (report := _kernel(event, args, events)):
                    gathered.add(key, grid, report)
    except ReportError as error:
        problem = str(error)
    devices = _devices(before) or _devices(text.rest())
    reports = [_on(report, devices) for report in gathered]
    if not reports:
        raise ReportError(source.name, problem or f"a trace of {events:,} events, none of a kernel with its registers")
    if problem:
        reports[-1] = replace(reports[-1], notes=(*reports[-1].notes, f"the trace is cut off: {problem}"))
    yield from reports


class _Text:
    """The text of a trace, of which only the event at hand is kept."""

    def __init__(self, source: Source) -> None:
        self._blocks = source.blocks()
        self._kept, self._at = "", 0
        self._name = source.name

    def _more(self) -> bool:
        block = next(self._blocks, "")
        self._kept, self._at = self._kept[self._at :] + block, 0
        return bool(block)

    def until_events(self) -> str:
        """What stands before the list of events. Raises `ReportError` where there is none."""
        self._more()
        if self._kept.lstrip("\ufeff \t\r\n").startswith("["):
            self._at = self._kept.index("[") + 1
            return ""
        looked = 0
        while not (match := _EVENTS.search(self._kept, max(0, looked - 300))):
            looked = len(self._kept)
            if looked > _LARGEST or not self._more():
                raise ReportError(self._name or "JSON", 'no trace: the object has no "traceEvents"')
        self._at = match.end()
        return self._kept[: match.start()]

    def values(self) -> Iterator[Any]:
        """Each event. Raises `ReportError` where the list breaks off."""
        while True:
            self._skip()
            if self._kept.startswith("]", self._at):
                return
            size = 0
            while True:
                try:
                    value, self._at = _DECODER.raw_decode(self._kept, self._at)
                    break
                except (ValueError, RecursionError) as error:
                    # An event is tried again only when twice as much of it is there.
                    size = max(1 << 16, 2 * size)
                    while len(self._kept) - self._at < size <= _LARGEST and self._more():
                        pass
                    if len(self._kept) - self._at < size:
                        raise ReportError(
                            self._name or "JSON", f"an event cannot be read: {str(error)[:100]}"
                        ) from None
            yield value

    def _skip(self) -> None:
        while (between := _BETWEEN.match(self._kept, self._at)) and between.end() == len(self._kept):
            self._at = between.end()
            if not self._more():
                raise ReportError(self._name or "JSON", "the list of events does not end")
        self._at = between.end() if between else self._at

    def rest(self) -> str:
        """What stands after the events, as far as it is worth looking at."""
        while len(self._kept) - self._at < _LARGEST and self._more():
            pass
        return self._kept[self._at :]


def _devices(text: str) -> dict[object, tuple[str, str]]:
    """Name and architecture of each device, by its number in the trace."""
    match = _DEVICES.search(text)
    try:
        listed = _DECODER.raw_decode(text, match.end())[0] if match else []
    except (ValueError, RecursionError):
        return {}
    devices: dict[object, tuple[str, str]] = {}
    for device in listed:
        if isinstance(device, dict):
            major, minor = _count(device.get("computeMajor")), _count(device.get("computeMinor"))
            known = major is not None and minor is not None and 0 < major < 100 and minor < 10
            name = device.get("name")
            devices[_count(device.get("id"))] = (
                name[:200] if isinstance(name, str) else "",
                f"sm_{major}{minor}" if known else "",
            )
    return devices


def _kernel(event: dict[str, Any], args: dict[str, Any], number: int) -> KernelReport | None:
    name = event.get("name")
    if not isinstance(name, str):
        return None
    block, grid = _three(args.get("block")), _three(args.get("grid"))
    device = _count(args.get("device"))
    return KernelReport(
        kernel=name,
        device=str(device) if device is not None else "",
        registers=_count(args.get(_REGISTERS)),
        threads=block[0] * block[1] * block[2] if block and all(block) else None,
        shared_memory=_count(args.get(_SHARED)),
        grid=grid,
        source="torch",
        where=f"event {number:,}",
    )


def _on(report: KernelReport, devices: dict[object, tuple[str, str]]) -> KernelReport:
    """The report with its device's name and architecture in place of the number in the trace."""
    number = int(report.device) if report.device else None
    name, architecture = devices.get(number, ("", ""))
    return replace(report, device=name, architecture=architecture)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 32 else None


def _three(value: object) -> tuple[int, int, int] | None:
    if isinstance(value, str) and len(value) < 100:
        value = [int(part) for part in re.findall(r"\d{1,10}", value)]
    if not isinstance(value, list) or len(value) != 3:
        return None
    x, y, z = (_count(part) for part in value)
    return (x, y, z) if x is not None and y is not None and z is not None else None
