"""Finds the cubins in fat binaries: ELF executables, objects and libraries, `.fatbin` files, and whatever holds one.

A fat binary is a header (magic 0xBA55ED50) and entries, each for one architecture: a cubin (kind 2), PTX (1) or
an intermediate form for link-time optimisation (8), stored as it is, or compressed with LZ4 or Zstandard.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from importlib import import_module
from mmap import mmap

from occusite.reports.cubin import CUDA_MACHINE, Buffer, Image, kernels
from occusite.reports.report import KernelReport, ReportError

MAGIC = b"\x50\xed\x55\xba"
ELF_MAGIC = b"\x7fELF"

_MAGIC = re.compile(re.escape(MAGIC))
_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
_HEADER = struct.Struct("<4sHHQ")
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_CUBIN = 2
_KINDS = {1: "PTX", 8: "LTO-IR"}
_LZ4, _ZSTANDARD = 0x2000, 0x8000
_LARGEST_CUBIN = 1 << 28


def read(content: Buffer | mmap) -> list[KernelReport]:
    """The kernels of every cubin in `content`. Raises `ReportError` naming the byte, also when there is no cubin."""
    data = memoryview(content)
    if data[:4] == ELF_MAGIC:
        image = Image(data)
        if image.machine == CUDA_MACHINE:
            return _some(kernels(image), "a cubin without kernels")
        found = [(image.sections[name].offset, image.content(name)) for name in _SECTIONS if name in image.sections]
        if not found:
            raise ReportError("byte 0x12", f"an ELF for machine {image.machine} without GPU code (no .nv_fatbin)")
    else:
        found = [(0, data)]
    reports: list[KernelReport] = []
    others: set[str] = set()
    budget = [16 * len(data) + _LARGEST_CUBIN]
    for base, part in found:
        for kind, flags, offset, payload, size in _entries(part, base):
            if kind != _CUBIN:
                others.add(_KINDS.get(kind, "an unknown form"))
                continue
            packed = bool(flags & (_LZ4 | _ZSTANDARD))
            cubin = _unpacked(payload, flags, offset, size, budget) if packed else payload
            reports += kernels(Image(cubin, offset, packed))
    only = (
        f"only {' and '.join(sorted(others))}, which have no register counts until they are compiled" if others else ""
    )
    return _some(reports, only or "no GPU code found")


def _some(reports: list[KernelReport], problem: str) -> list[KernelReport]:
    if not reports:
        raise ReportError("", problem)
    return reports


def _entries(data: Buffer, base: int) -> Iterator[tuple[int, int, int, Buffer, int]]:
    """Kind, flags, offset in the file, payload and unpacked size of each entry of each fat binary in `data`."""
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
            yield kind, flags, base + at + head, data[at + head : at + head + (packed or padded)], unpacked
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

    Source of the format: the LZ4 project's block format description.
    """
    out, at, end = bytearray(), 0, len(data)

    def length(first: int) -> int:
        nonlocal at
        total = first
        if first == 15:
            while True:
                more = data[at]
                at += 1
                total += more
                if more != 255:
                    break
        return total

    try:
        while at < end:
            token = data[at]
            at += 1
            literals = length(token >> 4)
            if at + literals > end or len(out) + literals > size:
                raise IndexError
            out += data[at : at + literals]
            at += literals
            if at == end:
                break
            back = data[at] | data[at + 1] << 8
            at += 2
            count = length(token & 15) + 4
            if not 0 < back <= len(out) or len(out) + count > size:
                raise IndexError
            start = len(out) - back
            if back >= count:
                out += out[start : start + count]
            else:
                piece = bytes(out[start:])
                out += (piece * (count // back + 1))[:count]
    except IndexError:
        raise ReportError(where, "damaged LZ4 data") from None
    return bytes(out)
