"""The reference pages: complete tables, and a page for the command line that forgets no command and no field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from occusite import nvidia
from occusite.book.content import reference
from occusite.cli.app import COMMANDS
from occusite.devices import gpus

PAGES = Path(__file__).parents[3] / "docs" / "reference"


def test_every_capability_has_a_row_in_each_table() -> None:
    for table in (
        reference.limits_per_capability(),
        reference.units_per_capability(),
        reference.sources_per_capability(),
    ):
        assert [row[0] for row in table.rows] == list(nvidia.CHIPS)
        assert all(len(row) == len(table.columns) for row in table.rows)
    named = {source for row in reference.sources_per_capability().rows for source in str(row[2]).split(", ")}
    assert named == {row[0] for row in reference.source_list().rows}


def test_every_gpu_is_listed_once_and_every_family_is_on_the_page() -> None:
    listed = [row[0] for family in reference.families() for row in reference.named_gpus(family).rows]
    assert sorted(map(str, listed)) == sorted(gpu.name for gpu in gpus())
    page = (PAGES / "gpus.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r'named_gpus\("(.*)"\)', page)) == sorted(reference.families())
    with pytest.raises(ValueError, match=r"^family: 'Tesla' is not allowed; give one of Kepler"):
        reference.named_gpus("Tesla")


def test_doubts_and_sources_are_told() -> None:
    notes = {row[0]: str(row[1]) for row in reference.gpu_notes().rows}
    for gpu in gpus():
        assert ("unconfirmed: " in notes.get(gpu.name, "")) == bool(gpu.unconfirmed)
        assert gpu.source.startswith("https://") or gpu.source.split()[0] in notes[gpu.name]
    assert len(reference.latencies().rows) == sum(len(gpu.latency) for gpu in gpus())


def test_older_headers_answer_as_the_table_says() -> None:
    rows = {row[0]: row for row in reference.header_versions().rows}
    capability, versions, then, now = rows["10.3"]
    first, last = versions.split("–")
    for version, said in ((first, then), (last, then), (nvidia.HEADER, now)):
        assert f"{nvidia.device(capability, version).allocation.barriers} barriers" == said


def test_the_page_shows_every_command_and_every_field() -> None:
    page = (PAGES / "cli.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"occusite {command} --help" in page
        assert f"## {command}\n" in page
    for field in ("device", "limits", "limiters", "allocated", "waves", "clusters"):
        assert f"`{field}`" in page
    assert 'launch_fields("nvidia")' in page


def test_every_field_of_a_launch_is_a_row() -> None:
    rows = reference.launch_fields("nvidia").rows
    assert [re.sub("<[^>]+>", "", str(row[0])) for row in rows] == [field.name for field in nvidia.Launch.FIELDS]
    assert [row[3] for row in rows][:4] == ["required", "required", "0", "0"]
