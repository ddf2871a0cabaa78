"""The bars: cells used and spare, colours, edges and words, worked out by hand for each launch of the table."""

from __future__ import annotations

import pytest

from occusite import nvidia, paper
from occusite.book.parts.bars import budget_bars, slot_bar
from occusite.model import Occupancy
from tests.book.seen import Bar, bars, slot_cells

KIB = 1024


def on_ada_paper(threads: int, registers: int, shared: int) -> Occupancy:
    """By plain division: 65,536 registers, 100 KiB, 48 warps, 24 blocks."""
    return paper.ADA.occupancy(paper.Launch(threads, registers, shared))


def on_chip(capability: str, threads: int, registers: int, **more: int) -> Occupancy:
    return nvidia.device(capability).occupancy(nvidia.Launch(threads, registers, **more))


# Each row: name, colour, used, spare, width of the track, edge, what is told, whether it binds.
TABLE = {
    # 65,536 ÷ (256 × 64) = 4, 100 ÷ 24 = 4 KiB blocks, 48 ÷ 8 = 6: a tie of two.
    "a tie": (
        on_ada_paper(256, 64, 24 * KIB),
        [
            ("registers", "registers", 4, 0, 24, 4, "4 blocks", True),
            ("shared memory", "memory", 4, 0, 24, 4, "4 blocks", True),
            ("warp slots", "warps", 4, 2, 24, None, "6 blocks", False),
            ("block slots", "blocks", 4, 20, 24, None, "24 blocks", False),
        ],
        ("aaaaaaaabbbbbbbb" * 2 + "." * 16, "32 of 48 warp slots filled · 67 % occupancy"),
    ),
    # No shared memory: that budget has no end, and no edge.
    "no shared memory": (
        on_ada_paper(256, 32, 0),
        [
            ("registers", "registers", 6, 2, 24, None, "8 blocks", False),
            ("shared memory", "memory", 6, 18, 24, None, "no limit", False),
            ("warp slots", "warps", 6, 0, 24, 6, "6 blocks", True),
            ("block slots", "blocks", 6, 18, 24, None, "24 blocks", False),
        ],
        ("aaaaaaaabbbbbbbb" * 3, "48 of 48 warp slots filled · 100 % occupancy"),
    ),
    # One byte a block: 102,400 blocks would fit, of which 32 are drawn; 24 are resident, of one warp each.
    "more than a row holds": (
        on_ada_paper(32, 1, 1),
        [
            ("registers", "registers", 24, 8, 32, None, "2048 blocks", False),
            ("shared memory", "memory", 24, 8, 32, None, "102 400 blocks", False),
            ("warp slots", "warps", 24, 8, 32, None, "48 blocks", False),
            ("block slots", "blocks", 24, 0, 32, 24, "24 blocks", True),
        ],
        ("ab" * 12 + "." * 24, "24 of 48 warp slots filled · 50 % occupancy"),
    ),
    # 65,536 ÷ (1,024 × 64) = 1; 48 ÷ 32 = 1.
    "one block": (
        on_ada_paper(1024, 64, 50 * KIB),
        [
            ("registers", "registers", 1, 0, 24, 1, "1 block", True),
            ("shared memory", "memory", 1, 1, 24, None, "2 blocks", False),
            ("warp slots", "warps", 1, 0, 24, 1, "1 block", True),
            ("block slots", "blocks", 1, 23, 24, None, "24 blocks", False),
        ],
        ("a" * 32 + "." * 16, "32 of 48 warp slots filled · 67 % occupancy"),
    ),
    # 1,024 × 255 registers are more than there are; the cell of the warps is still there, empty.
    "cannot launch": (
        on_ada_paper(1024, 255, 0),
        [
            ("registers", "registers", 0, 0, 24, 0, "0 blocks", True),
            ("shared memory", "memory", 0, 24, 24, None, "no limit", False),
            ("warp slots", "warps", 0, 1, 24, None, "1 block", False),
            ("block slots", "blocks", 0, 24, 24, None, "24 blocks", False),
        ],
        ("." * 48, "0 of 48 warp slots filled"),
    ),
    # A budget or two of a few blocks: the track is never shorter than eight cells.
    "an SM of two blocks": (
        paper.SM(registers=16_384, shared_memory=48 * KIB, warps=12, blocks=2).occupancy(
            paper.Launch(96, 64, 24 * KIB)
        ),
        [
            ("registers", "registers", 2, 0, 8, 2, "2 blocks", True),
            ("shared memory", "memory", 2, 0, 8, 2, "2 blocks", True),
            ("warp slots", "warps", 2, 2, 8, None, "4 blocks", False),
            ("block slots", "blocks", 2, 0, 8, 2, "2 blocks", True),
        ],
        ("aaabbb......", "6 of 12 warp slots filled · 50 % occupancy"),
    ),
    # CC 9.0, one warp of 16 registers: 4 × ⌊16,384 ÷ 512⌋ = 128; 228 KiB at 1 KiB of reserve each; 64 barriers.
    "barriers that do not bind": (
        on_chip("9.0", 32, 16),
        [
            ("registers", "registers", 32, 0, 32, None, "128 blocks", False),
            ("shared memory", "memory", 32, 0, 32, None, "228 blocks", False),
            ("warp slots", "warps", 32, 0, 32, None, "64 blocks", False),
            ("block slots", "blocks", 32, 0, 32, 32, "32 blocks", True),
        ],
        ("ab" * 16 + "." * 32, "32 of 64 warp slots filled · 50 % occupancy"),
    ),
    # CC 12.0 has 24 barriers: 8 a block leave three blocks of 8 warps; 4 × ⌊16,384 ÷ 1,024⌋ ÷ 8 = 8; 100 KiB ÷ 1 KiB.
    "barriers that bind": (
        on_chip("12.0", 256, 32, barriers=8),
        [
            ("registers", "registers", 3, 5, 32, None, "8 blocks", False),
            ("shared memory", "memory", 3, 29, 32, None, "100 blocks", False),
            ("warp slots", "warps", 3, 3, 32, None, "6 blocks", False),
            ("block slots", "blocks", 3, 21, 32, None, "24 blocks", False),
            ("barriers", "barriers", 3, 0, 32, 3, "3 blocks", True),
        ],
        ("aaaaaaaabbbbbbbbaaaaaaaa" + "." * 24, "24 of 48 warp slots filled · 50 % occupancy"),
    ),
    # CC 10.0 has 128 virtual resources: 64 a block leave two blocks.
    "virtual resources that bind": (
        on_chip("10.0", 256, 32, virtual=64),
        [
            ("registers", "registers", 2, 6, 32, None, "8 blocks", False),
            ("shared memory", "memory", 2, 30, 32, None, "228 blocks", False),
            ("warp slots", "warps", 2, 6, 32, None, "8 blocks", False),
            ("block slots", "blocks", 2, 30, 32, None, "32 blocks", False),
            ("virtual resources", "other", 2, 0, 32, 2, "2 blocks", True),
        ],
        ("aaaaaaaabbbbbbbb" + "." * 48, "16 of 64 warp slots filled · 25 % occupancy"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_a_launch_as_bars(case: str) -> None:
    answer, rows, _ = TABLE[case]
    assert bars(budget_bars(answer)) == [Bar(*row) for row in rows]


@pytest.mark.parametrize("case", TABLE)
def test_a_launch_as_warp_slots(case: str) -> None:
    answer, _, seen = TABLE[case]
    assert slot_cells(slot_bar(answer)) == seen


@pytest.mark.parametrize("slot", ["registers", "memory", "warps", "blocks", "barriers", "other"])
def test_every_budget_has_a_bar_of_its_own_colour(slot: str) -> None:
    from pathlib import Path

    css = (Path(__file__).parents[3] / "docs" / "assets" / "css" / "book.css").read_text(encoding="utf-8")
    assert f".occ-bar--{slot} {{ --tint: var(--occ-{slot}); }}" in css
