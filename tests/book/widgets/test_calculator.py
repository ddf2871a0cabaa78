"""The calculator's words and pictures, launch by launch, with the divisions done by hand beside them."""

from __future__ import annotations

import pytest

from occusite.book import widgets
from occusite.book.widgets.calculator import VERDICTS, difference, headline, verdict
from tests.book.seen import bars, controls, parsed, slot_cells, slots, words

CALCULATOR = widgets.load("calculator")
PLENTY, ENOUGH, THIN, STARVING = (said for _, said in VERDICTS)
SAME_PAPER, SAME_EXACT = "The paper rule gives the same answer here.", "The exact Ada rule gives the same answer here."

# threads, registers, KiB, rule: headline, verdict, what the other rule says, blocks resident, warps of 48.
# On paper: 65,536 registers, 100 KiB, 48 warps, 24 blocks. Exactly: a warp's registers in units of 256, in four parts
# of 16,384; a kibibyte of reserve in each block's share.
TABLE = [
    # 8, 12, 6, 24 blocks; exactly 4 × 16 ÷ 8 = 8, 100 ÷ 9 = 11, 6, 24.
    (256, 32, 8, "paper", "block size is the limiter · 6 blocks resident", PLENTY, SAME_EXACT, 6, 48),
    (256, 32, 8, "exact", "block size is the limiter · 6 blocks resident", PLENTY, SAME_PAPER, 6, 48),
    # 65,536 ÷ 10,752 = 6; a warp takes 1,536 of 16,384: 4 × 10 ÷ 8 = 5.
    (256, 42, 0, "exact", "registers are the limiter · 5 blocks resident", PLENTY, "The paper rule says 48 warps instead (registers + warp slots).", 5, 40),
    (256, 42, 0, "paper", "registers and block size tie · 6 blocks resident", PLENTY, "The exact Ada rule says 40 warps instead (registers).", 6, 48),
    # 65,536 ÷ 10,240 = 6, 100 ÷ 16 = 6, 48 ÷ 8 = 6; exactly 100 ÷ 17 = 5.
    (256, 40, 16, "paper", "registers, shared memory and block size tie · 6 blocks resident", PLENTY, "The exact Ada rule says 40 warps instead (shared memory).", 6, 48),
    (256, 40, 16, "exact", "shared memory is the limiter · 5 blocks resident", PLENTY, "The paper rule says 48 warps instead (registers + shared memory + warp slots).", 5, 40),
    # 65,536 ÷ 16,384 = 4, 100 ÷ 20 = 5; exactly 4 × 8 ÷ 8 = 4 and 100 ÷ 21 = 4.
    (256, 64, 20, "exact", "registers and shared memory tie · 4 blocks resident", ENOUGH, "The paper rule counts the same warps, but names as what binds: registers.", 4, 32),
    (256, 64, 20, "paper", "registers are the limiter · 4 blocks resident", ENOUGH, "The exact Ada rule counts the same warps, but names as what binds: registers + shared memory.", 4, 32),
    # 65,536 ÷ 12,800 = 5, 100 ÷ 24 = 4; exactly a warp takes 1,792: 4 × 9 ÷ 8 = 4, and 100 ÷ 25 = 4.
    (256, 50, 24, "exact", "registers and shared memory tie · 4 blocks resident", ENOUGH, "The paper rule counts the same warps, but names as what binds: shared memory.", 4, 32),
    (256, 50, 24, "paper", "shared memory is the limiter · 4 blocks resident", ENOUGH, "The exact Ada rule counts the same warps, but names as what binds: registers + shared memory.", 4, 32),
    # 65,536 ÷ (288 × 28) = 8, 100 ÷ 20 = 5; exactly 100 ÷ 21 = 4. Nine warps a block: 48 ÷ 9 = 5.
    (288, 28, 20, "paper", "shared memory and block size tie · 5 blocks resident", PLENTY, "The exact Ada rule says 36 warps instead (shared memory).", 5, 45),
    # 36, 24 and 12 of 48 warps stand exactly on the verdicts' edges; 65,536 ÷ (384 × 56) = 3, 4 × 9 ÷ 12 = 3.
    (384, 56, 0, "paper", "registers are the limiter · 3 blocks resident", PLENTY, SAME_EXACT, 3, 36),
    (32, 32, 0, "paper", "block slots are the limiter · 24 blocks resident", ENOUGH, SAME_EXACT, 24, 24),
    (384, 128, 0, "exact", "registers are the limiter · 1 block resident", THIN, SAME_PAPER, 1, 12),
    # One warp less: 23 is thin (a block of 23 warps), 11 starves.
    (736, 64, 0, "exact", "registers are the limiter · 1 block resident", THIN, SAME_PAPER, 1, 23),
    (352, 128, 0, "exact", "registers are the limiter · 1 block resident", STARVING, SAME_PAPER, 1, 11),
    # 65,536 ÷ 65,536 = 1 and 48 ÷ 32 = 1.
    (1024, 64, 0, "exact", "registers and block size tie · 1 block resident", ENOUGH, SAME_PAPER, 1, 32),
    # 100 ÷ 100 = 1 on paper; with the reserve a block may have 99.
    (256, 32, 100, "paper", "shared memory is the limiter · 1 block resident", STARVING, "By the exact Ada rule this launch cannot run: one block does not fit: it asks for 102 400 bytes of dynamic shared memory, the device leaves 101 376.", 1, 8),
    (256, 32, 100, "exact", "This launch cannot run", "One block does not fit: it asks for 102 400 bytes of dynamic shared memory, the device leaves 101 376.", "The paper rule says 8 warps instead (shared memory).", 0, 0),
    # 1,024 × 255 = 261,120; exactly 32 warps of 8,192.
    (1024, 255, 0, "paper", "This launch cannot run", "One block does not fit: it needs 261 120 registers, the SM has 65 536.", SAME_EXACT, 0, 0),
    (1024, 255, 0, "exact", "This launch cannot run", "One block does not fit: it is checked as 262 144 registers (32 warps rounded up to a multiple of 4), a block may have 65 536.", SAME_PAPER, 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "rule", "head", "judged", "other", "blocks", "warps"), TABLE
)
def test_a_launch(
    threads: int, registers: int, shared: int, rule: str, head: str, judged: str, other: str, blocks: int, warps: int
) -> None:
    view = CALCULATOR.view(threads, registers, shared, rule)
    assert words(view.status) == f"{head} {judged}"
    assert words(parsed(view.status).strong) == head
    assert list(view.parts) == ["bars", "slots", "note"]
    note = parsed(str(view.parts["note"]))
    assert words(note) == other and [p["class"] for p in note.select("p")] == [["occ-note"]]
    rows = bars(str(view.parts["bars"]))
    assert [row.used for row in rows if row.binds] == [blocks] * sum(row.binds for row in rows) and rows
    assert all(row.binds == (row.edge == blocks) for row in rows)
    letters, below = slot_cells(str(view.parts["slots"]))
    assert len(letters) == 48 and letters.count(".") == 48 - warps
    assert below.startswith(f"{warps} of 48 warp slots filled")


def test_the_other_rules_limiters_have_their_colours() -> None:
    view = CALCULATOR.view(256, 42, 0, "exact")
    assert slots(view.parts["note"]) == ["registers", "warps"]


def test_the_words_alone() -> None:
    """What chapters quote: the same sentences from the two answers."""
    from occusite.book.content.values import on_ada, on_ada_paper

    exact, on_paper = on_ada(256, 42), on_ada_paper(256, 42)
    assert headline(exact) == "registers are the limiter · 5 blocks resident"
    assert verdict(exact) == PLENTY
    assert [words(difference(*pair)) for pair in ((exact, on_paper, "exact"), (on_paper, exact, "paper"))] == [
        "The paper rule says 48 warps instead (registers + warp slots).",
        "The exact Ada rule says 40 warps instead (registers).",
    ]


def test_the_verdicts_in_words() -> None:
    assert VERDICTS == (
        (0.75, "Plenty: many warps to choose from. Whether the kernel needs them, occupancy cannot say."),
        (0.5, "A fair number of warps to choose from."),
        (0.25, "Thin: few warps to choose from. Each needs some independent work."),
        (0.0, "Very few warps to choose from: each needs much independent work."),
    )


def test_the_controls() -> None:
    assert CALCULATOR.title == "Occupancy calculator for an Ada-class SM"
    assert controls(CALCULATOR) == [
        ("threads", "Threads per block", 32, 1024, 32, 256, "", "warps"),
        ("registers", "Registers per thread", 16, 255, 1, 32, "", "registers"),
        ("shared", "Shared memory per block", 0, 100, 1, 8, "KiB", "memory"),
        ("rule", "Rule", {"paper": "paper rule", "exact": "exact Ada rule"}, "exact"),
    ]
