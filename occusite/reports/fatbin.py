"""Finds the cubins in fat binaries: ELF executables, objects and libraries, `.fatbin` files, and whatever holds one.

A fat binary is a header (magic 0xBA55ED50) and entries, each for one architecture: a cubin (kind 2), PTX (1) or
an intermediate form for link-time optimisation (8), stored as it is, or compressed with LZ4 or Zstandard.
"""

from __future__ import annotations

import contextlib
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from occusite.reports.cubin import CUDA_MACHINE, NOT_FINAL, kernels
from occusite.reports.elf import MAGIC as ELF_MAGIC
from occusite.reports.elf import Buffer, Image
from occusite.reports.report import KernelReport, ReportError

MAGIC = b"\x50\xed\x55\xba"

_MAGIC = re.compile(re.escape(MAGIC))
STALE = "a copy from before the device link (-rdc): the final kernel stands in the same file"
# The linked code first, then what it was linked from.
_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
_HEADER = struct.Struct("<4sHHQ")
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_CUBIN = 2
_KINDS = {1: "PTX", 8: "LTO-IR"}
_LZ4, _ZSTANDARD = 0x2000, 0x8000
_LARGEST_CUBIN = 1 << 28


class _Entry(NamedTuple):
    """One entry of a fat binary: what it is, where its payload lies in the file, and how large it unpacks."""

    kind: int
    flags: int
    offset: int
    payload: Buffer
    size: int


def read(content: Buffer) -> list[KernelReport]:
    """The kernels of every cubin in `content`, as `each` gives them."""
    return list(each(content))


def each(content: Buffer) -> Iterator[KernelReport]:
    """The kernels of every cubin in `content`, one cubin after the other.

    An executable or library keeps its fat binaries in sections of their own, which must be sound; others may lie
    anywhere (in `.data`, for instance), and there what is not sound is taken for other data.
    Raises `ReportError` naming the byte, also when there is no cubin.
    """
    data = memoryview(content)
    others: set[str] = set()
    any_kernel = False
    for report in _linked(data, others) if data[:4] == ELF_MAGIC else _kernels(_entries(data, 0), len(data), others):
        any_kernel = True
        yield report
    if not any_kernel:
        kinds = " and ".join(sorted(others))
        raise ReportError(
            "",
            f"only {kinds}, which have no register counts until they are compiled" if kinds else "no GPU code found",
        )


def _linked(data: memoryview, others: set[str]) -> Iterator[KernelReport]:
    """The kernels of an ELF: a cubin's own, or those of the fat binaries in it."""
    image = Image(data)
    if image.machine == CUDA_MACHINE:
        reports = kernels(image)
        if not reports:
            raise ReportError("", "a cubin without kernels")
        yield from reports
        return
    sections = [(image.sections[name].offset, image.content(name)) for name in _SECTIONS if name in image.sections]
    known = False
    final: set[tuple[str, str]] = set()
    for base, part in sections:
        for report in _kernels(_entries(part, base), len(part), others):
            known = True
            if report.final:
                final.add((report.kernel, report.architecture))
            elif (report.kernel, report.architecture) in final:
                report = replace(report, notes=(STALE, *(note for note in report.notes if note != NOT_FINAL)))
            yield report
    inside = [range(base, base + len(part)) for base, part in sections]
    for report in _kernels(_anywhere(data, inside), len(data), others, sound=False):
        known = True
        yield report
    if not known and not others:
        raise ReportError("byte 0x12", f"an ELF for machine {image.machine} without GPU code")


def _kernels(entries: Iterator[_Entry], size: int, others: set[str], sound: bool = True) -> Iterator[KernelReport]:
    """The kernels of the cubins among `entries`; the kinds of the rest go to `others`."""
    budget = [16 * size + _LARGEST_CUBIN]
    for kind, flags, offset, payload, unpacked in entries:
        if kind != _CUBIN:
            others.add(_KINDS.get(kind, "an unknown form"))
            continue
        packed = bool(flags & (_LZ4 | _ZSTANDARD))
        try:
            cubin = _unpacked(payload, flags, offset, unpacked, budget) if packed else payload
            reports = kernels(Image(cubin, offset, packed))
        except ReportError:
            if sound:
                raise
            continue
        yield from reports


def _anywhere(data: memoryview, but: list[range]) -> Iterator[_Entry]:
    """The entries of each sound fat binary in `data`, but for those that begin in the parts given."""
    at = 0
    while match := _MAGIC.search(data, at):
        start = match.start()
        at = start + 4
        if start + _HEADER.size + _ENTRY.size > len(data) or any(start in part for part in but):
            continue
        _, version, header, size = _HEADER.unpack_from(data, start)
        end = start + header + size
        if version != 1 or header != _HEADER.size or not _ENTRY.size <= size <= len(data) - start - header:
            continue
        try:
            entries = list(_entries(data[start:end], start))
        except ReportError:
            continue
        yield from entries
        at = end


def _entries(data: Buffer, base: int) -> Iterator[_Entry]:
    """Each entry of each fat binary in `data`. Raises `ReportError` where one is not sound."""
    at = 0
    while match := _MAGIC.search(data, at):
        at = match.start()
        if at + _HEADER.size > len(data):
            raise ReportError(f"byte {base + at:#x}", "the fat binary's header is cut off")
        _, version, header, size = _HEADER.unpack_from(data, at)
        end = at + header + size
        if version != 1 or header < _HEADER.size:
            at += 4
            continue
        if end > len(data):
            raise ReportError(
                f"byte {base + at:#x}", f"the fat binary's {size:,} bytes go past the end: is it cut off?"
            )
        at += header
        while at + _ENTRY.size <= end:
            kind, _, head, padded, packed, _, _, _, _, _, _, flags, _, unpacked = _ENTRY.unpack_from(data, at)
            stop = at + head + padded
            if head < _ENTRY.size or stop > end or packed > padded:
                raise ReportError(f"byte {base + at:#x}", "an entry of the fat binary goes past its end")
            yield _Entry(kind, flags, base + at + head, data[at + head : at + head + (packed or padded)], unpacked)
            at = stop
        at = max(at, end)


def _unpacked(payload: Buffer, flags: int, offset: int, size: int, budget: list[int]) -> bytes:
    """A compressed entry's cubin. `budget`: the bytes that all entries together may still unpack to."""
    where = f"byte {offset:#x}"
    budget[0] -= size
    if size > _LARGEST_CUBIN or budget[0] < 0:
        raise ReportError(where, f"a compressed entry claims to unpack to {size:,} bytes")
    cubin = lz4(bytes(payload), size, where) if flags & _LZ4 else _zstandard(bytes(payload), size, where)
    if len(cubin) != size:
        raise ReportError(where, f"a compressed entry unpacks to {len(cubin):,} bytes where its header says {size:,}")
    return cubin


def _zstandard(data: bytes, size: int, where: str) -> bytes:
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        raise ReportError(
            where,
            "this entry is compressed with Zstandard, and this Python cannot unpack it; "
            "pip install 'occusite[elf]', or compile with nvcc --no-compress",
        ) from None
    try:
        return bytes(zstd.ZstdDecompressor().decompress(data, size + 1))
    except zstd.ZstdError as error:
        raise ReportError(where, f"damaged Zstandard data: {error}") from None


def lz4(data: bytes, size: int, where: str = "") -> bytes:
    """Unpack one LZ4 block of `size` bytes. Raises `ReportError` for data that leaves either buffer.

    Source of the format: the LZ4 project's block format description. The package `lz4`, where there is one, is faster.
    """
    if (quick := _quick_lz4()) is not None and size:
        # The package refuses a match in the last bytes, which the format's encoders avoid and its decoders may take.
        with contextlib.suppress(quick.LZ4BlockError):
            return bytes(quick.decompress(data, uncompressed_size=size))
    return plain_lz4(data, size, where)


@cache
def _quick_lz4() -> Any:
    try:
        return import_module("lz4.block")
    except ImportError:
        return None


def plain_lz4(data: bytes, size: int, where: str = "") -> bytes:
    """`lz4` without the package."""
    out, at, made, end = bytearray(size), 0, 0, len(data)
    try:
        while at < end:
            token = data[at]
            at += 1
            if literals := token >> 4:
                if literals == 15:
                    more = 255
                    while more == 255:
                        more = data[at]
                        at += 1
                        literals += more
                stop = made + literals
                if at + literals > end or stop > size:
                    raise IndexError
                out[made:stop] = data[at : at + literals]
                at += literals
                made = stop
            if at == end:
                break
            back = data[at] | data[at + 1] << 8
            at += 2
            count = token & 15
            if count == 15:
                more = 255
                while more == 255:
                    more = data[at]
                    at += 1
                    count += more
            stop = made + count + 4
            start = made - back
            if back < 1 or start < 0 or stop > size:
                raise IndexError
            if stop - made <= back:
                out[made:stop] = out[start : start + stop - made]
            else:
                piece = bytes(out[start:made])
                out[made:stop] = (piece * ((stop - made) // back + 1))[: stop - made]
            made = stop
    except IndexError:
        raise ReportError(where, "damaged LZ4 data") from None
    return bytes(out[:made])
