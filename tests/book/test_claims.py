"""What the book claims about machines: each claim with a value, found again another way."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def machine_code(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "scripts" / "refresh")
    return importlib.import_module("machine_code")


# ---------- reading machine code (chapters 9 and 12) ----------


def line(address: int, text: str, *, holds: int = 7, waits: tuple[int, ...] = (), frees: int = 7) -> str:
    """One instruction as cuobjdump prints it; control bits from low to high: stall 4, yield 1, result 3, operands 3,
    wait mask 6, reuse 4, from bit 41 of the upper word on."""
    control = 2 | 1 << 4 | holds << 5 | frees << 8 | sum(1 << s for s in waits) << 11 | 0b0101 << 17
    upper = control << 41 | 0x1E1900
    return f"        /*{address:04x}*/                   {text} ;   /* 0x0000000000007b82 */\n   /* 0x{upper:016x} */\n"


def test_control_bits_are_read(machine_code: ModuleType) -> None:
    text = line(0x10, "@!P0 LDG.E.128 R4, desc[UR6][R2.64+0x10]", holds=3, frees=1, waits=(0, 5))
    [found] = machine_code.parse(text)
    assert found[:3] == (0x10, "!P0", "LDG.E.128") and found.holds == 3 and found.waits == (0, 5)
    assert found.width == 16 and found.target is None


def test_loads_that_fly_together_and_loads_that_follow_each_other(machine_code: ModuleType) -> None:
    together = [
        line(0x10, "LDG.E R4, desc[UR6][R2.64]", holds=0),
        line(0x20, "LDG.E R5, desc[UR6][R2.64+0x4]", holds=1),
        line(0x30, "FADD R6, R4, R5", waits=(0, 1)),
        line(0x40, "STG.E desc[UR6][R2.64], R6"),
        line(0x50, "@P0 BRA 0x10"),
    ]
    apart = [together[0], line(0x18, "FADD R6, R6, R4", waits=(0,)), *together[1:]]
    ahead = [  # a load whose data the next pass uses: one wait a pass, however the letters fall
        line(0x10, "FADD R6, R4, R4", waits=(0,)),
        line(0x20, "LDG.E R4, desc[UR6][R2.64]", holds=0),
        line(0x30, "BRA 0x10"),
    ]
    for text, wanted in ((together, (2, 1, "LLWS")), (apart, (2, 2, "LWLWS")), (ahead, (1, 1, "WL"))):
        code = machine_code.parse("".join(text))
        [body] = machine_code.loops(code)
        assert machine_code.flight(body) == wanted


def test_a_load_that_only_some_threads_issue_is_refused(machine_code: ModuleType) -> None:
    code = machine_code.parse(line(0x10, "@P1 LDG.E R4, desc[UR6][R2.64]", holds=0))
    with pytest.raises(ValueError, match="predicate"):
        machine_code.flight(code)
    with pytest.raises(ValueError, match="no load"):
        machine_code.flight(machine_code.parse(line(0x10, "FADD R1, R2, R3")))


def test_spills_in_and_out_of_a_loop(machine_code: ModuleType) -> None:
    text = (
        line(0x00, "STL.64 [R1+0x8], R4")
        + line(0x10, "LDL R4, [R1]", holds=0)
        + line(0x20, "STL.128 [R1], R8")
        + line(0x30, "@P0 BRA 0x10")
        + line(0x40, "LDL.U8 R4, [R1]", holds=0)
    )
    code = machine_code.parse(text)
    assert machine_code.local_bytes(code) == (24, 5)
    assert machine_code.local_bytes(machine_code.in_loops(code)) == (16, 4)


def test_every_load_is_waited_for_by_its_first_reader(machine_code: ModuleType, tmp_path: Path) -> None:
    """The control bits against the operands: whoever first reads a loaded register waits for its scoreboard."""
    try:
        machine_code.tool("cuobjdump")
    except SystemExit as missing:
        pytest.skip(str(missing))
    if not shutil.which("nvcc"):
        pytest.skip("nvcc is not on PATH")
    cubin = tmp_path / "wave.cubin"
    kernel = ROOT / "docs" / "kernels" / "wave.cu"
    subprocess.run(["nvcc", "-O3", "-cubin", "-arch=sm_90", "-DEARLY", "-o", cubin, kernel], check=True)
    [body] = machine_code.loops(machine_code.parse(machine_code.listing(cubin)))
    loads = [i for i in body if i.name.startswith("LDG")]
    assert len(loads) == 6
    for load in loads:
        register = re.match(r"R\d+", load.operands)
        assert register
        waited = set()
        for after in body[body.index(load) + 1 :]:
            waited |= set(after.waits)
            sources = after.operands if after.name.startswith("ST") else after.operands.partition(",")[2]
            if re.search(rf"\b{register[0]}\b", sources):
                assert load.holds in waited, f"{after.name} at {after.address:#x} reads {register[0]}"
                break
        else:
            pytest.fail(f"nobody reads {register[0]}")
