"""The exact rule's widget: headline, verdict, the next step up and the working, against arithmetic done by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia
from occusite.book import widgets
from occusite.book.widgets.calculator import VERDICTS
from tests.book.seen import bars, cells, controls, marked, parsed, slot_cells, words

SILICON = widgets.load("silicon")
PLENTY, ENOUGH, THIN, STARVING = (said for _, said in VERDICTS)

# architecture, threads, registers, KiB, carve-out: the sentence, warps, slots.
TABLE = [
    # A warp of 50 registers takes 1,792 of 16,384: 4 × 9 ÷ 8 = 4 blocks. Five want 10 in each part: 1,536, 48 registers.
    ("9.0", 256, 50, 12, "default", f"registers are the limiter · 4 blocks resident {ENOUGH} 2 registers fewer: 40 warps.", 32, 64),
    # 13 KiB with the reserve. 25 % of 228 KiB is set as 64: four blocks, as the registers; 50 % is set as 132: ten.
    ("9.0", 256, 50, 12, "25", f"registers and shared memory tie · 4 blocks resident {ENOUGH}", 32, 64),
    ("9.0", 256, 50, 12, "50", f"registers are the limiter · 4 blocks resident {ENOUGH} 2 registers fewer: 40 warps.", 32, 64),
    # 0 % is set as what one block needs, 16 KiB.
    ("9.0", 256, 50, 12, "0", f"shared memory is the limiter · 1 block resident {STARVING}", 8, 64),
    # 41 registers take 1,536, 40 take 1,280: 4 × 12 ÷ 8 = 6.
    ("8.9", 256, 41, 0, "default", f"registers are the limiter · 5 blocks resident {PLENTY} 1 register fewer: 48 warps.", 40, 48),
    ("8.9", 256, 40, 0, "default", f"registers and block size tie · 6 blocks resident {PLENTY}", 48, 48),
    # One warp: 16 block slots on Turing.
    ("7.5", 32, 32, 0, "default", f"block slots are the limiter · 16 blocks resident {ENOUGH}", 16, 32),
    # 32 warps of 2,560 registers are more than 65,536.
    ("8.9", 1024, 80, 0, "default", "This launch cannot run One block does not fit: it is checked as 81 920 registers (32 warps rounded up to a multiple of 4), a block may have 65 536.", 0, 48),
    # 255 on 100 KiB of an Ada: a warp of 8,160 takes 8,192, two fit each part.
    ("8.9", 64, 255, 99, "default", f"shared memory is the limiter · 1 block resident {STARVING}", 2, 48),
]  # fmt: skip


@pytest.mark.parametrize(("capability", "threads", "registers", "shared", "carveout", "said", "warps", "slots"), TABLE)
def test_a_launch(
    capability: str, threads: int, registers: int, shared: int, carveout: str, said: str, warps: int, slots: int
) -> None:
    view = SILICON.view(capability, threads, registers, shared, carveout)
    assert words(view.status) == said
    assert said.startswith(words(parsed(view.status).strong))
    assert list(view.parts) == ["bars", "slots", "working"]
    letters, _ = slot_cells(str(view.parts["slots"]))
    assert (len(letters), letters.count(".")) == (slots, slots - warps)
    rows = bars(str(view.parts["bars"]))
    blocks = warps // -(-threads // 32)
    assert {row.used for row in rows if row.binds} == {blocks}


def test_the_working_is_that_of_the_launch() -> None:
    rows = cells(SILICON.view("9.0", 256, 50, 12, "25").parts["working"])
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("", "⌈256 threads ÷ 32⌉", "8 warps per block"),
        ("registers", "50 × 32 threads = 1600; ⌈1600 ÷ 256⌉ × 256", "1792 registers per warp"),
        ("registers", "⌈8 ÷ 4⌉ × 4 = 8 warps × 1792 = 14 336 ≤ 65 536", "14 336 registers checked per block"),
        ("registers", "⌊65 536 ÷ 4 partitions = 16 384, ÷ 1792⌋ = 9 × 4 partitions", "36 warps"),
        ("registers", "⌊36 warps ÷ 8⌋", "4 blocks"),
        ("shared memory", "0 static + 12 288 dynamic + 1024 reserved = 13 312; ⌈13 312 ÷ 128⌉ × 128", "13 312 bytes per block"),
        ("shared memory", "25 % carve-out: 65 536 bytes", "65 536 bytes per SM"),
        ("shared memory", "⌊65 536 B ÷ 13 312 B⌋", "4 blocks"),
        ("warp slots", "⌊64 slots ÷ 8⌋", "8 blocks"),
        ("block slots", "32 slots", "32 blocks"),
        ("barriers", "⌊64 barriers ÷ 1⌋", "64 blocks"),
        ("", "min(4, 4, 8, 32, 64)", "4 resident blocks"),
        ("", "4 blocks × 8 warps, of 64 slots: 50 %", "32 resident warps"),
    ]  # fmt: skip
    assert marked(SILICON.view("9.0", 256, 50, 12, "25").parts["working"]) == [4, 7]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["7.5", "8.0", "8.9", "9.0", "12.0"]),
    st.integers(1, 1024),
    st.integers(1, 255),
    st.integers(0, 60),
)
def test_the_next_step_is_the_nearest_of_all_register_counts(
    cc: str, threads: int, registers: int, shared: int
) -> None:
    """Every fewer register count is asked one by one."""

    def warps(r: int) -> int:
        return nvidia.device(cc).occupancy(nvidia.Launch(threads, r, dynamic_shared=1024 * shared)).warps

    said = words(SILICON.view(cc, threads, registers, shared, "default").status)
    here = warps(registers)
    better = next((r for r in range(registers - 1, 0, -1) if warps(r) > here), None)
    if better is None or not here:
        assert "fewer" not in said
        return
    fewer, most = registers - better, warps(better)
    assert said.endswith(f" {fewer} register{'s' * (fewer > 1)} fewer: {most} warp{'s' * (most > 1)}.")


def test_the_controls() -> None:
    assert SILICON.title == "Exact occupancy on an NVIDIA architecture, with the working"
    (name, label, options, first), *others = controls(SILICON)
    assert (name, label, first) == ("capability", "Architecture", "9.0")
    assert len(options) == len(nvidia.CHIPS) and options["8.9"] == "8.9 · Ada · GeForce RTX 4090 (AD102)"
    assert others == [
        (
            *("carveout", "Carve-out"),
            {"default": "the driver’s choice", "0": "0 %", "25": "25 %", "50": "50 %", "75": "75 %", "100": "100 %"},
            "default",
        ),
        ("threads", "Threads per block", 1, 1024, 1, 256, "", "warps"),
        ("registers", "Registers per thread", 1, 255, 1, 50, "", "registers"),
        ("shared", "Dynamic shared memory", 0, 228, 1, 12, "KiB", "memory"),
    ]
