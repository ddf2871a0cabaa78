"""`occusite stack`: memory reserved for stacks."""

from __future__ import annotations

from tests.cli.asked import parsed, run


def test_values() -> None:
    text = run("stack", "-d", "rtx 4090", "--bytes", "10000")
    assert "reserved: at least 1,966,080,000 bytes (1,875 MiB)" in text
    assert parsed("stack", "-d", "H100 SXM")["at_least"] == 264 * 2**20
    assert parsed("stack", "-d", "H100 SXM", "-b", "2KiB")["at_least"] == 528 * 2**20


def test_refused() -> None:
    assert "device: missing" in run("stack", code=2)
    assert "is not allowed; give an NVIDIA GPU" in run("stack", "-d", "gfx942", code=2)
    assert "bytes: '-3' is not allowed" in run("stack", "-d", "8.9", "--bytes=-3", code=2)
