"""Sources, glossary, disagreements: complete, consistent, and tied to the package's own numbers."""

from __future__ import annotations

import re

import pytest

from occusite.book.content import bibliography, disagreements, glossary
from occusite.book.parts.html import Table

SOURCES = bibliography.sources()
TERMS = glossary.terms()
ROWS = [(kind, row) for kind, rows in disagreements.disagreements().items() for row in rows]


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
    said = {key for _, row in ROWS for key in row["says"]}
    for key, entry in SOURCES.items():
        tables = any(entry.means(text) for text in bibliography.stated())
        assert key in cited or key in said or tables, f"nothing is taken from {key}"


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValueError, match=r"cite: 'nobody' is not a source; give one of header"):
        bibliography.link("nobody", "")
    with pytest.raises(ValueError, match=r"term: 'nothing' is not in the glossary; give one of kernel"):
        glossary.link("nothing", "", "")
    with pytest.raises(ValueError, match=r"'poem' is not a kind; give one of vendor"):
        bibliography.entries("poem", "")
    with pytest.raises(ValueError, match=r"'misc' is not a group; give one of runs"):
        glossary.group("misc", "")


def test_a_link_leads_to_its_entry_and_says_what_it_is() -> None:
    assert bibliography.link("little", "../") == (
        '<a class="occ-cite" href="../reference/sources/#little" title="J. D. C. Little, '
        '“A Proof for the Queuing Formula: L = λW”, Operations Research 9 (3), 1961">[Little 1961]</a>'
    )
    assert glossary.link("warp", "warps", "../").startswith(
        '<a class="occ-term" href="../reference/glossary/#warp" title="'
    )
    assert "32 threads of one block" in glossary.link("warp", "", "")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        *[
            ("CTA", "block"),
            ("thread block", "block"),
            ("work-group", "block"),
            ("wavefront", "warp"),
            ("wave", "warp"),
        ],
        *[("sub-group", "warp"), ("LDS", "shared-memory"), ("SLM", "shared-memory"), ("compute unit", "sm")],
        *[("limiter", "binding"), ("eligible", "ready"), ("VGPR", "register")],
    ],
)
def test_a_word_is_found_by_what_others_call_it(name: str, key: str) -> None:
    assert glossary.term(name).key == key
    assert f'href="#{key}">{name}</a>' in glossary.index()


@pytest.mark.parametrize("key", TERMS)
def test_a_term_is_whole(key: str) -> None:
    entry = TERMS[key]
    assert entry.group in glossary.GROUPS and entry.chapter and set(entry.see) <= set(TERMS) - {key}
    assert entry.text.endswith(".") and "{" not in entry.gist and "<" not in entry.gist
    prose = re.sub(r"<span class=\"occ-v\">.*?</span>|<code>.*?</code>|L1", "", entry.definition)
    assert not re.search(r"\d", prose), "a number that was typed"


def test_no_name_means_two_things() -> None:
    owners: dict[str, set[str]] = {}
    for key, entry in TERMS.items():
        for name in entry.names:
            owners.setdefault(glossary.slug(name), set()).add(key)
    assert {name: keys for name, keys in owners.items() if len(keys) > 1} == {}


@pytest.mark.parametrize(("kind", "row"), ROWS, ids=[f"{r['of']} {r['about']}" for _, r in ROWS])
def test_the_package_follows_one_of_the_sources(kind: str, row: dict) -> None:  # type: ignore[type-arg]
    assert set(row["says"]) <= set(SOURCES) and row["why"].endswith(".")
    followed = str(disagreements.followed(row)).replace("\u202f", " ").removesuffix(".0")
    said = [re.sub(r"(?<=\d),(?=\d{3})", "", text) for text in row["says"].values()]
    if row["about"] != "the number itself":
        assert any(re.search(rf"(?<![\d.]){re.escape(followed)}(?![\d.]*\d)", text) for text in said), (followed, said)
        assert len(set(said)) > 1 or any(len(re.findall(r"\d[\d.]*", text)) > 1 for text in said), "no disagreement"


def test_tables_of_disagreements() -> None:
    limits = disagreements.table("architecture", "../../")
    assert isinstance(limits, Table) and len(limits.rows) == sum(kind == "architecture" for kind, _ in ROWS)
    assert 'href="../../reference/sources/#blackwell"' in limits.html()
    measured = disagreements.latencies("").rows
    a100 = next(row for row in measured if row[0] == "GA100")
    assert "[Abdelkhalik 2022]" in str(a100[1]) and "[MT4G]" in str(a100[1])
    assert str(a100[2]) == f"{640 / 290:.1f} ×"
