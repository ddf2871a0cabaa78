"""Commands shown on pages print what the command line prints."""

from __future__ import annotations

import pytest

from occusite.book.build import commands


def test_a_command_shows_what_it_prints() -> None:
    shown = commands.command_html("occusite occupancy --jsonl", '{"device": "8.9", "threads": 256, "registers": 64}')
    assert "&quot;blocks&quot;: 4" in shown
    assert "cannot run" in commands.command("occusite occupancy -d 9.0 -t 288 -r 224")
    with pytest.raises(ValueError, match="threads, registers: missing"):
        commands.command("occusite occupancy -d 9.0")
    with pytest.raises(ValueError, match="command: 'rm' is not allowed"):
        commands.command("rm -r x")
