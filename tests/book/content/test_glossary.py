"""The glossary: every term whole, found by what others call it, and no name with two meanings."""

from __future__ import annotations

import re

import pytest

from occusite.book.content import glossary

TERMS = glossary.terms()


@pytest.mark.parametrize("key", TERMS)
def test_a_term_is_whole(key: str) -> None:
    entry = TERMS[key]
    assert entry.group in glossary.GROUPS and entry.chapter and set(entry.see) <= set(TERMS) - {key}
    assert entry.text.endswith(".") and "{" not in entry.gist and "<" not in entry.gist
    prose = re.sub(r"<span class=\"occ-v\">.*?</span>|<code>.*?</code>|L1", "", entry.definition)
    assert not re.search(r"\d", prose), "a number that was typed"


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


def test_no_name_means_two_things() -> None:
    owners: dict[str, set[str]] = {}
    for key, entry in TERMS.items():
        for name in entry.names:
            owners.setdefault(glossary.slug(name), set()).add(key)
    assert {name: keys for name, keys in owners.items() if len(keys) > 1} == {}


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match=r"term: 'nothing' is not in the glossary; give one of kernel"):
        glossary.link("nothing", "", "")
    with pytest.raises(ValueError, match=r"'misc' is not a group; give one of runs"):
        glossary.group("misc", "")


def test_a_link_leads_to_its_entry_and_says_what_it_is() -> None:
    assert glossary.link("warp", "warps", "../").startswith(
        '<a class="occ-term" href="../reference/glossary/#warp" title="'
    )
    assert "32 threads of one block" in glossary.link("warp", "", "")
