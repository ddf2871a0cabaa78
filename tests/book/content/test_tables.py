"""The tables of the chapters, every cell of some launches, with the divisions done by hand beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from occusite import devices, nvidia
from occusite.book.content import tables
from occusite.book.parts.html import Table
from tests.book.by_hand import CHIPS, limits, paper_limits, resident
from tests.book.seen import caption, cells, headings, marked, slots

# threads, registers, KiB: each budget's arithmetic, blocks and warps; the rows that bind.
BUDGETS = {
    (256, 64, 12): (
        [
            ["registers", "⌊65 536 ÷ (256 threads × 64)⌋ = ⌊65 536 ÷ 16 384⌋", "4", "32"],
            ["shared memory", "⌊98 304 B ÷ 12 288 B⌋", "8", "64"],
            ["warp slots", "⌊48 slots ÷ 8⌋", "6", "48"],
            ["block slots", "16 slots", "16", "128"],
        ],
        [0],
        "Three budgets of the paper SM: 256 threads, 64 registers per thread, 12 KiB per block",
    ),
    (256, 64, 24): (
        [
            ["registers", "⌊65 536 ÷ (256 threads × 64)⌋ = ⌊65 536 ÷ 16 384⌋", "4", "32"],
            ["shared memory", "⌊98 304 B ÷ 24 576 B⌋", "4", "32"],
            ["warp slots", "⌊48 slots ÷ 8⌋", "6", "48"],
            ["block slots", "16 slots", "16", "128"],
        ],
        [0, 1],
        "Three budgets of the paper SM: 256 threads, 64 registers per thread, 24 KiB per block",
    ),
    # 40 threads take two warps.
    (40, 32, 0): (
        [
            ["registers", "⌊65 536 ÷ (64 threads × 32)⌋ = ⌊65 536 ÷ 2048⌋", "32", "64"],
            ["shared memory", "none used: no limit", "any number", "any number"],
            ["warp slots", "⌊48 slots ÷ 2⌋", "24", "48"],
            ["block slots", "16 slots", "16", "32"],
        ],
        [3],
        "Three budgets of the paper SM: 40 threads, 32 registers per thread, 0 KiB per block",
    ),
    (1024, 80, 8): (
        [
            ["registers", "⌊65 536 ÷ (1024 threads × 80)⌋ = ⌊65 536 ÷ 81 920⌋", "0", "0"],
            ["shared memory", "⌊98 304 B ÷ 8192 B⌋", "12", "384"],
            ["warp slots", "⌊48 slots ÷ 32⌋", "1", "32"],
            ["block slots", "16 slots", "16", "512"],
        ],
        [0],
        "Three budgets of the paper SM: 1024 threads, 80 registers per thread, 8 KiB per block",
    ),
}


@pytest.mark.parametrize("launch", BUDGETS)
def test_budgets_on_paper(launch: tuple[int, int, int]) -> None:
    rows, binding, title = BUDGETS[launch]
    table = tables.budgets_on_paper(*launch)
    assert cells(table) == rows and marked(table) == binding and caption(table) == title
    assert headings(table) == ["budget", "arithmetic", "blocks it allows", "warps"]
    assert slots(table.html()) == ["registers", "memory", "warps", "blocks"]
    assert [row[2] for row in rows] == ["any number" if v is None else str(v) for v in paper_limits(*launch)]


def test_the_books_first_launch_is_the_default() -> None:
    assert tables.budgets_on_paper().html() == tables.budgets_on_paper(256, 64, 12).html()


def test_the_working_of_an_exact_answer() -> None:
    """A row a budget: what lies between, a warp's registers and a block's bytes, is not in this table."""
    answer = nvidia.device("8.9").occupancy(nvidia.Launch(250, 64, dynamic_shared=12 * 1024))
    table = tables.working_table(answer, "an answer")
    assert cells(table) == [
        ["registers", "⌊32 warps ÷ 8⌋", "4", "32"],
        ["shared memory", "⌊102 400 B ÷ 13 312 B⌋", "7", "56"],
        ["warp slots", "⌊48 slots ÷ 8⌋", "6", "48"],
        ["block slots", "24 slots", "24", "192"],
    ]
    assert marked(table) == [0] and caption(table) == "an answer"


ON_PAPER = [
    ["1–42", "48", "100 %", "warp slots (37–42: + registers)"],
    ["43–51", "40", "83 %", "registers"],
    ["52–64", "32", "67 %", "registers"],
    ["65–85", "24", "50 %", "registers"],
    ["86–128", "16", "33 %", "registers"],
    ["129–255", "8", "17 %", "registers"],
]
STAIRCASES: dict[str, tuple[Table, str, list[list[str]]]] = {
    "paper, 256 threads": (
        tables.plateaus_on_paper(),
        "Plateaus of the paper SM, 256 threads, 12 KiB per block",
        ON_PAPER,
    ),
    # 96 ÷ 48 = 2 blocks of 12 warps: 65,536 ÷ (384 × 86) is below 2; a step of one register count: none here.
    "paper, 384 threads": (
        tables.plateaus_on_paper(384, 48),
        "Plateaus of the paper SM, 384 threads, 48 KiB per block",
        [["1–85", "24", "50 %", "shared memory (57–85: + registers)"], ["86–170", "12", "25 %", "registers"], ["171–255", "0", "–", "cannot launch"]],
    ),
    # 16 KiB: 6 blocks, as the warp slots.
    "paper, a tie": (
        tables.plateaus_on_paper(256, 16),
        "Plateaus of the paper SM, 256 threads, 16 KiB per block",
        [["1–42", "48", "100 %", "shared memory + warp slots (37–42: + registers)"], *ON_PAPER[1:]],
    ),
    # A warp's registers come in units of 256, eight a thread; each of four parts holds whole warps.
    "Ada, 256 threads": (
        tables.plateaus_on_ada(),
        "Plateaus of an Ada SM, exact rule, 256 threads",
        [
            ["1–40", "48", "100 %", "warp slots (33–40: + registers)"],
            ["41–48", "40", "83 %", "registers"],
            ["49–64", "32", "67 %", "registers"],
            ["65–80", "24", "50 %", "registers"],
            ["81–128", "16", "33 %", "registers"],
            ["129–255", "8", "17 %", "registers"],
        ],
    ),
    # 25 KiB with the reserve: four blocks.
    "Ada, 24 KiB": (
        tables.plateaus_on_ada(256, 24),
        "Plateaus of an Ada SM, exact rule, 256 threads, 24 KiB per block",
        [
            ["1–64", "32", "67 %", "shared memory (49–64: + registers)"],
            ["65–80", "24", "50 %", "registers"],
            ["81–128", "16", "33 %", "registers"],
            ["129–255", "8", "17 %", "registers"],
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", STAIRCASES)
def test_plateaus(case: str) -> None:
    table, title, rows = STAIRCASES[case]
    assert caption(table) == title and cells(table) == rows
    assert headings(table) == ["registers per thread", "resident warps", "occupancy", "what binds"]
    named = {"registers": "registers", "shared memory": "memory", "warp slots": "warps"}
    told = [name for row in rows for name in re.findall("registers|shared memory|warp slots", row[3])]
    assert slots(table.html()) == [named[name] for name in told]


def test_what_binds_on_a_part_of_a_step_is_told_with_its_part() -> None:
    """Two joins on one step: 64 threads, 4 KiB on the paper SM. ⌊65,536 ÷ 64 r⌋ is 24 from 41 on, ⌊96 ÷ 4⌋ is 24."""
    from occusite import paper

    answer = paper.SM(blocks=24).occupancy(paper.Launch(64, 32, 4 * paper.KIB))
    rows = cells(tables.plateaus(answer))
    assert rows[0] == ["1–42", "48", "100 %", "shared memory + warp slots + block slots (41–42: + registers)"]
    assert rows[-1][0].endswith("–255") and rows[-1][3] == "registers"


def test_a_step_of_one_value_has_no_range() -> None:
    """One part of 12 warps would hold 170 registers; on a file of 65,536 + 384 × 3 the step from 171 is one wide."""
    from occusite import paper

    sm = paper.SM(registers=384 * 171, warps=48)
    table = tables.plateaus(sm.occupancy(paper.Launch(384, 32)), "a step")
    # ⌊65,664 ÷ 384 r⌋: 4 up to 42, 3 up to 57, 2 up to 85, 1 up to 171.
    assert [row[0] for row in cells(table)] == ["1–42", "43–57", "58–85", "86–171", "172–255"]
    sm = paper.SM(registers=32 * 254, warps=1, blocks=1)
    assert [row[0] for row in cells(tables.plateaus(sm.occupancy(paper.Launch(32, 32))))] == ["1–254", "255"]


def test_compare() -> None:
    launches = [(256, 64, 12), (256, 42, 12), (256, 64, 24), (64, 16, 0), (1024, 80, 0)]
    table = tables.compare(*launches, caption="five launches")
    assert cells(table) == [
        ["256", "64", "12", "4", "32", "67 %", "registers"],
        ["256", "42", "12", "6", "48", "100 %", "registers + warp slots"],
        ["256", "64", "24", "4", "32", "67 %", "registers + shared memory"],
        # Two warps: 65,536 ÷ 1,024 = 64, 48 ÷ 2 = 24, 16 slots.
        ["64", "16", "0", "16", "32", "67 %", "block slots"],
        ["1024", "80", "0", "0", "0", "–", "registers"],
    ]
    assert caption(table) == "five launches"
    assert headings(table) == ["threads", "registers", "shared (KiB)", "blocks", "warps", "occupancy", "what binds"]
    assert "<tbody><tr><td" in table.html(), "no cell is its row's heading"
    for row, launch in zip(cells(table), launches, strict=True):
        assert int(row[3]) == min(v for v in paper_limits(*launch) if v is not None)


def test_compare_on_a_chip() -> None:
    table = tables.compare_on("8.9", (256, 42), (256, 40, 0), (256, 40, 16), (96, 255, 0))
    assert cells(table) == [
        # 42 are charged as 48: a warp takes 1,536.
        ["256", "42", "48", "5", "40", "83 %", "registers"],
        ["256", "40", "40", "6", "48", "100 %", "registers + warp slots"],
        ["256", "40", "40", "5", "40", "83 %", "shared memory"],
        # Three warps of 8,192: two fit each of four parts, eight in all.
        ["96", "255", "256", "2", "6", "12 %", "registers"],
    ]
    assert caption(table) == "compute capability 8.9 (Ada), the exact rule"
    columns = ["threads", "registers", "charged per thread", "blocks", "warps", "occupancy", "what binds"]
    assert headings(table) == columns and "<tbody><tr><td" in table.html()


def test_block_sizes() -> None:
    table = tables.block_sizes()
    assert cells(table) == [
        # Warps each; blocks by 48 warp slots, 24 block slots, and room for 64 warps of 1,024 registers.
        ["32", "1", "24", "24", "50 %", "block slots"],
        ["64", "2", "24", "48", "100 %", "warp slots + block slots"],
        ["128", "4", "12", "48", "100 %", "warp slots"],
        ["256", "8", "6", "48", "100 %", "warp slots"],
        ["384", "12", "4", "48", "100 %", "warp slots"],
        ["512", "16", "3", "48", "100 %", "warp slots"],
        ["640", "20", "2", "40", "83 %", "warp slots"],
        ["768", "24", "2", "48", "100 %", "registers + warp slots"],
        ["1024", "32", "1", "32", "67 %", "warp slots"],
    ]
    assert caption(table) == "Block sizes on an Ada SM, 32 registers per thread, no shared memory"
    assert headings(table) == ["threads per block", "warps each", "blocks", "warps", "occupancy", "what binds"]
    assert [row[3] for row in cells(tables.block_sizes(64))] == [
        str(resident("8.9", int(row[0]), 64) * int(row[1])) for row in cells(table)
    ]


def test_littles_law() -> None:
    table = tables.little()
    assert cells(table) == [
        ["in flight, whole GPU", "2000 GB/s × 400 ns", "800 000 bytes"],
        ["per SM", "800 000 ÷ 100", "8 000 bytes"],
        ["warp accesses", "8 000 ÷ 128", "62.5"],
        ["warps", "⌈62.5 ÷ 2⌉", "32"],
    ]
    assert caption(table) == "Little’s law, from the whole GPU down to one SM"
    assert headings(table) == ["what", "arithmetic", "comes to"]
    # 448.5 × 333 = 149,350.5; ÷ 28 = 5,333.946…; ÷ 64 = 83.343; one load each.
    assert [row[1:] for row in cells(tables.little(448.5, 333, 28, 64, 1))] == [
        ["448.5 GB/s × 333 ns", "149 350.5 bytes"],
        ["149 350.5 ÷ 28", "5 333.946429 bytes"],
        ["5 333.946429 ÷ 64", "83.3429"],
        ["⌈83.3429 ÷ 1⌉", "84"],
    ]


def test_the_cheat_sheet() -> None:
    table = tables.cheat_sheet()
    families = {"7.5": "Turing", "8.0": "Ampere", "8.6": "Ampere", "8.9": "Ada", "9.0": "Hopper", "10.0": "Blackwell", "12.0": "Blackwell"}  # fmt: skip
    rows = []
    for capability, family in families.items():
        chip = CHIPS[capability]
        fills = [r for r in range(1, 256) if resident(capability, 256, r) * 8 == chip.warps]
        sizes = [chip.warps, chip.blocks, chip.shared, chip.most]
        rows.append([f"{capability} {family}", *map(str, sizes), str(max(fills))])
    assert cells(table) == rows
    # One by hand: 64 warps are 16 a part, 1,024 registers each, 32 a thread; 48 are 12, 1,365 rounded down to 1,280.
    assert rows[1] == ["8.0 Ampere", "64", "32", "164", "163", "32"] and rows[3][-1] == "40"
    assert caption(table) == "One SM, 65,536 registers; the last column for blocks of 256 threads"
    assert headings(table) == [
        *("architecture", "warp slots", "block slots", "shared memory (KiB)", "most per block (KiB)"),
        "registers for full occupancy",
    ]


def test_measured_latencies() -> None:
    table = tables.measured_latencies()
    assert caption(table) == "The presets, and where their latency comes from; one warp on an idle GPU each"
    columns = "GPU, SMs, GB/s, latency (ns), same chip, all sources, latency measured by"
    assert ", ".join(headings(table)) == columns
    rows = []
    for gpu in devices.gpus():
        timed = [entry for entry in gpu.latency if entry.dram_ns]
        if timed and gpu.bandwidth_gb_s:
            least, most = timed[0].dram_ns or (0, 0)
            middle = str(round((least + most) / 2))
            chip = [entry.dram_ns for g in devices.gpus() if g.chip == gpu.chip for entry in g.latency if entry.dram_ns]
            low, high = round(min(a for a, _ in chip)), round(max(b for _, b in chip))
            both = f"{low}–{high}" if low < high else str(low)
            source = " ".join(timed[0].source.split())
            rows.append([gpu.name, str(gpu.device.sm_count), f"{gpu.bandwidth_gb_s:g}", middle, both, source])
    assert cells(table) == rows and len(rows) >= 5
    [v100] = [g for g in tables.measured() if g.name == "Tesla V100 PCIe 16 GB"]
    assert (v100.sms, v100.bandwidth, v100.latency, v100.chip, v100.least, v100.most) == (80, 897, 311, "7.0", 296, 314)


def test_the_least_and_the_greatest_latency_of_a_chip() -> None:
    least, most = tables.latency_range()
    assert (least.name, least.latency, most.name, most.latency) == ("H800 PCIe 80 GB", 273, "H100 NVL 94 GB", 450)
    volta = tables.latency_range("GV100")
    assert {g.chip for g in volta} == {"7.0"} and volta[0].latency <= volta[1].latency


def test_eight_ways_to_bound_a_kernel() -> None:
    """128 threads on Hopper: four warps a block, so 4 × ⌊16,384 ÷ a warp's registers⌋ ÷ 4 blocks, of 16 by the slots."""
    table = tables.bounds_compared()
    rows = cells(table)
    logs = Path(nvidia.__file__).parents[1] / "data" / "session" / "bounds"
    # The compiler's words in the logs, file by file in the table's order.
    for row, name in zip(
        rows,
        ("free", "free-capped", "threads", "threads-capped", "one-block", "cluster", "maxnreg", "maxnreg-capped"),
        strict=True,
    ):
        log = (logs / f"{name}.log").read_text(encoding="utf-8")
        registers = int(re.findall(r"Used (\d+) registers", log)[0])
        assert row[1:3] == [str(registers), re.findall(r"(\d+) bytes spill stores", log)[0]]
        blocks = resident("9.0", 128, registers)
        assert row[3:] == [str(blocks), f"{100 * 4 * blocks / 64:.0f} %"]
    assert [row[0] for row in rows] == [
        "nothing",
        "-maxrregcount=64",
        "__launch_bounds__(128)",
        "__launch_bounds__(128) and -maxrregcount=64",
        "__launch_bounds__(128, 1)",
        "__launch_bounds__(128, 1, 2)",
        "__maxnreg__(64)",
        "__maxnreg__(80) and -maxrregcount=64",
    ]
    assert table.html().count("<code>") == table.html().count("</code>") == 9
    assert caption(table) == "One kernel, one compiler (nvcc 13.0, V13.0.88), eight ways to bound it"
    assert headings(table) == ["what the compiler is told", "registers", "spill stores (bytes)", "blocks", "occupancy"]


def test_every_table_of_the_pages_can_be_named() -> None:
    """What a page's fence may write: the package's other tables, and the parts to make one."""
    for name in ("gpu_notes", "header_versions", "latencies", "launch_fields", "limits_per_capability", "named_gpus"):
        assert callable(getattr(tables, name))
    assert limits("8.9", 32, 32)["blocks"] == 24
