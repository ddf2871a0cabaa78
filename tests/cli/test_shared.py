"""`occusite shared`: bytes for so many blocks."""

from __future__ import annotations

from occusite import nvidia
from tests.cli.asked import parsed, run

ASKED = ["shared", "-d", "8.6", "-t", "256", "-r", "40"]


def test_a_row_for_each_number_of_blocks() -> None:
    rows = [line.split() for line in run(*ASKED).splitlines()[4:]]
    assert rows[0] == ["6", "0", "16,000", "16,000"]
    assert rows[-1] == ["1", "50,177", "101,376", "101,376"]
    made = parsed(*ASKED)["rooms"]
    launch = nvidia.Launch(256, 40)
    for row in made:
        assert row["available"] == nvidia.device("8.6").available_dynamic_shared(launch, row["blocks"])


def test_a_single_block_per_sm() -> None:
    (row,) = parsed(*ASKED, "--blocks", "1")["rooms"]
    assert (row["least"], row["most"]) == (50_177, 101_376)


def test_a_number_that_no_size_gives() -> None:
    assert "no size makes exactly 7 blocks resident" in run(*ASKED, "--blocks", "7", code=1)
    (row,) = parsed(*ASKED, "--blocks", "7", code=1)["rooms"]
    assert (row["least"], row["most"], row["available"]) == (None, None, None)
    assert "blocks: 0 is not allowed" in run(*ASKED, "--blocks", "0", code=2)
    assert "no size makes any block resident" in run("shared", "-d", "8.6", "-t", "256", "-r", "300", code=1)


def test_another_vendors_memory_has_no_api() -> None:
    text = run("shared", "-d", "gfx942", "--work-items", "256", "--vgprs", "40", "--blocks", "1")
    assert "API" not in text
    assert "bytes:  LDS per work-group, all else as given" in text
    assert text.splitlines()[-1].split() == ["1", "32,769", "65,536"]
