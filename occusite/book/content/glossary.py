"""The book's words: what `#!t key` in the prose links to, and the entries of the glossary page."""

from __future__ import annotations

import pkgutil
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from occusite.book.content import pages, values
from occusite.book.parts import exercise
from occusite.book.parts.html import Markup
from occusite.book.parts.html import text as html_of

GROUPS = {
    "runs": "What runs",
    "where": "Where it runs",
    "handed": "What is handed out",
    "counted": "How it is counted",
    "waiting": "Waiting, and how much is enough",
    "tools": "Tools",
}

PAGE = "reference/glossary/"


@dataclass(frozen=True, slots=True)
class Term:
    """One word: its other names, what other vendors call it, what it is, the page that explains it, neighbours."""

    key: str
    group: str
    name: str
    text: str
    chapter: str
    see: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    amd: str = ""
    intel: str = ""

    @property
    def heading(self) -> str:
        """The name as a heading."""
        return self.name[0].upper() + self.name[1:] if not self.name.startswith("ptxas") else self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Every name it can be looked up by, its own first."""
        others = (part.strip() for words in (self.amd, self.intel) for part in re.split("[,;]", words) if part.strip())
        return tuple(dict.fromkeys((self.name, *self.also, *others)))

    @property
    def definition(self) -> str:
        """What it is, as HTML, with its numbers filled in as inline values."""
        return str(exercise.rich(_filled(self.text, '<span class="occ-v">{}</span>')))

    @property
    def gist(self) -> str:
        """The first sentence of the definition, as plain text, for a link's title."""
        plain = re.sub(r"[`*]", "", _filled(self.text))
        return re.split(r"(?<=[.:]) (?=[A-Z])", plain)[0]

    def html(self, base: str, titles: dict[str, str]) -> Markup:
        """The entry on the glossary page, under a heading that the search knows it by."""
        others = [escape(", ".join(self.also))] if self.also else []
        others += [f"{who}: {escape(words)}" for who, words in (("AMD", self.amd), ("Intel", self.intel)) if words]
        also = f'<span class="occ-also">{"; ".join(others)}</span>' if others else ""
        links = [f'<a href="#{key}">{escape(term(key).name)}</a>' for key in self.see]
        title = titles.get(f"{self.chapter}/")
        read = f'Explained in <a href="{base}{self.chapter}/">{escape(title)}</a>.' if title else ""
        see = f"See also {', '.join(links)}." if links else ""
        return Markup(
            f'<h3 id="{self.key}">{escape(self.heading)} {also}</h3>{self.definition}'
            f'<p class="occ-see">{" ".join(part for part in (read, see) if part)}</p>'
        )


@cache
def terms() -> dict[str, Term]:
    """Every term by its key, in the order of the file."""
    table: dict[str, dict[str, Any]] = tomllib.loads(
        (pkgutil.get_data("occusite", "data/glossary.toml") or b"").decode()
    )
    return {
        key: Term(key, **row | {name: tuple(row.get(name, ())) for name in ("see", "also")})
        for key, row in table.items()
    }


@cache
def _keys() -> dict[str, str]:
    """The keys of all names, in lower case and as `#!t` spells them."""
    keys: dict[str, str] = {}
    for key, entry in terms().items():
        for name in entry.names:
            keys.setdefault(slug(name), key)
    return keys | {key: key for key in terms()}


def slug(name: str) -> str:
    """A name as `#!t` takes it: lower case, with hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("’", "")).strip("-")


def term(name: str) -> Term:
    """The term of that key or name; `ValueError` for one the file does not have."""
    key = _keys().get(slug(name))
    if key is None:
        raise ValueError(f"term: {name!r} is not in the glossary; give one of {', '.join(terms())}")
    return terms()[key]


def link(name: str, label: str, base: str) -> Markup:
    """A word in the prose, linked to its entry; `base` leads from the page to the site's root."""
    entry = term(name)
    return Markup(
        f'<a class="occ-term" href="{base}{PAGE}#{entry.key}" title="{escape(entry.gist)}">'
        f"{escape(label or entry.name)}</a>"
    )


def group(name: str, base: str) -> Markup:
    """All entries of one group; `base` leads from the page to the site's root."""
    if name not in GROUPS:
        raise ValueError(f"glossary: {name!r} is not a group; give one of {', '.join(GROUPS)}")
    titles = pages.titles()
    return Markup("".join(entry.html(base, titles) for entry in terms().values() if entry.group == name))


def index() -> Markup:
    """Every name in alphabetical order, linked to its entry."""
    names = {name: key for key, entry in terms().items() for name in entry.names}
    items = "".join(
        f'<li><a href="#{names[name]}">{escape(name)}</a></li>'
        for name in sorted(names, key=lambda n: re.sub(r"[^a-z0-9]", "", n.lower()))
    )
    return Markup(f'<ul class="occ-words">{items}</ul>')


def _filled(text: str, frame: str = "{}") -> str:
    """The text with its expressions worked out, each in `frame`."""
    names = dict(vars(values))
    return re.sub(r"\{([^{}]*)\}", lambda match: frame.format(html_of(eval(match[1], names))), text)
