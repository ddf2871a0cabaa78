"""`occupancy --jsonl`: launches as JSON Lines in, one answer a line out, in order; a bad line is answered as an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from occusite.cli import asked
from occusite.model import Device
from occusite.model.fields import build
from occusite.questions import records
from occusite.questions.grid import waves
from occusite.questions.records import Lines

CHUNK = 1 << 16
LONGEST_LINE = 1 << 20

_MOST_NAMES = 10_000
_LONGEST_ERROR = 500


def run(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer every line of `source` on `sink`; all that has arrived is answered and flushed before the next wait."""
    answers = Answers()
    for lines in batches(source):
        sink.write("".join([answers.line(line) for line in lines]).encode("ascii"))
        sink.flush()


def batches(source: BinaryIO) -> Iterator[list[bytes | None]]:
    """The lines as they arrive, without their ends; None stands for one beyond `LONGEST_LINE`."""
    read = getattr(source, "read1", source.read)
    rest, overlong = b"", False
    while chunk := read(CHUNK):
        lines: list[bytes | None] = list((rest + chunk).split(b"\n"))
        rest = lines.pop() or b""
        if overlong and lines:
            lines[0], overlong = None, False
        if len(rest) > LONGEST_LINE or overlong:
            rest, overlong = b"", True
        if lines:
            yield lines
    if rest or overlong:
        yield [None if overlong else rest]


class Answers:
    """Answers lines; remembers the devices asked for, and the names that are none."""

    def __init__(self) -> None:
        self._devices: dict[str, Device] = {}
        self._unknown: dict[str, str] = {}
        self._write = Lines().line

    def line(self, text: bytes | None) -> str:
        """The answer to one line, with its end: a result, or `{"error": …}`."""
        try:
            if text is None:
                raise ValueError(f"line: longer than {LONGEST_LINE:,} bytes")
            fields = _object(text)
            name = fields.pop("device", _MISSING)
            device = self._devices.get(name) if type(name) is str else None
            if device is None:
                device = self._device(name)
            if "rules" in fields:
                device = asked.by_rules(device, fields.pop("rules"))
            grid = fields.pop("grid", None)
            answer = device.occupancy(build(device.launch_type, fields))
            line = self._write(answer)
            if not answer.runs:
                return line
            if grid is not None:
                line = f'{line[:-2]}, "waves": {json.dumps(records.waves(waves(answer, grid)))}}}\n'
            if (clusters := records.clusters(answer)) is not None:
                line = f'{line[:-2]}, "clusters": {json.dumps(clusters)}}}\n'
            return line
        except ValueError as error:
            return json.dumps({"error": _shortened(str(error))}) + "\n"

    def _device(self, name: object) -> Device:
        if name is _MISSING:
            raise ValueError('device: missing; give a name, like "rtx 4090" or "8.9"')
        known = name if isinstance(name, str) else ""
        if known in self._unknown:
            raise ValueError(self._unknown[known])
        if len(self._devices) + len(self._unknown) >= _MOST_NAMES:
            self._devices.clear()
            self._unknown.clear()
        try:
            device = self._devices[known] = asked.device(name, files=False)
        except ValueError as error:
            if known:
                self._unknown[known] = str(error)
            raise
        return device


_MISSING = object()


def _object(text: bytes) -> dict[str, Any]:
    """The JSON object on one line. Raises `ValueError` for anything else."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"line: not UTF-8 at byte {error.start}") from None
    try:
        value = json.loads(decoded.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise ValueError(f"line: not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("line: not a launch: nested too deeply") from None
    except ValueError:
        # A number of more digits than Python turns into an int: read it as text, so that its field is named.
        value = json.loads(decoded, parse_int=lambda digits: int(digits) if len(digits) < 100 else _Digits(digits))
    if type(value) is not dict:
        raise ValueError(f"line: not an object with a launch's fields but {_KINDS.get(type(value), 'a number')}")
    return value


_KINDS: dict[type, str] = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}


class _Digits(str):
    """A whole number too long to be one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self[:10]}… ({len(self)} digits)"


def _shortened(message: str) -> str:
    if len(message) <= _LONGEST_ERROR:
        return message
    half = _LONGEST_ERROR // 2
    return f"{message[:half]} … {message[-half:]}"
