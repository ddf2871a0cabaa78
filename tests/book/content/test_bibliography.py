"""The sources: complete, each used, and every one that a table names has its entry."""

from __future__ import annotations

import pytest

from occusite.book.content import bibliography, disagreements

SOURCES = bibliography.sources()
SAID = {key for rows in disagreements.disagreements().values() for row in rows for key in row["says"]}


@pytest.mark.parametrize("key", SOURCES)
def test_a_source_is_whole(key: str) -> None:
    entry = SOURCES[key]
    assert entry.kind in bibliography.KINDS
    assert entry.author and entry.title and entry.taken
    assert all(what.endswith(".") and what[0].isupper() for what in entry.taken)
    assert entry.url.startswith("https://") or not entry.url
    if entry.kind == "paper":
        assert entry.year and entry.where and entry.url
        assert str(entry.year) in entry.label
    assert str(entry.title) in entry.line


def test_every_source_the_tables_name_has_an_entry() -> None:
    assert len(bibliography.stated()) > 100
    for text in bibliography.stated():
        assert any(entry.means(text) for entry in SOURCES.values()), f"no entry means {text!r}"


def test_every_entry_is_used() -> None:
    cited = set(bibliography.citing())
    for key, entry in SOURCES.items():
        tables = any(entry.means(text) for text in bibliography.stated())
        assert key in cited or key in SAID or tables, f"nothing is taken from {key}"


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValueError, match=r"cite: 'nobody' is not a source; give one of header"):
        bibliography.link("nobody", "")
    with pytest.raises(ValueError, match=r"'poem' is not a kind; give one of vendor"):
        bibliography.entries("poem", "")


def test_a_link_leads_to_its_entry_and_says_what_it_is() -> None:
    assert bibliography.link("little", "../") == (
        '<a class="occ-cite" href="../reference/sources/#little" title="J. D. C. Little, '
        '“A Proof for the Queuing Formula: L = λW”, Operations Research 9 (3), 1961">[Little 1961]</a>'
    )
