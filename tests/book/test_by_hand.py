"""The tests' own arithmetic is right: every row of the vendor header's answers that it can be asked."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from tests.book.by_hand import CHIPS, limits, resident

GOLDEN = Path(__file__).parents[1] / "data" / "nvidia" / "golden.csv.gz"


def test_it_says_what_the_header_says() -> None:
    asked = 0
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            number = {key: int(value) for key, value in row.items() if key != "cc"}
            if row["cc"] not in CHIPS or number["smem_static"] or number["carveout"] != -1 or number["regs"] > 255:
                continue
            launch = (row["cc"], number["threads"], number["regs"], number["smem_dynamic"])
            found = limits(*launch)
            told = {"registers": "regs", "shared_memory": "smem", "warps": "warps", "blocks": "blocks"}
            for budget, column in told.items():
                told_limit = number[f"limit_{column}"]
                assert (-1 if found[budget] is None else found[budget]) == told_limit, (row, budget)
            assert resident(*launch) == number["active_blocks"], row
            asked += 1
    assert asked > 500
