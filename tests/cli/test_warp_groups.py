"""`occusite warp-groups`: whether 24/240/240 fits."""

from __future__ import annotations

import pytest

from tests.cli.asked import parsed, run


@pytest.mark.parametrize("counts", [["24/240/240"], ["24", "240", "240"], ["24,240", "240"]])
def test_it_fits(counts: list[str]) -> None:
    text = run("warp-groups", "-d", "h100 sxm", "-r", "168", *counts)
    assert "pool:   64,512 registers: 3 groups × 128 threads × 168" in text
    assert "answer: fits, 0 registers per thread left for one group" in text


def test_it_does_not() -> None:
    asked = ["warp-groups", "-d", "9.0", "-r", "160", "24/240/240"]
    assert "does not fit: 24 registers per thread too many" in run(*asked, code=1)
    made = parsed(*asked, code=1)
    assert (made["fits"], made["spare"], made["pool"], made["wanted"]) == (False, -24, 61_440, 64_512)


def test_a_block_that_cannot_run() -> None:
    text = run("warp-groups", "-d", "9.0", "-r", "168", "/".join(["24"] * 9), code=1)
    assert "per SM: cannot run: one block does not fit" in text
    assert parsed("warp-groups", "-d", "9.0", "-r", "168", "/".join(["24"] * 9), code=1)["blocks"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-d 9.0 24/240", "registers: missing; give --registers"),
        ("-d 8.9 -r 168 24/240", "setmaxnreg needs compute capability 9.0"),
        ("-d gfx942 -r 168 24/240", "setmaxnreg is NVIDIA's"),
        ("-d 9.0 -r 168 24/x", "groups: 'x' is not allowed; give a whole number of registers"),
        ("-d 9.0 -r 168", "COUNTS: missing; give counts like 24/240/240"),
    ],
)
def test_refused(arguments: str, said: str) -> None:
    assert said in run("warp-groups", *arguments.split(), code=2)
