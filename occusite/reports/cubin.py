"""Reads the kernels of a cubin (an ELF for the GPU): both forms, final or still to be linked.

The layout is not documented by the vendor; the codes below are those that `cuobjdump -elf` names, and each value was
compared with `ptxas -v` for CUDA 11.8 to 13.5. Spill bytes are not stored in a cubin, nor is the suffix "f"; "a" is.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from occusite.reports.elf import Buffer, Image
from occusite.reports.report import KernelReport, ReportError, without_reserve

__all__ = ["CUDA_MACHINE", "NOT_FINAL", "Buffer", "Image", "kernels"]

CUDA_MACHINE = 190
NOT_FINAL = "an object still to be linked (-rdc): counts are not final until the device link"

_NEW_FORM_ABI = 8
_FUNCTION, _ENTRY = 2, 0x10
# Attributes (EIATTR_…) by code: of the whole file, with a symbol's index first, and of one kernel.
_FRAME_SIZE, _MIN_STACK_SIZE, _REGCOUNT = 0x11, 0x12, 0x2F
_MAX_THREADS, _REQUIRED_THREADS, _CLUSTER, _NUM_BARRIERS = 0x05, 0x10, 0x3D, 0x4C
_RECURSIVE = 0xFFFFFFFF
# Code that runs on its own architecture alone (sm_90a): an attribute in `.nv.compat` since CUDA 13, before that a
# flag of the header in either form.
_ARCHITECTURE_SPECIFIC = 0x09
_SPECIFIC_OLD, _SPECIFIC_NEW = 0x800, 0x8
_LONGEST_NAME = 1 << 20


def kernels(image: Image) -> list[KernelReport]:
    """The kernels of one cubin, in the order of its symbol table. Raises `ReportError` naming the byte."""
    if image.machine != CUDA_MACHINE:
        raise ReportError(image.place(18), f"ELF machine {image.machine} is not CUDA's {CUDA_MACHINE}")
    new = image.abi >= _NEW_FORM_ABI
    number = (image.flags >> 8 if new else image.flags) & 0xFF
    architecture = f"sm_{number}{'a' if _specific(image, new) else ''}"
    counts: dict[int, dict[int, int]] = {_REGCOUNT: {}, _FRAME_SIZE: {}, _MIN_STACK_SIZE: {}}
    for code, payload in _attributes(image, ".nv.info"):
        if code in counts and len(payload) == 8:
            symbol, value = struct.unpack("<II", payload)
            counts[code][symbol] = value
    banks = _constant_banks(image)
    return [
        _kernel(image, name, symbol, architecture, new, counts, banks.get(name, {}))
        for symbol, name in _entry_symbols(image)
    ]


def _specific(image: Image, new: bool) -> bool:
    """Whether the code is for its own architecture alone, as "sm_90a"."""
    if image.flags & (_SPECIFIC_NEW if new else _SPECIFIC_OLD):
        return True
    try:
        return any(code == _ARCHITECTURE_SPECIFIC and payload[0] for code, payload in _attributes(image, ".nv.compat"))
    except ReportError:  # nothing else is read from there
        return False


def _entry_symbols(image: Image) -> Iterator[tuple[int, str]]:
    """Index and name of each function symbol that carries the kernel mark."""
    table, strings = image.content(".symtab"), bytes(image.content(".strtab"))
    budget = 16 * len(strings) + _LONGEST_NAME
    for index, (name, info, other) in enumerate(struct.iter_unpack("<IBB18x", table[: len(table) // 24 * 24])):
        if info & 0xF == _FUNCTION and other & _ENTRY:
            end = strings.find(b"\0", name, name + _LONGEST_NAME)
            budget -= end - name
            if end <= name or budget < 0:
                at = image.sections[".symtab"].offset + 24 * index
                raise ReportError(image.place(at), f"symbol {index} has no name in the string table")
            yield index, strings[name:end].decode("utf-8", "replace")


def _attributes(image: Image, section: str) -> Iterator[tuple[int, bytes]]:
    """Code and payload of each record of an information section."""
    content = image.content(section)
    at = 0
    while at + 4 <= len(content):
        form, code = content[at], content[at + 1]
        size = int.from_bytes(content[at + 2 : at + 4], "little") if form == 4 else 0
        if form not in (1, 2, 3, 4) or at + 4 + size > len(content):
            where = image.place(image.sections[section].offset + at)
            raise ReportError(where, f"{section[:80]} holds no attribute here (form {form}, {size} bytes)")
        yield code, bytes(content[at + 4 : at + 4 + size] if form == 4 else content[at + 2 : at + 4])
        at = (at + 4 + size + 3) // 4 * 4


def _constant_banks(image: Image) -> Mapping[str, dict[int, int]]:
    """Bytes by constant bank, of each kernel that has its own sections for them."""
    banks: dict[str, dict[int, int]] = {}
    for name, section in image.sections.items():
        if name.startswith(".nv.constant"):
            bank, _, kernel = name[len(".nv.constant") :].partition(".")
            if kernel and len(bank) < 3 and bank.isdecimal():
                banks.setdefault(kernel, {})[int(bank)] = section.size
    return banks


def _kernel(
    image: Image,
    name: str,
    symbol: int,
    architecture: str,
    new: bool,
    counts: Mapping[int, Mapping[int, int]],
    constant: dict[int, int],
) -> KernelReport:
    text = image.sections.get(f".text.{name}")
    barriers = 0 if new or text is None else text.flags >> 20 & 0x7F
    sizes: dict[int, tuple[int, int, int]] = {}
    for code, payload in _attributes(image, f".nv.info.{name}"):
        if code == _NUM_BARRIERS and new:
            barriers = payload[0]
        elif code in (_MAX_THREADS, _REQUIRED_THREADS, _CLUSTER) and len(payload) == 12:
            sizes[code] = struct.unpack("<III", payload)
    notes = [] if image.linked else [NOT_FINAL]
    stack = counts[_MIN_STACK_SIZE].get(symbol)
    if stack == _RECURSIVE:
        stack = None
        notes.append("the stack size cannot be determined (recursion)")
    shared = image.sections.get(f".nv.shared.{name}")
    bound = sizes.get(_REQUIRED_THREADS) or sizes.get(_MAX_THREADS)
    exact = sizes.get(_REQUIRED_THREADS)
    return KernelReport(
        kernel=name,
        architecture=architecture,
        registers=counts[_REGCOUNT].get(symbol),
        static_shared=without_reserve(shared.size, architecture, image.linked) if shared else 0,
        threads=exact[0] * exact[1] * exact[2] if exact else None,
        max_threads=bound[0] * bound[1] * bound[2] if bound else None,
        barriers=barriers,
        stack_frame=counts[_FRAME_SIZE].get(symbol),
        stack=stack,
        constant=constant,
        cluster=sizes.get(_CLUSTER),
        final=image.linked,
        source="cubin",
        where=image.place(text.offset if text else 0),
        notes=tuple(notes),
    )
