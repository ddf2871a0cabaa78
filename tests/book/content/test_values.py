"""Inline values: short names for the answers that sentences quote."""

from __future__ import annotations

import pytest

from occusite import nvidia, paper
from occusite.book.content import values
from occusite.book.parts.html import THIN, Markup


def test_shared_memory_is_in_kib() -> None:
    assert values.on_paper(256, 64, 12).launch == paper.Launch(256, 64, 12 * 1024)
    assert values.on_ada(256, 64, 12).launch == nvidia.Launch(256, 64, dynamic_shared=12 * 1024)
    assert values.on_cc("9.0", 256, 64, 12, barriers=2).launch == nvidia.Launch(
        256, 64, dynamic_shared=12 * 1024, barriers=2
    )


def test_the_budget_that_binds_has_its_colour() -> None:
    said = values.limiter(values.on_paper(256, 64, 12))
    assert isinstance(said, Markup) and "occ-budget--registers" in said and ">registers<" in said


def test_sizes_and_shares() -> None:
    assert values.kib(12 * 1024) == f"12{THIN}KiB" and values.kib(512) == f"0.5{THIN}KiB"
    assert values.pct(values.on_paper(256, 64, 12)) == f"67{THIN}%"


@pytest.mark.parametrize(("warps", "registers"), [(48, 42), (40, 51), (33, 51), (32, 64), (8, 255)])
def test_most_registers(warps: int, registers: int) -> None:
    assert values.most_registers(warps) == registers


def test_most_registers_on_ada() -> None:
    assert values.most_registers_on_ada(48) == 40 and values.most_registers_on_ada(48, 128) == 40


@pytest.mark.parametrize("registers", [1, 42, 43, 255])
def test_the_step_a_value_stands_on(registers: int) -> None:
    found = values.plateau(registers)
    assert found.first <= registers <= found.last and found.warps == values.on_paper(256, registers, 12).warps


def test_a_line_of_the_working() -> None:
    assert values.step(values.on_paper(200, 64), "warps per block") == 7
