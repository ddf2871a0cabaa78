"""Chapters and notebooks, each made from the other: a notebook as a page, a page as a notebook for the reader's Jupyter."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import urljoin

import nbformat
import yaml

from occusite.book.content import bibliography, glossary, tables, values
from occusite.book.parts import html

FENCE = re.compile(r"^(`{3,})(?P<kind>\w*)(?P<options>[^\n`]*)\n(?P<body>.*?)^\1[ ]*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
NOTE = re.compile(r"^(?:!!!|\?\?\?\+?) \w+ \"(.*)\"\n((?:(?: {4}.*)?\n)*)", re.MULTILINE)
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)\s]+)")
HEAD = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}

# What stands in a notebook for the parts of a page that live on the page.
ON_THE_PAGE = ("widget", "chart", "exercise", "predict", "progress", "listing", "cli")


def to_markdown(notebook: nbformat.NotebookNode) -> str:
    """The page of a notebook: its text as it stands, its code as `cell` fences, `title` and `description` in front."""
    meta = {name: notebook.metadata[name] for name in ("title", "description") if name in notebook.metadata}
    parts = [f"---\n{yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=1000)}---"]
    for cell in notebook.cells:
        parts.append(f"```cell\n{cell.source}\n```" if cell.cell_type == "code" else cell.source)
    return "\n\n".join(parts) + "\n"


def from_markdown(page: str, site: str, source: str, url: str) -> nbformat.NotebookNode:
    """The notebook of a page: its cells as code, the rest as text that any Jupyter can show.

    `site`: the address of the site; `source` and `url`: the page's file and its own address, below that.
    """
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook(metadata=HEAD)

    def add(make: Callable[..., nbformat.NotebookNode], text: str, **metadata: object) -> None:
        if text.strip():
            notebook.cells.append(make(text.strip("\n"), id=f"part-{len(notebook.cells) + 1}", metadata=metadata))

    def add_text(text: str) -> None:
        add(nbformat.v4.new_markdown_cell, portable(text, urljoin(site, source), urljoin(site, url)))

    last = 0
    for match in FENCE.finditer(page):
        if match["kind"] == "cell":
            add_text(page[last : match.start()])
            tags = {"tags": ["raises-exception"]} if "expect=" in match["options"] else {}
            add(nbformat.v4.new_code_cell, match["body"], **tags)
            last = match.end()
    add_text(page[last:])
    return notebook


def portable(text: str, source: str, address: str) -> str:
    """The book's Markdown in what Jupyter knows: values and tables computed, links made absolute.

    `source` is the address links start from, `address` that of the page.
    """
    text = FENCE.sub(lambda m: _fence(m["kind"], m["body"], address) or m[0], text)
    text = CODE.sub(_inline, text)
    text = NOTE.sub(lambda m: f"**{m[1]}**\n\n" + re.sub(r"^ {4}", "", m[2], flags=re.MULTILINE), text + "\n")
    text = re.sub(r"^/// caption\n(.*?)\n///$", r"*\1*", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^: {3}", "&emsp;", text, flags=re.MULTILINE)
    text = re.sub(r"[ \n]*\{[ ]?[.#][^{}\n]*\}", "", text)
    numbers: dict[str, int] = {}
    text = re.sub(r"\[\^([\w-]+)\](:?)", lambda m: _footnote(m[1], bool(m[2]), numbers), text)
    return LINK.sub(lambda m: m[1] + re.sub(r"(/?index)?\.(md|ipynb)(?=#|$)", "/", urljoin(source, m[2])), text)


def _fence(kind: str, body: str, address: str) -> str | None:
    if kind == "table":
        expression, _, caption = body.partition("\ncaption:")
        return str(eval(expression.strip(), dict(vars(tables))).html(caption.strip()))
    if kind == "math":
        return f"$$\n{body.strip()}\n$$"
    return f"*[Something to try or to look at: see the page.]({address})*" if kind in ON_THE_PAGE else None


def _inline(match: re.Match[str]) -> str:
    language, _, source = match[2].partition(" ")
    first, _, rest = source.partition(" ")
    if language == "#!v":
        return _words(html.text(eval(source, dict(vars(values)))))
    if language == "#!b":
        return f"**{_words(html.budget(first, rest or None))}**"
    if language == "#!m":
        return f"${source}$"
    if language == "#!t":
        return _words(glossary.link(first, rest, ""))
    if language == "#!cite":
        return f" ({_words(bibliography.link(source.strip(), ''))})"
    return match[0]


def _words(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", markup))


def _footnote(name: str, defines: bool, numbers: dict[str, int]) -> str:
    number = numbers.setdefault(name, len(numbers) + 1)
    return f"{number}\\." if defines else f"<sup>{number}</sup>"
