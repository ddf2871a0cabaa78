"""Fat binaries in all containers and compressions, against cuobjdump, and damaged ones."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite.reports import KernelReport, ReportError, read
from occusite.reports.fatbin import MAGIC, STALE, _entries, lz4, plain_lz4

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "reports"
FILES = ["reduce.o", "rdc_a.o", "two.so", "libreduce.a", "none.fatbin", "speed.fatbin", "balance.fatbin"]


@pytest.mark.parametrize("name", FILES)
def test_every_container_says_what_cuobjdump_says(name: str, binaries: dict[str, bytes]) -> None:
    dump = (DATA / "cuobjdump" / "fat" / f"{name}.txt").read_text()
    expected = []
    for block in dump.split("Fatbin elf code:")[1:]:
        (number,) = re.findall(r"^arch = sm_(\d+)$", block.split("Fatbin ptx code:")[0], re.M)
        for kernel, registers, shared in re.findall(
            r"^ Function (\S+):\n  REG:(\d+) STACK:\d+ SHARED:(\d+) .*CONSTANT\[0\]", block, re.M
        ):
            reserve = 1024 if int(number) >= 90 and name != "rdc_a.o" and int(shared) else 0
            expected.append((f"sm_{number}", kernel, int(registers), int(shared) - reserve))
    found = [(r.architecture, r.kernel, r.registers, r.static_shared) for r in read(binaries[f"fat/{name}"])]
    assert expected and sorted(found) == sorted(expected)


def test_compression_changes_nothing(binaries: dict[str, bytes]) -> None:
    plain, fast, small = (
        [(r.kernel, r.architecture, r.registers, r.static_shared, r.barriers, r.stack) for r in read(binaries[name])]
        for name in ("fat/none.fatbin", "fat/speed.fatbin", "fat/balance.fatbin")
    )
    assert plain == fast == small


def test_relocatable_objects_are_not_final(binaries: dict[str, bytes]) -> None:
    assert not any(r.final for r in read(binaries["fat/rdc_a.o"]))
    assert all(r.final for r in read(binaries["fat/two.so"]))


def test_a_file_by_path_is_read_like_its_bytes(binaries: dict[str, bytes], tmp_path: Path) -> None:
    for name in FILES:
        path = tmp_path / name
        path.write_bytes(binaries[f"fat/{name}"])
        assert read(path) == read(str(path)) == read(binaries[f"fat/{name}"])


def test_a_windows_program_is_searched(binaries: dict[str, bytes]) -> None:
    program = b"MZ" + bytes(1022) + binaries["fat/speed.fatbin"] + bytes(512)
    assert len(read(program)) == len(read(binaries["fat/speed.fatbin"]))


def test_ptx_alone_has_no_counts(binaries: dict[str, bytes]) -> None:
    with pytest.raises(ReportError, match="only PTX, which have no register counts"):
        read(binaries["fat/ptx_only.o"])


def test_an_executable_without_gpu_code() -> None:
    program = Path(sys.executable).resolve()
    if program.read_bytes()[:4] != b"\x7fELF":
        pytest.skip("this Python is not an ELF program")
    with pytest.raises(ReportError, match="without GPU code"):
        read(program)


def test_without_zstandard_the_error_says_what_to_do(binaries: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "balance.fatbin"
    path.write_bytes(binaries["fat/balance.fatbin"])
    hidden = "import sys; sys.modules['backports.zstd'] = sys.modules['compression.zstd'] = None\n"
    script = f"{hidden}from occusite.reports import read, ReportError\ntry: read({str(path)!r})\nexcept ReportError as e: print(e)"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.startswith("byte 0x50: this entry is compressed with Zstandard") and "--no-compress" in said


def test_cubins_need_the_standard_library_alone(binaries: dict[str, bytes], tmp_path: Path) -> None:
    """A browser reads them too; only Zstandard needs more, before Python 3.14."""
    path = tmp_path / "speed.fatbin"
    path.write_bytes(binaries["fat/speed.fatbin"])
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom occusite.reports import read\nprint(len(read({str(path)!r})))"
    said = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True).stdout
    assert int(said) == len(read(path)) > 0


def test_a_cut_fat_binary_names_the_byte(binaries: dict[str, bytes]) -> None:
    for name in ("fat/none.fatbin", "fat/speed.fatbin", "fat/balance.fatbin"):
        for size in range(8, len(binaries[name]), 301):
            with pytest.raises(ReportError, match=r"byte 0x0: the fat binary's"):
                read(binaries[name][:size])


def fat(flags: int, payload: bytes, unpacked: int) -> bytes:
    entry = struct.pack(
        "<HHIQIIHHIIIQQQ", 2, 0x101, 64, len(payload), len(payload), 0, 8, 1, 90, 0, 0, flags, 0, unpacked
    )
    return struct.pack("<4sHHQ", MAGIC, 1, 16, len(entry) + len(payload)) + entry + payload


@pytest.mark.parametrize("flags", [0x2000, 0x8000], ids=["lz4", "zstandard"])
def test_a_bomb_is_refused_before_it_is_unpacked(flags: int) -> None:
    with pytest.raises(ReportError, match="claims to unpack to"):
        read(fat(flags, bytes(64), 1 << 40))


@pytest.mark.parametrize("flags", [0x2000, 0x8000], ids=["lz4", "zstandard"])
@given(st.binary(max_size=200), st.integers(0, 4096))
def test_damaged_compressed_data(flags: int, payload: bytes, size: int) -> None:
    with pytest.raises(ReportError):
        read(fat(flags, payload, size))


def test_lz4_matches_that_overlap_themselves() -> None:
    # One literal, then a match 1 back of 4 + 15 + 3 bytes, then two literals: the format's run-length case.
    assert lz4(b"\x1fa\x01\x00\x03\x20bc", 25) == b"a" * 23 + b"bc"


def program(*sections: tuple[str, bytes]) -> bytes:
    """A 64-bit x86 ELF of these sections, made by hand."""
    names, offsets, body = b"\0", [], b""
    for name, _ in (*sections, (".shstrtab", b"")):
        offsets.append(len(names))
        names += name.encode() + b"\0"
    headers = [bytes(64)]
    for (_, content), name in zip((*sections, ("", names)), offsets, strict=True):
        headers.append(struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, 64 + len(body), len(content), 0, 0, 1, 0))
        body += content
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head += struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(headers), len(headers) - 1
    )
    return head + body + b"".join(headers)


def kernels_of(reports: list[KernelReport]) -> list[tuple[str, str, int | None]]:
    return [(r.kernel, r.architecture, r.registers) for r in reports]


def test_fat_binaries_anywhere_in_a_library(binaries: dict[str, bytes]) -> None:
    """As cuFFT keeps them: no section of their own holds them, or one that holds next to nothing."""
    fatbins = [binaries[f"fat/{name}.fatbin"] for name in ("none", "speed", "balance")]
    expected = [k for content in fatbins for k in kernels_of(read(content))]
    data = b"\0" * 40 + b"".join(content + b"\1" * 13 for content in fatbins)
    assert kernels_of(read(program((".data", data)))) == expected
    assert kernels_of(read(program((".nv_fatbin", b""), (".rodata", data)))) == expected


def test_magic_numbers_that_head_no_fat_binary_are_other_data(binaries: dict[str, bytes]) -> None:
    sound = binaries["fat/none.fatbin"]
    cut = sound[: len(sound) // 2]
    lies = [
        MAGIC,
        MAGIC * 9,
        struct.pack("<4sHHQ", MAGIC, 1, 16, 1 << 40),
        struct.pack("<4sHHQ", MAGIC, 1, 16, 100),
    ]
    for lie in lies:
        assert kernels_of(read(program((".data", lie + sound + lie)))) == kernels_of(read(sound))
        with pytest.raises(ReportError, match="without GPU code"):
            read(program((".data", lie)))
    # In the section that is theirs, damage is said.
    with pytest.raises(ReportError, match="byte 0x"):
        read(program((".nv_fatbin", cut)))


def test_both_roads_of_lz4_agree(binaries: dict[str, bytes]) -> None:
    for entry in _entries(memoryview(binaries["fat/speed.fatbin"]), 0):
        if entry.flags & 0x2000:
            payload = bytes(entry.payload)
            assert plain_lz4(payload, entry.size) == lz4(payload, entry.size) and len(payload) < entry.size


def test_what_a_program_was_linked_from_is_told_from_its_final_kernels(binaries: dict[str, bytes]) -> None:
    linked, before = binaries["cubins/sm_90/rdc_linked.cubin"], binaries["cubins/sm_90/rdc_a.rdc.cubin"]
    other = binaries["cubins/sm_86/rdc_a.rdc.cubin"]
    relocatable = fat(0, before, 0) + fat(0, other, 0)
    found = read(program(("__nv_relfatbin", relocatable), (".nv_fatbin", fat(0, linked, 0))))
    told = {(r.name, r.architecture, r.registers): (r.final, STALE in r.notes) for r in found if r.name == "rdc_kernel"}
    assert told[("rdc_kernel", "sm_90", 46)] == (True, False)
    assert told[("rdc_kernel", "sm_90", 24)] == (False, True)
    assert [value for (_, a, _), value in told.items() if a == "sm_86"] == [(False, False)]
