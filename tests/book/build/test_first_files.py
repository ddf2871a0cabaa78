"""The files of first answers: named by their content, put beside the pages that name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from occusite.book.build import first_files


def test_a_table_is_kept_under_its_contents_name_and_placed_where_a_page_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_files, "CACHE", tmp_path / "cache")
    one, other = first_files.keep('{"a":1}', "calculator"), first_files.keep('{"a":2}', "calculator")
    assert one != other
    assert one == first_files.keep('{"a":1}', "calculator")
    page = f'<form class="occ-widget" data-first="{one}"></form><form data-first="{one}"></form>'
    first_files.place(page, tmp_path / "site")
    placed = list((tmp_path / "site" / "assets" / "first").iterdir())
    assert [file.name for file in placed] == [one]
    assert placed[0].read_text() == '{"a":1}'
    first_files.place("<p>no widget</p>", tmp_path / "site")
