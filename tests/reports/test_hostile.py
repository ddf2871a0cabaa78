"""Hostile input: whatever comes in, either kernels or a `ReportError` comes out, soon and in little memory."""

from __future__ import annotations

import gzip
import html
import io
import json
import struct
import time
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from occusite.reports import LONGEST_LINE, ReportError, read

DATA = Path(__file__).parents[1] / "data" / "reports"
LOG = (DATA / "ptxas" / "sm_90" / "template_long.v.txt").read_text()
TEXTS = [
    (DATA / "ptxas" / "sm_90" / "multi.v.txt").read_bytes(),
    (DATA / "ptxas" / "sm_86" / "rdc_linked.nvlink-resource-usage.txt").read_bytes(),
    (DATA / "cuobjdump" / "fat" / "reduce.o.txt").read_bytes(),
    (DATA / "ncu" / "details_sm100.csv").read_bytes(),
    (DATA / "ncu" / "raw_sm90.csv").read_bytes(),
    *(file.read_bytes() for file in sorted((DATA / "hands").iterdir())),
    *(file.read_bytes() for kind in ("torch", "nsys", "nvprof") for file in sorted((DATA / kind).iterdir())),
    *(file.read_bytes() for file in sorted((DATA / "ncu").glob("page_*"))),
    *(file.read_bytes() for file in sorted((DATA / "ptxas" / "logs").iterdir())),
    b"\n".join(json.dumps({"log": line + "\n"}).encode() for line in LOG.splitlines()),
    html.escape(LOG).encode(),
    b"\n".join(line[at : at + 60].encode() for line in LOG.splitlines() for at in range(0, max(1, len(line)), 60)),
]
# What each of them says, by the name of the field: damage may lose a count, never make it a silent zero.
SAID = [{(r.kernel, r.registers) for r in read(content)} for content in TEXTS]
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


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(TEXTS) - 1), st.floats(0, 1))
def test_a_text_that_is_cut_says_nothing_else(which: int, share: float) -> None:
    """A cut may lose kernels, names and counts; it makes no other register count than the whole text gives."""
    content = TEXTS[which]
    lines = content[: int(len(content) * share)].rpartition(b"\n")[0]
    try:
        found = read(lines + b"\n")
    except ReportError:
        return
    counts = {registers for _, registers in SAID[which]}
    assert {r.registers for r in found} <= counts | {None}


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from([1.0, 0.9, 0.5]), damages, st.sampled_from(["gzip", "zip"]))
# The place of the zip's table moved, so that a file lies before the archive's first byte.
@example(
    b'{"name":"k","num_warps":16,"num_warps_base":4,"shared":232448,"tmem_size":512,"target":{"backend":"cuda",'
    b'"arch":100,"warp_size":32},"num_ctas":2,"cluster_dims":[2,1,1],"num_stages":4,"maxnreg":128}\n',
    1.0,
    [(0.9921875, b"\x01")],
    "zip",
)
def test_damaged_archives(content: bytes, cut: float, changes: list[tuple[float, bytes]], form: str) -> None:
    if form == "gzip":
        packed = gzip.compress(content)
    else:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a/report.log", content)
            archive.writestr("b.json", content)
        packed = out.getvalue()
    survives(damaged(packed, cut, changes))


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
    "csv brackets": '"ID","Kernel Name","Metric Name"\n' + "1,(" * (LONG // 3),
    "page": "Block Size " * (LONG // 11),
    "page spaces": "Registers Per Thread" + " " * LONG + "7",
    "page values": "  Registers Per Thread  7" * (LONG // 25),
    "page head": "k (" * (LONG // 3) + "1, 1, 1)x(1, 1, 1), Context 1, Stream 7",
    "nsys": "Reg/Trd,BlkX" + "," * LONG,
    "nsys dashes": "Reg/Trd BlkX\n" + "- " * (LONG // 2) + "-----",
    "nvprof": "Regs* SSMem*\n" + "(1 1 1) (1 1 1) 7 0B 0B " * (LONG // 24) + "]",
    "nvprof spaces": "Regs* SSMem*\n(1 1 1)  (1 1 1)  7  0B  0B" + " " * LONG + "]",
    "json": '{"log":' * (LONG // 7),
    "tags": "&quot;" + "<b " * (LONG // 3),
    "entities": "&quot;" * (LONG // 6),
    "broken begins": "ptxas info    : Compiling entry function '_Z\n" + "k\n" * (LONG // 2),
    "broken counts": "ptxas info    : Used 3 registers, 1\n" + "0\n" * (LONG // 2),
    "trace": '{"traceEvents": [' + "[" * LONG,
    "trace values": '{"traceEvents": [' + "1," * (LONG // 2),
    "trace spaces": '{"traceEvents": [' + " \n" * (LONG // 2),
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


ROWS = {
    "torch": (
        '{"traceEvents": [',
        '{"cat": "kernel", "name": "k", "args": {"registers per thread": 40, "block": [32, 1, 1]}},\n',
        '{"name": "end"}]}',
    ),
    "nsys": (
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Name\n",
        "1,2,3,1,1,1,32,1,1,40,0.000,0.000,k\n",
        "",
    ),
    "nvprof": (
        "   Start  Duration  Grid Size  Block Size  Regs*  SSMem*  DSMem*  Device  Context  Stream  Name\n",
        "1.0ms  1.0us  (1 1 1)  (32 1 1)  40  0B  0B  Tesla T4  1  7  k(int*) [1]\n",
        "",
    ),
    "docker": ("", json.dumps({"log": "Building CUDA object with nvcc\n", "stream": "stderr"}) + "\n", LOG),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_memory_grows_with_the_kernels_not_with_the_text(
    rows: tuple[str, str, str], packed: bool, tmp_path: Path
) -> None:
    head, row, end = rows
    path = tmp_path / "report"
    with gzip.open(path, "wt") if packed else path.open("w") as file:
        file.write(head)
        for _ in range(20):
            file.write(row * 1000)
        file.write(end)
    tracemalloc.start()
    try:
        reports = read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(reports) == 1 and peak < 8 << 20
    assert row == ROWS["docker"][1] or reports[0].launches == 20_000


def test_no_bomb_goes_off(tmp_path: Path) -> None:
    """A hundred megabytes of nothing, packed into a hundred kilobytes: refused or passed over, in little memory."""
    begun = time.process_time()
    path = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("lib.so", "w", force_zip64=True) as file,
    ):
        file.write(b"\x50\xed\x55\xba")
        for _ in range(100):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(ReportError):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20 and time.process_time() - begun < 60
