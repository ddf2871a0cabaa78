"""The compiler's rule against what LLVM 22 and 24 printed for compiled kernels."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from occusite import amd
from occusite.amd import compiler
from occusite.amd.device import Device

DATA = Path(__file__).parents[1] / "data" / "amd"


def rows() -> list[dict[str, Any]]:
    with gzip.open(DATA / "llvm.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


ROWS = rows()


def launch_of(row: dict[str, Any]) -> amd.Launch:
    """The row's launch; a kernel without bounds takes 1 to 1,024 work-items."""
    asked = row["waves_attr"] or [None]
    return amd.Launch(
        row["workgroup_size"] or 1024,
        row["vgprs"],
        row["sgprs"],
        row["lds_bytes"],
        row["agprs"] or 0,
        row["wave_size"],
        bool(row["cu_mode"]),
        row["workgroup_size_min"] or 1,
        asked[0],
        asked[1] if len(asked) > 1 else None,
    )


def waves_per_simd(device: Device, launch: amd.Launch) -> int:
    answer = device.occupancy(launch)
    assert answer.warps % 4 == 0
    return answer.warps // 4


def test_rows_are_all_there() -> None:
    assert len(ROWS) == 10_624
    assert {row["gfx"] for row in ROWS} == set(amd.TARGETS)
    assert sum(row["tool"].startswith("llc 22.1.8") for row in ROWS) == 5_342


@pytest.mark.parametrize("rules", ["llvm-22", "llvm-24"])
def test_every_row_is_equal(rules: str) -> None:
    devices = {target: amd.device(target, rules) for target in amd.TARGETS}
    wrong, asked = [], 0
    for row in ROWS:
        newer = "LLVM 24" in row["tool"]
        said = row["occupancy_waves_per_eu"] if newer == (rules == "llvm-24") else row.get("llvm22_occupancy")
        if said is None:
            continue
        asked += 1
        found = waves_per_simd(devices[row["gfx"]], launch_of(row))
        if found != said:
            wrong.append((found, said, row))
    assert asked == {"llvm-22": 10_624, "llvm-24": 5_282}[rules]
    assert not wrong, (len(wrong), wrong[:3])


def test_raised_register_counts_are_equal() -> None:
    for row in ROWS:
        target = amd.TARGETS[row["gfx"]]
        found = compiler.count(target, launch_of(row), row["wave_size"], "LLVM 24" in row["tool"])
        assert found.vgprs_raised == row["vgprs_for_waves"], row
        if target.sgprs:
            assert found.sgprs_raised == row["sgprs_for_waves"], row
