"""Hostile input: whatever comes in, either kernels or a `ReportError` comes out, soon and in little memory."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite.reports import LONGEST_LINE, ReportError, read

DATA = Path(__file__).parents[1] / "data" / "reports"
TEXTS = [
    (DATA / "ptxas" / "sm_90" / "multi.v.txt").read_bytes(),
    (DATA / "ptxas" / "sm_86" / "rdc_linked.nvlink-resource-usage.txt").read_bytes(),
    (DATA / "cuobjdump" / "fat" / "reduce.o.txt").read_bytes(),
    (DATA / "ncu" / "details_sm100.csv").read_bytes(),
    (DATA / "ncu" / "raw_sm90.csv").read_bytes(),
]
BINARIES = [
    "cubins/sm_90/softmax.cubin",
    "cubins/12.9/sm_61_multi.cubin",
    "fat/reduce.o",
    "fat/rdc_a.o",
    "fat/none.fatbin",
    "fat/speed.fatbin",
    "fat/balance.fatbin",
    "fat/libreduce.a",
]


def survives(content: bytes) -> None:
    try:
        assert read(content)
    except ReportError as error:
        assert len(str(error)) < 2000


@given(st.binary(max_size=2000))
def test_noise(content: bytes) -> None:
    survives(content)
    for magic in (b"\x7fELF", b"\x7fELF\x02\x01\x01", b"\x50\xed\x55\xba\x01\x00\x10\x00", b"MZ", b"!<arch>\n", b"{"):
        survives(magic + content)


@given(st.text(max_size=500))
def test_noise_as_text(text: str) -> None:
    with suppress(ReportError):
        read(text + "\n")  # a line end, for "/" alone is a folder to read


damages = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=8)), max_size=12)


def damaged(content: bytes, cut: float, changes: list[tuple[float, bytes]]) -> bytes:
    out = bytearray(content[: int(len(content) * cut)])
    for place, change in changes:
        at = int(place * len(out))
        out[at : at + len(change)] = change
    return bytes(out)


@settings(max_examples=300)
@given(st.sampled_from(TEXTS), st.sampled_from([1.0, 0.9, 0.5, 0.1]), damages)
def test_damaged_text(content: bytes, cut: float, changes: list[tuple[float, bytes]]) -> None:
    survives(damaged(content, cut, changes))


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_damaged_binaries(binaries: dict[str, bytes], data: st.DataObject) -> None:
    content = binaries[data.draw(st.sampled_from(BINARIES))]
    survives(damaged(content, data.draw(st.sampled_from([1.0, 1.0, 1.0, 0.9, 0.5])), data.draw(damages)))


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_damaged_headers(binaries: dict[str, bytes], data: st.DataObject) -> None:
    """Changes where they hurt most: the ELF header, the section table, the fat binary's headers."""
    content = bytearray(binaries[data.draw(st.sampled_from(["cubins/sm_90/softmax.cubin", "fat/none.fatbin"]))])
    table = len(content) - 64 * 40
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, 127) | st.integers(table, len(content) - 8))
        size = data.draw(st.sampled_from([1, 2, 4, 8]))
        value = data.draw(st.sampled_from([0, 1, 0x7F, 0xFF, 0xFFFF, 1 << 20, 1 << 31, (1 << 63) - 1, (1 << 64) - 1]))
        content[at : at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
    survives(bytes(content))


LONG = 400_000
LINES = {
    "spaces": "ptxas info" + " " * LONG + ": Used 3 registers",
    "begins": "Compiling entry function '" * (LONG // 26),
    "properties": "Function properties for " * (LONG // 24),
    "infos": "info : " * (LONG // 7) + "Used 3 registers",
    "used": "info : Used 3 registers" * (LONG // 23),
    "items": "info : Used 3 registers" + ", 1 bytes smem" * (LONG // 14),
    "digits": "1" * LONG + " bytes stack frame",
    "frames": "1 bytes stack frame, " * (LONG // 21),
    "quotes": "ptxas info    : Compiling entry function '" + "' for '" * (LONG // 7),
    "escapes": "\x1b[" * (LONG // 2),
    "titles": "\x1b]" * (LONG // 2),
    "returns": "\r" * LONG,
    "tools": "nvcc -" * (LONG // 6),
    "resources": "REG:1 STACK:1 " * (LONG // 14),
    "function": " Function " + "f" * LONG + ":",
    "csv": '"ID",' + '"Kernel Name",' * (LONG // 14),
    "csv quotes": '"ID",' + '"' * LONG,
    "prefix": "2025-11-30T" * (LONG // 11) + "ptxas info    : Used 3 registers",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_no_long_line_takes_more_than_its_length(line: str) -> None:
    """Each would take minutes or hours in a reader whose work grows with the square of the line."""
    text = "\n".join([line, "ptxas info    : Compiling entry function 'k' for 'sm_90'", line])
    survives(text.encode())


def test_a_line_without_end() -> None:
    survives(b"ptxas info    : Compiling entry function '" + b"k" * (3 * LONGEST_LINE))


def test_all_ones_anywhere_in_the_section_table(binaries: dict[str, bytes]) -> None:
    content = binaries["cubins/sm_90/softmax.cubin"]
    for at in range(len(content) - 64 * 30, len(content) - 8, 8):
        survives(content[:at] + b"\xff" * 8 + content[at + 8 :])


def test_sections_that_all_are_the_whole_file(binaries: dict[str, bytes]) -> None:
    """Every kernel's information would be read again and again: a square of the file's size, without a bound."""
    content = bytearray(binaries["cubins/sm_90/multi.cubin"])
    (table,) = struct.unpack_from("<Q", content, 0x28)
    (count,) = struct.unpack_from("<H", content, 0x3C)
    size = 1 << 22
    content += b"\x01\x00\x00\x00" * (size // 4)
    for index in range(1, count):
        (kind,) = struct.unpack_from("<I", content, table + 64 * index + 4)
        if kind == 0x70000000:
            struct.pack_into("<QQ", content, table + 64 * index + 0x18, len(content) - size, size)
    with pytest.raises(ReportError, match="overlap many times over"):
        read(bytes(content))
