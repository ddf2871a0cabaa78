"""The book's sources: what `#!cite key` in the prose links to, and the entries of the sources page."""

from __future__ import annotations

import pkgutil
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape

from occusite import devices, nvidia
from occusite.book.content import pages
from occusite.book.parts.html import Markup

KINDS = {
    "vendor": "The vendor’s own",
    "paper": "Papers and talks",
    "measurement": "Measurements",
    "table": "Tables and device dumps",
}

PAGE = "reference/sources/"
CITE = re.compile(r"`#!cite ([\w-]+)")


@dataclass(frozen=True, slots=True)
class Source:
    """One source: who, what, when, where, what was taken, and the words that mean it in the package's tables."""

    key: str
    kind: str
    label: str
    author: str
    title: str
    taken: tuple[str, ...]
    data: tuple[str, ...]
    year: int | None = None
    where: str = ""
    url: str = ""

    @property
    def line(self) -> str:
        """The entry as plain text, for a link's title."""
        return ", ".join(str(part) for part in (self.author, f"“{self.title}”", self.where, self.year) if part)

    def html(self, cited: dict[str, str]) -> Markup:
        """The entry as an item of the sources page; `cited`: titles of the pages that cite it, by address."""
        title = f'<a href="{escape(self.url)}">{escape(self.title)}</a>' if self.url else escape(self.title)
        rest = ", ".join(escape(str(part)) for part in (self.where, self.year) if part)
        line = f"{escape(self.author)}: <cite>{title}</cite>{', ' if rest else ''}{rest}."
        links = [f'<a href="{escape(url)}">{escape(name)}</a>' for url, name in cited.items()]
        if self.data and any(self.means(text) for text in stated()):
            links.append("the package’s tables")
        used = f'<p class="occ-source-cited">Cited in {", ".join(links)}.</p>' if links else ""
        taken = "".join(f"<li>{escape(what)}</li>" for what in self.taken)
        return Markup(
            f'<dt id="{self.key}">{escape(self.label)}</dt><dd><p>{line}</p>'
            f'<p class="occ-source-taken">Taken:</p><ul>{taken}</ul>{used}</dd>'
        )

    def means(self, text: str) -> bool:
        """Whether a table's `source` cell means this entry."""
        return any(word in text for word in self.data)


@cache
def sources() -> dict[str, Source]:
    """Every source by its key, in the order of the file."""
    table = tomllib.loads((pkgutil.get_data("occusite", "data/sources.toml") or b"").decode())
    return {
        key: Source(key, **(row | {"taken": tuple(row["taken"]), "data": tuple(row["data"])}))
        for key, row in table.items()
    }


def source(key: str) -> Source:
    """The source of that key; `ValueError` for one the file does not have."""
    if key not in sources():
        raise ValueError(f"cite: {key!r} is not a source; give one of {', '.join(sources())}")
    return sources()[key]


def link(key: str, base: str) -> Markup:
    """A citation: the label in brackets, linked to the entry; `base` leads from the page to the site's root."""
    entry = source(key)
    return Markup(
        f'<a class="occ-cite" href="{base}{PAGE}#{key}" title="{escape(entry.line)}">[{escape(entry.label)}]</a>'
    )


def entries(kind: str, base: str) -> Markup:
    """All entries of one kind, each with the pages that cite it."""
    if kind not in KINDS:
        raise ValueError(f"sources: {kind!r} is not a kind; give one of {', '.join(KINDS)}")
    cited = citing()
    listed = (
        entry.html({base + url: title for url, title in cited.get(entry.key, {}).items()})
        for entry in sources().values()
        if entry.kind == kind
    )
    return Markup(f'<dl class="occ-sources">{"".join(listed)}</dl>')


def citing() -> dict[str, dict[str, str]]:
    """For each key the pages that cite it: their titles by their addresses below the site's root."""
    by_key: dict[str, dict[str, str]] = {}
    titles = pages.titles()
    for url, text in pages.pages().items():
        for key in dict.fromkeys(CITE.findall(text)):
            by_key.setdefault(key, {})[url] = titles[url]
    return by_key


@cache
def stated() -> tuple[str, ...]:
    """Every text by which the package's tables name a source."""
    return tuple(dict.fromkeys(_stated()))


def _stated() -> Iterator[str]:
    yield from nvidia.SOURCES.values()
    for gpu in devices.gpus():
        yield gpu.source
        yield from gpu.cells.values()
        if gpu.confirmed_by:
            yield gpu.confirmed_by
        yield from (entry.source for entry in gpu.latency)
