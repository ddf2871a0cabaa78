"""Chapter 9's builds: the file's figures in words, tables and curves, each against the file's own rows."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import pytest

from occusite.book.content import spills
from tests.book.by_hand import CHIPS, resident, up
from tests.book.seen import caption, cells, drawn, headings, slots

FILE = Path(spills.__file__).parents[2] / "data" / "spills.csv"
ROWS = list(csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()[1:]))
PAIRS = [(kernel, architecture) for kernel in spills.KERNELS for architecture in spills.ARCHITECTURES]


def rows_of(kernel: str, architecture: str) -> list[dict[str, int]]:
    """The file's rows of one kernel, by cap, the one without a cap left out."""
    found = [
        {name: int(value) for name, value in row.items() if name not in ("kernel", "architecture")}
        for row in ROWS
        if (row["kernel"], row["architecture"]) == (kernel, architecture)
    ]
    return sorted((row for row in found if row["cap"]), key=lambda row: row["cap"])


def warps(architecture: str, row: dict[str, int]) -> int:
    """Resident warps of a build, by the tests' own arithmetic; its shared memory is static, which counts alike."""
    capability = f"{architecture[3:-1]}.{architecture[-1]}"
    return resident(capability, row["threads"], row["registers"], row["shared"]) * up(row["threads"], 32) // 32


def test_the_file_is_read_whole() -> None:
    assert sum(len(spills.builds(*pair)) for pair in PAIRS) == len(ROWS)
    assert spills.compiler() == "Cuda compilation tools, release 13.0, V13.0.88"


def test_a_build_and_the_nearest_cap_above() -> None:
    # sm_75,sgemm8x8,256,24,24,1608,3840,3580,16384
    assert spills.build(24, "sgemm8x8", "sm_75") == ("sm_75", "sgemm8x8", 256, 24, 24, 1608, 3840, 3580, 16_384)
    assert spills.build(0, "sgemm8x8", "sm_75").registers == 129
    compiled = [row["cap"] for row in rows_of("sgemm8x8", "sm_86")]
    missing = next(cap for cap in range(24, 256) if cap not in compiled)
    assert spills.build(missing).cap == min(cap for cap in compiled if cap > missing)
    assert spills.build() == spills.build(0, "sgemm8x8", "sm_86")


@pytest.mark.parametrize(("kernel", "architecture"), PAIRS)
def test_the_stairs(kernel: str, architecture: str) -> None:
    """Every compiled cap lies on a step with its warps; steps meet, and neighbours differ in warps or in colour."""
    chart = spills.stairs(kernel, architecture, 80)
    steps = chart.datasets["steps"]
    rows = rows_of(kernel, architecture)
    assert (steps[0]["x"], steps[-1]["x2"]) == (24, 256) and chart.datasets["here"] == [{"x": 80}]
    for a, b in pairwise(steps):
        assert a["x2"] == b["x"] and (a["warps"], a["slot"]) != (b["warps"], b["slot"])
    for row in rows:
        [step] = [s for s in steps if s["x"] <= row["cap"] < s["x2"]]
        assert step["warps"] == warps(architecture, row), row
        limits = spills.build(row["cap"], kernel, architecture).occupancy()
        assert step["slot"] == {"shared_memory": "memory"}.get(limits.limiters[0], limits.limiters[0])


def test_the_stairs_in_words() -> None:
    assert spills.stairs("nbody", "sm_86", 40).alt == (
        "Resident warps against the register cap, n-body on sm_86. 24–32: 48 warps; 33–40: 48 warps; 41–48: 40 warps; "
        "49–59: 36 warps; 60–67: 32 warps; 68–77: 28 warps; 78: 24 warps; 79: 28 warps; 80–255: 24 warps."
    )


@pytest.mark.parametrize(("kernel", "architecture"), PAIRS)
def test_the_spills(kernel: str, architecture: str) -> None:
    chart = spills.spilled(kernel, architecture, 100)
    rows = rows_of(kernel, architecture)
    by_cap = {row["cap"]: row["spill_stores"] + row["spill_loads"] for row in rows}
    assert {row["cap"]: row["bytes"] for row in chart.datasets["spills"]} == by_cap
    assert chart.datasets["here"] == [{"x": 100}]
    last = max(cap for cap, spilled in by_cap.items() if spilled)
    assert all(not spilled for cap, spilled in by_cap.items() if cap > last)
    assert chart.alt == (
        f"Bytes of the spill instructions against the register cap, {spills.KERNELS[kernel]} on {architecture}: "
        f"{by_cap[24]} at a cap of 24, none beyond {last}."
    )


def test_the_marks_stand_where_the_data_say() -> None:
    """564 pixels for caps 24 to 256, 122 for 48 warps."""
    chart = spills.stairs("nbody", "sm_86", 40)

    def across(cap: float) -> float:
        return 564 * (cap - 24) / 232

    steps = [(24, 33, 48, "warps"), (33, 41, 48, "registers"), (41, 49, 40, "registers"), (49, 60, 36, "registers")]
    for layer in (0, 1):
        marks = drawn(chart, layer)
        assert len(marks) == 9
        for (first, end, height, slot), mark in zip(steps, marks, strict=False):
            assert (mark.x, mark.x2) == (pytest.approx(across(first)), pytest.approx(across(end)))
            assert mark.y == pytest.approx(122 * (1 - height / 48)) and mark.colour == f"var(--occ-{slot})"
            assert mark.y2 == pytest.approx(122 if layer == 0 else mark.y)
    [here] = drawn(chart, 2)
    assert (here.x, here.x2) == (pytest.approx(across(40)), pytest.approx(across(40)))
    [here] = drawn(spills.spilled("nbody", "sm_86", 255), 1)
    assert here.x == pytest.approx(across(255))


def test_a_table_of_builds() -> None:
    table = spills.table(0, 128, 80)
    assert cells(table) == [
        # One block of 4 × ⌊16,384 ÷ 4,352⌋ = 12 warps, then 16 and 24.
        ["none", "129", "1", "17 %", "registers", "0", "0", "0"],
        ["128", "128", "2", "33 %", "registers", "0", "0", "0"],
        ["80", "80", "3", "50 %", "registers", "280", "620", "524"],
    ]
    assert caption(table) == "SGEMM, 8 × 8 results per thread, sm_86, compiled under a register cap"
    assert ", ".join(headings(table)) == (
        "cap, registers, blocks, occupancy, what binds, stack (bytes), spill stores (bytes), of them in the loop"
    )
    assert slots(table.html()) == ["registers"] * 3
    [row] = [row for row in rows_of("sgemm8x8", "sm_86") if row["cap"] == 80]
    assert (row["stack"], row["spill_stores"], row["spill_loads"]) == (280, 620, 616)


def test_what_stands_in_the_loop() -> None:
    # sm_86,sgemm8x8,80,620,616,524,608
    assert spills.inside(80) == (524, 608) and spills.inside(0) == (0, 0)
    # The loop takes eight columns a trip: 4,096 ÷ 8 trips.
    assert spills.traffic(80, 4096) == 524 * 512 and spills.traffic(0, 4096) == 0
    file = FILE.with_name("spills_in_loops.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(file.splitlines()[1:]):
        build = spills.build(int(row["cap"]), row["kernel"], row["architecture"])
        found = spills.inside(build.cap, build.kernel, build.architecture)
        assert found == (int(row["loop_stores"]), int(row["loop_loads"]))
        assert (build.spill_stores, build.spill_loads) == (int(row["spill_stores"]), int(row["spill_loads"]))
        assert found.loop_stores <= build.spill_stores and found.loop_loads <= build.spill_loads


def test_every_architecture_is_one_the_tests_know() -> None:
    assert {f"{a[3:-1]}.{a[-1]}" for a in spills.ARCHITECTURES} <= set(CHIPS)
    assert all(spills.device(a).architecture == a for a in spills.ARCHITECTURES)
