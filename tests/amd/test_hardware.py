"""The hardware's rule and HIP's call: HIP's rows, and launches that people got wrong."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest

from occusite import amd
from occusite.amd.device import Device
from occusite.model import Occupancy

DATA = Path(__file__).parents[1] / "data" / "amd"
with (DATA / "hip.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
# Rows that the rule by documents answers with a wave per SIMD less: the trap handler takes 16 SGPRs of each wave.
TRAPPED = {"sgpr112": 75, "sgpr96": 87.5, "sgpr97": 75, "sgpr100": 75, "sgpr_vgpr_tie": 75}


def asked(row: dict[str, str], rules: str) -> Occupancy:
    names = ("block", "arch_vgpr", "sgpr", "lds_bytes", "acc_vgpr")
    return amd.device(row["gfx"], rules).occupancy(amd.Launch(*(int(row[name]) for name in names)))


def of_work_items(answer: Occupancy) -> float:
    """Occupancy in work-items, as HIP counts it: a part of a wave does not count."""
    device = answer.device
    assert isinstance(device, Device)
    return float(
        100 * Fraction(answer.blocks * answer.launch.work_items, answer.slots * device.wave_size(answer.launch))
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['name']}-{row['gfx']}")
def test_hip_rows(row: dict[str, str]) -> None:
    expected = float(row["expected_thread_occupancy_pct"])
    if row["name"] == "lds_over_cap":
        # The source counts at least one work-group; one with more LDS than it may take cannot be launched.
        assert asked(row, "hip").reason == "81,920 bytes of LDS, a work-group may take 65,536"
        return
    assert of_work_items(asked(row, "hip")) == expected
    assert of_work_items(asked(row, "hardware")) == TRAPPED.get(row["name"], expected)


def test_hip_rows_are_all_there() -> None:
    assert len(ROWS) == 22
    assert {row["name"] for row in ROWS} >= TRAPPED.keys()


@pytest.mark.parametrize(
    ("target", "rules", "launch", "blocks", "warps", "limiters"),
    [
        ("gfx942", "hardware", amd.Launch(256, 5, agprs=128), 3, 12, ("vgprs",)),
        ("gfx942", "hardware", amd.Launch(256, 128, agprs=128), 2, 8, ("vgprs",)),
        ("gfx950", "hardware", amd.Launch(64, 36, agprs=32), 28, 28, ("vgprs",)),
        ("gfx950", "llvm-24", amd.Launch(64, 36, agprs=32), 28, 28, ("vgprs",)),
        ("gfx942", "hardware", amd.Launch(320, 4), 6, 30, ("waves",)),
        ("gfx908", "llvm-22", amd.Launch(1024, 4, least_work_items=1), 2, 40, ("waves",)),
        ("gfx906", "llvm-22", amd.Launch(64, 4, 80), 40, 40, ("waves",)),
        ("gfx906", "llvm-22", amd.Launch(64, 4, 81), 36, 36, ("sgprs",)),
        ("gfx906", "llvm-24", amd.Launch(64, 4, 80), 32, 32, ("sgprs",)),
        ("gfx906", "llvm-24", amd.Launch(64, 4, 81), 28, 28, ("sgprs",)),
        ("gfx1100", "hardware", amd.Launch(64, 96, 66), 32, 64, ("vgprs", "waves", "groups")),
        ("gfx1100", "hardware", amd.Launch(64, 96, 102), 32, 64, ("vgprs", "waves", "groups")),
        ("gfx1101", "hardware", amd.Launch(32, 96), 64, 64, ("vgprs", "waves")),
        ("gfx1151", "llvm-24", amd.Launch(32, 96), 64, 64, ("vgprs", "waves")),
        ("gfx1102", "hardware", amd.Launch(32, 96), 40, 40, ("vgprs",)),
        ("gfx1103", "llvm-22", amd.Launch(32, 96), 40, 40, ("vgprs",)),
        ("gfx1150", "hardware", amd.Launch(32, 96), 40, 40, ("vgprs",)),
        ("gfx942", "hardware", amd.Launch(256, 4, 14, 13_000), 4, 16, ("lds",)),
        ("gfx90a", "hardware", amd.Launch(512, 160), 1, 8, ("vgprs",)),
        ("gfx90a", "llvm-22", amd.Launch(512, 160), 1, 12, ("vgprs",)),
        ("gfx1030", "hardware", amd.Launch(256, 32, lds=64 * 1024), 2, 16, ("lds",)),
        ("gfx1030", "hardware", amd.Launch(256, 32, lds=40 * 1024), 3, 24, ("lds",)),
        ("gfx1030", "hardware", amd.Launch(256, 32, lds=40 * 1024, cu_mode=True), 2, 16, ("lds",)),
        ("gfx1100", "hardware", amd.Launch(256, 96, wave_size=64), 8, 32, ("vgprs",)),
    ],
)
def test_launches_people_got_wrong(
    target: str, rules: str, launch: amd.Launch, blocks: int, warps: int, limiters: tuple[str, ...]
) -> None:
    answer = amd.device(target, rules).occupancy(launch)
    assert (answer.blocks, answer.warps, answer.limiters) == (blocks, warps, limiters)


def test_hip_counts_fewer_waves_on_two_targets() -> None:
    for target, slots in (("gfx906", 32), ("gfx908", 32), ("gfx90a", 32)):
        assert amd.device(target, "hip").slots == slots
    assert amd.device("gfx906").slots == 40
    assert amd.device("gfx906", "hip").occupancy(amd.Launch(256, 4)).warps == 32
