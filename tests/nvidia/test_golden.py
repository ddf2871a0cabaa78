"""Golden rows from the vendor's header: every output, with no C compiler needed."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from occusite import nvidia
from tests.nvidia.header import ORDER, Row, answer_row, without_stale_bits

DATA = Path(__file__).parents[1] / "data" / "nvidia"


def rows() -> list[dict[str, Any]]:
    with gzip.open(DATA / "golden_full.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [row for line in lines if "header" not in (row := json.loads(line))]


ROWS = rows()


def size_function(row: dict[str, Any]) -> Any:
    """The row's dynamic shared memory as a function of the block size; None: the launch's own, fixed."""
    if row["pot"]["fn"] is None:
        return None
    base, per_thread, per_warp = row["pot"]["fn"]
    warp = Row(*row["in"]).warp_size
    return lambda threads: base + per_thread * threads + per_warp * -(-threads // warp)


def kind(row: dict[str, Any]) -> str:
    """Which of the tests below a row belongs to."""
    question = Row(*row["in"])
    if row["st"]:
        return "invalid"
    if question.refused_field():
        return "refused"
    return "overflow" if row["ub"] or question.overflows() else "answered"


def of_kind(name: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if kind(row) == name]


def test_rows_are_all_there() -> None:
    assert len(ROWS) == 10_000
    counts = {name: len(of_kind(name)) for name in ("answered", "invalid", "refused", "overflow")}
    assert counts == {"answered": 9405, "invalid": 253, "refused": 268, "overflow": 74}


def test_answered_rows_are_equal_in_every_output() -> None:
    for row in of_kind("answered"):
        question = Row(*row["in"])
        device, launch = question.device(), question.launch()
        found = device.occupancy(launch)
        assert answer_row(found, question.partitioned_caching) == without_stale_bits(row["out"]), row
        assert bool(found.reason) == (found.blocks == 0), row
        count = device.block_counter(launch)
        assert count(launch.threads, launch.registers, launch.dynamic_shared) == found.blocks, row


def test_block_size_search_is_equal() -> None:
    for row in of_kind("answered"):
        question = Row(*row["in"])
        found = question.device().potential_block_size(question.launch(), size_function(row), question.max_threads)
        assert [0, found.min_grid, found.threads] == row["pot"]["res"], row


def test_available_dynamic_shared_memory_is_equal() -> None:
    for row in of_kind("answered"):
        question = Row(*row["in"])
        blocks, (status, size) = row["avail"]["numBlocks"], row["avail"]["res"]
        device, launch = question.device(), question.launch()
        if status:
            with pytest.raises(ValueError, match=r"^blocks: "):
                device.available_dynamic_shared(launch, blocks)
        elif question.room_underflows(blocks):
            assert device.available_dynamic_shared(launch, blocks) == 0
        else:
            assert device.available_dynamic_shared(launch, blocks) == size, row


def test_header_13_0_is_equal_too() -> None:
    """The rows also say where CUDA 13.0's header answers otherwise; the others are as above."""
    different = 0
    for row in of_kind("answered"):
        question, other = Row(*row["in"]), row.get("v13_0", {})
        different += bool(other)
        if other.get("st") == 2:
            with pytest.raises(ValueError, match=r"^compute_capability: .* to header 13.0"):
                replace(question.device(), header="13.0")
            continue
        device, launch = replace(question.device(), header="13.0"), question.launch()
        answer = answer_row(device.occupancy(launch), question.partitioned_caching)
        assert answer == without_stale_bits(other.get("out", row["out"])), row
        best = device.potential_block_size(launch, size_function(row), question.max_threads)
        assert [0, best.min_grid, best.threads] == other.get("pot", row["pot"]["res"]), row
        blocks, (status, size) = row["avail"]["numBlocks"], other.get("avail", row["avail"]["res"])
        if not status and not question.room_underflows(blocks):
            assert device.available_dynamic_shared(launch, blocks) == size, row
    assert different > 1000


def test_invalid_rows_raise() -> None:
    for row in of_kind("invalid"):
        question = Row(*row["in"])
        with pytest.raises(ValueError, match=r"^\w+: .* (is|are) not (allowed|known)"):
            launch, device = question.launch(), question.device()
            device.occupancy(launch)
            device.potential_block_size(launch, None, question.max_threads)


def test_refused_rows_raise_naming_the_field() -> None:
    for row in of_kind("refused"):
        question = Row(*row["in"])
        with pytest.raises(ValueError, match=rf"^{question.refused_field()}: "):
            question.device().occupancy(question.launch())


def test_overflowing_rows_run_nothing() -> None:
    """The header's 32-bit sums wrap on these absurd sizes; the sane answer is that one block does not fit."""
    for row in of_kind("overflow"):
        question = Row(*row["in"])
        found = question.device().occupancy(question.launch())
        assert found.blocks == 0, row
        assert found.reason.startswith("one block does not fit"), row


def test_every_limit_of_the_small_table() -> None:
    """6,510 launches on the devices `nvidia.device` gives, with every limit."""
    with gzip.open(DATA / "golden.csv.gz", "rt", encoding="utf-8") as lines:
        table = list(csv.DictReader(lines))
    assert len(table) == 6510
    for text in table:
        row = {key: int(value) for key, value in text.items() if key != "cc"}
        device = nvidia.device(text["cc"])
        if text["cc"] == "10.7":
            # These rows have the oversized shared memory mode on.
            device = replace(device, shared_memory_per_sm=328 * 1024, shared_memory_per_block_opt_in=327 * 1024)
        carveout = None if row["carveout"] == -1 else row["carveout"]
        launch = nvidia.Launch(row["threads"], row["regs"], row["smem_static"], row["smem_dynamic"], carveout=carveout)
        found = device.occupancy(launch)
        limits = {b: -1 if found.limits[b].blocks is None else found.limits[b].blocks for b in ORDER}
        assert limits["warps"] == row["limit_warps"], text
        assert limits["blocks"] == row["limit_blocks"], text
        assert limits["registers"] == row["limit_regs"], text
        assert limits["shared_memory"] == row["limit_smem"], text
        assert limits["barriers"] == row["limit_barriers"], text
        assert (found.blocks, found.warps) == (row["active_blocks"], row["active_warps"]), text
        assert found.allocated["registers_per_block"] == row["regs_alloc_per_block"], text
        assert found.allocated["shared_memory_per_block"] == row["smem_alloc_per_block"], text
