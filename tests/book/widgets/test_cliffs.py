"""The cliffs: the step a launch stands on, the way up, and "no cliff" only where no register count gives more warps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite.book import widgets
from tests.book.seen import caption, cells, controls, headings, marked, parsed, slots, words

CLIFFS = widgets.load("cliffs")
CEILING = "Fewer registers gain nothing: another budget is the ceiling."

# registers, threads, KiB: the sentence. The paper SM: 65,536 registers, 96 KiB, 48 warps, 16 blocks.
TABLE = [
    # ⌊65,536 ÷ 256 r⌋ blocks of 8 warps: 6 up to 42, 5 up to 51, 4 up to 64, 3 up to 85, 2 up to 128.
    (60, 256, 12, "52–64 registers: 32 warps What binds at 60: registers. 9 registers fewer: 40 warps. Up to 4 more cost nothing."),
    (52, 256, 12, "52–64 registers: 32 warps What binds at 52: registers. 1 register fewer: 40 warps. Up to 12 more cost nothing."),
    (64, 256, 12, "52–64 registers: 32 warps What binds at 64: registers. 13 registers fewer: 40 warps. Up to 0 more cost nothing."),
    (20, 256, 12, f"1–42 registers: 48 warps What binds at 20: warp slots. {CEILING}"),
    (42, 256, 12, f"1–42 registers: 48 warps What binds at 42: registers + warp slots. {CEILING}"),
    (255, 256, 12, "129–255 registers: 8 warps What binds at 255: registers. 127 registers fewer: 16 warps. Up to 0 more cost nothing."),
    # 96 ÷ 24 = 4 blocks: up to 51 registers it is shared memory alone, up to 64 both.
    (30, 256, 24, f"1–64 registers: 32 warps What binds at 30: shared memory. {CEILING}"),
    (64, 256, 24, f"1–64 registers: 32 warps What binds at 64: registers + shared memory. {CEILING}"),
    # 96 ÷ 16 = 6 = 48 ÷ 8, and at 40 registers 65,536 ÷ 10,240 = 6 too.
    (40, 256, 16, f"1–42 registers: 48 warps What binds at 40: registers + shared memory + warp slots. {CEILING}"),
    # One warp a block: ⌊65,536 ÷ 32 r⌋ is 16 up to 128 registers, 15 up to 136.
    (130, 32, 0, "129–136 registers: 15 warps What binds at 130: registers. 2 registers fewer: 16 warps. Up to 6 more cost nothing."),
    # 32 × 32 × 64 = 65,536 is the last that fits.
    (80, 1024, 12, "80 registers: cannot launch One block does not fit: it needs 81 920 registers, the SM has 65 536."),
]  # fmt: skip


@pytest.mark.parametrize(("registers", "threads", "shared", "said"), TABLE)
def test_a_launch(registers: int, threads: int, shared: int, said: str) -> None:
    view = CLIFFS.view(registers, threads, shared)
    assert words(view.status) == said
    assert said.startswith(words(parsed(view.status).strong))


def test_the_staircase_beside_the_words() -> None:
    view = CLIFFS.view(60, 256, 12)
    assert list(view.parts) == ["curve", "steps"]
    table = view.parts["steps"]
    assert caption(table) == "The same staircase, step by step"
    assert headings(table) == ["registers", "warps", "what binds"]
    assert cells(table) == [
        ["1–42", "48", "warp slots (37–42: + registers)"],
        ["43–51", "40", "registers"],
        ["52–64", "32", "registers"],
        ["65–85", "24", "registers"],
        ["86–128", "16", "registers"],
        ["129–255", "8", "registers"],
    ]
    assert marked(table) == [2]
    assert slots(table.html()) == ["warps", *["registers"] * 6]
    assert slots(view.status) == ["registers"]
    chart = view.parts["curve"]
    assert chart.datasets["here"] == [{"x": 60.5, "warps": 32}]
    # The register budget alone, not rounded to blocks: 65,536 ÷ (32 × 16) warps, …
    budget = {point["x"]: point["warps"] for point in chart.datasets["budget_alone"]}
    assert (budget[16], budget[64], budget[256]) == (128, 32, 8)


def test_a_staircase_that_ends_in_the_air() -> None:
    view = CLIFFS.view(80, 1024, 12)
    assert cells(view.parts["steps"]) == [
        ["1–64", "32", "warp slots (33–64: + registers)"],
        ["65–255", "0", "cannot launch"],
    ]
    assert marked(view.parts["steps"]) == [1]
    assert view.parts["curve"].datasets["here"] == [{"x": 80.5, "warps": 0}]


def resident(threads: int, registers: int, shared: int) -> int:
    """Warps of the paper SM, in five lines of chapter 2."""
    warps = -(-threads // 32)
    limits = [65_536 // (32 * warps * registers), 48 // warps, 16]
    if shared:
        limits.append(96 // shared)
    return min(limits) * warps


@settings(max_examples=150, deadline=None)
@given(st.integers(16, 255), st.integers(1, 32).map(lambda n: 32 * n), st.integers(0, 96))
def test_the_way_up_is_the_nearest_of_all_register_counts(registers: int, threads: int, shared: int) -> None:
    said = words(CLIFFS.view(registers, threads, shared).status)
    here = resident(threads, registers, shared)
    if not here:
        assert said.startswith(f"{registers} registers: cannot launch One block does not fit: ")
        return
    better = [r for r in range(1, 256) if resident(threads, r, shared) > here]
    same = [r for r in range(1, 256) if resident(threads, r, shared) == here]
    assert said.startswith(
        f"{min(same)}–{max(same)} registers: {here} warps" if len(same) > 1 else f"{same[0]} registers"
    )
    if not better:
        assert said.endswith(CEILING)
        return
    fewer, warps = registers - max(better), resident(threads, max(better), shared)
    plural = "s" if fewer > 1 else ""
    assert said.endswith(
        f"{fewer} register{plural} fewer: {warps} warp{'s' if warps > 1 else ''}. Up to {max(same) - registers} more cost nothing."
    )


def test_the_controls() -> None:
    assert CLIFFS.title == "Cliffs: resident warps against registers per thread"
    assert controls(CLIFFS) == [
        ("registers", "Registers per thread", 16, 255, 1, 60, "", "registers"),
        ("threads", "Threads per block", 32, 1024, 32, 256, "", "warps"),
        ("shared", "Shared memory per block", 0, 96, 1, 12, "KiB", "memory"),
    ]
