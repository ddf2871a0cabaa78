"""The numbers that chapters 2 to 6 promise, typed here from the book's plan, against the package and the built prose."""

from __future__ import annotations

import contextlib
import io
import re
from html import unescape

import pytest

from occusite import nvidia, paper
from occusite.book.content import pages, tables
from occusite.book.content.values import on_ada, on_ada_paper, on_paper
from occusite.book.parts import cells, charts
from occusite.book.parts.html import Table
from occusite.book.widgets import calculator
from occusite.littles_law import Supply, arithmetic_warps, bytes_in_flight
from occusite.paper import KIB, SM, Launch
from occusite.questions import staircase


def rows(table: Table) -> list[list[str]]:
    """A table's cells as a reader sees them."""
    found = re.findall(r"<tr[^>]*>(.*?)</tr>", table.html())
    return [
        [unescape(re.sub(r"<[^>]+>", "", c)) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in found[1:]
    ]


# Chapter 2: three budgets.


def test_the_paper_sm() -> None:
    sm = SM()
    assert (sm.registers, sm.shared_memory, sm.warps, sm.blocks) == (65_536, 96 * 1024, 48, 16)


def test_the_worked_example() -> None:
    answer = on_paper(256, 64, 12)
    assert answer.warps_per_block == 8
    assert {b: v.warps for b, v in answer.limits.items()} == {
        "registers": 32,
        "shared_memory": 64,
        "warps": 48,
        "blocks": 128,
    }
    assert answer.limits["shared_memory"].blocks == 8
    assert (answer.warps, answer.slots, round(answer.percent or 0)) == (32, 48, 67)
    assert answer.limiters == ("registers",)


def test_the_worked_example_as_a_table() -> None:
    assert rows(tables.budgets_on_paper(256, 64, 12)) == [
        ["registers", "⌊65 536 ÷ (256 threads × 64)⌋ = ⌊65 536 ÷ 16 384⌋", "4", "32"],
        ["shared memory", "⌊98 304 B ÷ 12 288 B⌋", "8", "64"],
        ["warp slots", "⌊48 slots ÷ 8⌋", "6", "48"],
        ["block slots", "16 slots", "16", "128"],
    ]


@pytest.mark.parametrize("shared_kib", [0, 1, 3, 6, 11])
def test_shrinking_shared_memory_changes_nothing(shared_kib: int) -> None:
    assert on_paper(256, 64, shared_kib).warps == 32


def test_42_registers_fill_the_sm() -> None:
    assert on_paper(256, 42, 12).warps == 48 and on_paper(256, 43, 12).warps == 40


def test_a_tie() -> None:
    answer = on_paper(256, 64, 24)
    assert (answer.limits["registers"].blocks, answer.limits["shared_memory"].blocks, answer.blocks) == (4, 4, 4)
    assert answer.limiters == ("registers", "shared_memory")
    assert answer.limiter == "registers + shared memory"
    assert on_paper(256, 32, 24).blocks == on_paper(256, 64, 12).blocks == 4


def test_compare_in_whole_blocks() -> None:
    assert 65_536 // (32 * 49) == 41
    answer = on_paper(256, 49, 19)
    assert (answer.limits["registers"].blocks, answer.limits["shared_memory"].blocks) == (5, 5)
    assert answer.limiters == ("registers", "shared_memory") and answer.warps == 40
    assert on_paper(256, 49, 16).warps == 40


# Chapter 3: the calculator.


def test_block_size_is_the_limiter() -> None:
    answer = on_ada(256, 32, 0)
    assert (answer.blocks, answer.warps, answer.slots) == (6, 48, 48)
    assert calculator.headline(answer) == "block size is the limiter · 6 blocks resident"


def test_the_ada_class_sm() -> None:
    sm = paper.ADA
    assert (sm.warps, sm.registers, sm.shared_memory, sm.blocks) == (48, 65_536, 100 * 1024, 24)


def test_the_verdict_depends_on_the_supply() -> None:
    said = [calculator.verdict(on_ada(256, r)) for r in (32, 80, 128, 255)]
    said.append(calculator.verdict(on_ada(1024, 255)))
    words = ("Plenty", "A fair number", "Thin", "Very few", "")
    assert len(set(said)) == len(said)
    assert all(s.startswith(w) for s, w in zip(said, words, strict=True))
    # It speaks of supply: what a scheduler or a stall does, occupancy cannot know.
    assert not any(word in " ".join(said) for word in ("ready", "stall", "always", "enough"))
    assert calculator.headline(on_ada(1024, 255)) == "This launch cannot run"


def test_paper_and_exact_rule_differ_at_42_registers() -> None:
    assert on_ada_paper(256, 42).warps == 48 and on_ada(256, 42).warps == 40


# Chapter 4: the cliffs.

ON_PAPER = [(1, 42, 48), (43, 51, 40), (52, 64, 32), (65, 85, 24), (86, 128, 16), (129, 255, 8)]
ON_ADA = [(1, 40, 48), (41, 48, 40), (49, 64, 32), (65, 80, 24), (81, 128, 16), (129, 255, 8)]


def test_plateaus_on_paper() -> None:
    found = staircase.plateaus(SM().occupancy(Launch(256, 32, 12 * KIB)))
    assert [(p.first, p.last, p.warps) for p in found] == ON_PAPER


def test_plateaus_on_ada() -> None:
    found = staircase.plateaus(nvidia.device("8.9").occupancy(nvidia.Launch(256, 32)))
    assert [(p.first, p.last, p.warps) for p in found] == ON_ADA


@pytest.mark.parametrize(
    ("table", "steps"), [(tables.plateaus_on_paper(256, 12), ON_PAPER), (tables.plateaus_on_ada(256), ON_ADA)]
)
def test_plateaus_as_tables(table: Table, steps: list[tuple[int, int, int]]) -> None:
    assert [row[:2] for row in rows(table)] == [[f"{a}–{b}", str(w)] for a, b, w in steps]


def test_between_two_cliffs_registers_are_free() -> None:
    assert on_paper(256, 53, 12).warps == on_paper(256, 64, 12).warps
    assert (on_paper(256, 50, 12).warps, on_paper(256, 60, 12).warps) == (40, 32)
    assert on_ada(256, 50, 12).warps == on_ada(256, 60, 12).warps


def test_the_chart_draws_the_same_steps() -> None:
    stairs = charts.paper_cliffs(256, 12).datasets["stairs"]
    merged: list[tuple[int, int, int]] = []
    for row in stairs:
        if merged and merged[-1][2] == row["warps"]:
            merged[-1] = (merged[-1][0], row["x2"] - 1, row["warps"])
        else:
            merged.append((row["x"], row["x2"] - 1, row["warps"]))
    assert merged == ON_PAPER


# Chapter 5: the calculator, executable.


def printed() -> list[str]:
    """What each cell of the chapter prints, run one after another as the build does."""
    source = pages.pages()["05-executable/"]
    names, found = cells.namespace(), []
    for cell in re.findall(r"^```cell[^\n]*\n(.*?)^```", source, re.MULTILINE | re.DOTALL):
        outputs, error = cells.run(cell, names)
        assert error is None
        found.append("".join(o["data"] for o in outputs if o["kind"] == "text"))
    return found


def test_the_dozen_lines() -> None:
    first = printed()[0]
    assert first.strip() == "67%, limited by registers"


def test_the_sweep() -> None:
    assert [" ".join(line.split()) for line in printed()[1].splitlines() if line] == [
        "32 registers 12 KiB 100% slots",
        "48 registers 12 KiB 83% registers",
        "64 registers 12 KiB 67% registers",
        "80 registers 12 KiB 50% registers",
        "96 registers 12 KiB 33% registers",
        "112 registers 12 KiB 33% registers",
        "128 registers 12 KiB 33% registers",
        "32 registers 24 KiB 67% shared memory",
        "64 registers 24 KiB 67% registers + shared memory",
    ]


def test_the_sweep_with_the_package() -> None:
    found = [(r, round(on_paper(256, r, 12).percent), on_paper(256, r, 12).limiter) for r in range(32, 129, 16)]
    assert [share for _, share, _ in found] == [100, 83, 67, 50, 33, 33, 33]
    assert [limiter for *_, limiter in found] == ["warp slots", *["registers"] * 6]
    assert on_paper(256, 32, 24).limiter == "shared memory"
    assert on_paper(256, 64, 24).limiter == "registers + shared memory"
    assert round(on_paper(256, 32, 24).percent) == round(on_paper(256, 64, 24).percent) == 67


def test_the_dozen_lines_agree_with_the_package_everywhere() -> None:
    source = re.search(r"^```cell[^\n]*\n(.*?)^```", pages.pages()["05-executable/"], re.MULTILINE | re.DOTALL)
    assert source
    names = cells.namespace()
    with contextlib.redirect_stdout(io.StringIO()):
        exec(source[1], names)
    for threads in (32, 96, 256, 1000, 1024):
        for registers in (16, 42, 49, 64, 255):
            for shared in (0, 12, 19, 96):
                share, _ = names["occupancy"](threads, registers, shared)
                assert share == pytest.approx((on_paper(threads, registers, shared).percent or 0) / 100)


# Chapter 6: Little's law.


def test_bytes_in_flight() -> None:
    assert bytes_in_flight(2000, 400) == 800_000
    need = Supply(2000, 400, 100)
    assert (need.per_sm, need.accesses, need.warps) == (8000, 62.5, 63)
    assert 8 * 1024 // 128 == 64
    assert Supply(2000, 400, 100, loads=2).warps == 32


def test_the_steps_as_a_table() -> None:
    comes_to = [row[2].replace("\u202f", " ") for row in rows(tables.little(2000, 400, 100, 128, 2))]
    assert comes_to == ["800 000 bytes", "8 000 bytes", "62.5", "32"]


def test_a_slope_and_a_roof() -> None:
    need = Supply(2000, 400, 100, loads=2)
    # Half the slope's warps give half its rate; past the knee nothing more.
    assert need.throughput(8) == 2 * need.throughput(4) == 8 * 2 * 128 / 400
    assert need.throughput(32) == need.throughput(48) == 20.0 > need.throughput(31)


def test_arithmetic_needs_few_warps() -> None:
    assert arithmetic_warps(4) == 4 and arithmetic_warps(4, independent=2) == 2
