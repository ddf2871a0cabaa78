"""The rule against the vendor's calculator, and launches that people got wrong."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from occusite import intel

DATA = Path(__file__).parents[1] / "data" / "intel"
KIB = 1024
with gzip.open(DATA / "golden.csv.gz", "rt", encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))


def test_every_row_is_equal() -> None:
    refused = 0
    for row in ROWS:
        launch = intel.Launch(
            int(row["work_group"]),
            int(row["subgroup"]),
            int(row["slm_kb_asked"]) * KIB,
            row["barrier"] == "1",
            row["large_grf"] == "1",
        )
        answer = intel.device(row["code"]).occupancy(launch)
        assert answer.blocks == int(row["work_groups_per_core"]), row
        assert answer.warps_per_block == int(row["threads_per_group"]), row
        assert answer.allocated["slm_per_block"] == int(row["slm_kb_allocated"]) * KIB, row
        assert (answer.percent or 0) == pytest.approx(float(row["occupancy_percent"]), abs=1e-9), row
        refused += not answer.runs
        assert bool(answer.reason) == (not answer.runs), row
    assert (len(ROWS), refused) == (8_692, 168)


def test_every_architecture_has_rows() -> None:
    assert {row["code"] for row in ROWS} == set(intel.ARCHITECTURES)


@pytest.mark.parametrize(
    ("name", "launch", "blocks", "percent", "limiters"),
    [
        ("pvc", intel.Launch(1024, 32), 2, 100, ("threads",)),
        ("pvc", intel.Launch(1024, 16, large_grf=True), 0, None, ("threads",)),
        ("pvc", intel.Launch(256, 32, 40 * KIB), 2, 25, ("slm",)),
        ("dg2", intel.Launch(256, 16, 20 * KIB), 4, 50, ("slm",)),
        ("pvc", intel.Launch(512, 16, large_grf=True), 1, 50, ("threads",)),
        ("gen9", intel.Launch(8, 8, barrier=True), 32, 100 * 32 / 56, ("barriers",)),
    ],
)
def test_launches_people_got_wrong(
    name: str, launch: intel.Launch, blocks: int, percent: float | None, limiters: tuple[str, ...]
) -> None:
    answer = intel.device(name).occupancy(launch)
    assert (answer.blocks, answer.percent, answer.limiters) == (blocks, percent, limiters)
