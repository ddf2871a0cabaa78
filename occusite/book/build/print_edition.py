"""The whole book on one page, for print: chapters in order, all in them standing still, solutions at the end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

# The page that shows the book, and an address to resolve links from.
HERE = "print/"
ROOT = "https://book.invalid/"

# What needs a screen or a script, or would start one.
GONE = re.compile(
    r"<(template|noscript|button|textarea)\b.*?</\1>"
    r"|<details class=\"occ-hint\">.*?</details>"
    r"|<a class=\"headerlink\".*?</a>|<p class=\"occ-download\">.*?</p>|<p>Next: .*?</p>"
    r"|<div class=\"(?:occ-cell-toolbar|occ-feedback)\"[^>]*></div>"
    r"|<div class=\"[^\"]*\bocc-(?:presets|player|control--paste)\b[^\"]*\">.*?</div>"
    r"|<div class=\"occ-static occ-static--narrow\">.*?</svg></div>"
    r"|<label><input type=\"radio\"(?![^>]* (?:checked|required))[^>]*>.*?</label>"
    r"|\s(?:data-(?!part)[\w-]+|role=\"status\"|aria-live|tabindex|autocomplete|novalidate|for|aria-controls)(?:=\"[^\"]*\")?(?=[^<>]*>)",
    re.DOTALL,
)
EXERCISE = re.compile(r"<section class=\"occ-exercise.*?</section>", re.DOTALL)
SOLUTION = re.compile(r"<details class=\"occ-solution\"><summary>.*?</summary>(.*?)</details>", re.DOTALL)
TITLE = re.compile(r"<(p|h\d) class=\"occ-exercise-title\"[^>]*>(.*?)</\1>", re.DOTALL)


class Chapter(NamedTuple):
    """One page of the book: its address below the site, its title as text, its article as HTML."""

    url: str
    title: str
    html: str


def book(chapters: Iterable[Chapter]) -> str:
    """The body of the page: contents, chapters, solutions."""
    chapters = list(chapters)
    keys = {chapter.url: _key(chapter.url) for chapter in chapters}
    parts: list[tuple[str, str, str]] = []
    solved: list[str] = []
    for chapter in chapters:
        text, solutions = _solutions_apart(chapter.html)
        parts.append((keys[chapter.url], chapter.title, still(text, chapter.url, keys)))
        if solutions:
            solved.append(f"<h3>{chapter.title}</h3>{still(solutions, chapter.url, keys)}")
    if solved:
        parts.append(("solutions", "Solutions", f"<h2>Solutions</h2>{''.join(solved)}"))
    contents = "".join(f'<li><a href="#{key}">{title}</a></li>' for key, title, _ in parts)
    bodies = "".join(f'<section class="occ-chapter" id="{key}">{text}</section>' for key, _, text in parts)
    return f'<nav class="occ-contents" aria-label="Chapters"><ul>{contents}</ul></nav>{bodies}'


def still(text: str, url: str, keys: dict[str, str]) -> str:
    """The article of the page at `url` with nothing to press in it: headings one level down, anchors of its own.

    `keys` are what the anchors of the pages on this page begin with; links to these pages stay on this page.
    """
    text = GONE.sub("", text)
    text = re.sub(r"<select\b.*?</select>", _chosen, text, flags=re.DOTALL)
    text = re.sub(r"<input\b[^>]*>", _given, text)
    # A thing to try is a figure on paper.
    for tag, kind in (("section", "exercise"), ("section", "cell"), ("form", "widget")):
        text = re.sub(rf"<{tag} (class=\"occ-{kind}\b.*?)</{tag}>", r"<figure \1</figure>", text, flags=re.DOTALL)
    text = re.sub(r"<(/?)form\b", r"<\1div", text)
    text = re.sub(r"<(/?)h([1-5])\b", lambda m: f"<{m[1]}h{int(m[2]) + 1}", text)
    key = keys[url]
    text = re.sub(
        r"(?<=\s)(id|aria-labelledby|aria-describedby)=\"([^\"]+)\"",
        lambda m: f'{m[1]}="{" ".join(f"{key}--{name}" for name in m[2].split())}"',
        text,
    )
    text = re.sub(r"url\(#", f"url(#{key}--", text)
    return re.sub(r"(?<=\s)(href|src)=\"([^\"]*)\"", lambda m: f'{m[1]}="{_link(m[2], url, keys)}"', text)


def _link(link: str, url: str, keys: dict[str, str]) -> str:
    """A link of the page at `url`, as it is on the page of the whole book."""
    full = urljoin(ROOT + url, link)
    if not full.startswith(ROOT):
        return link
    parts = urlsplit(full)
    path = parts.path.removeprefix("/")
    if path in keys:
        return f"#{keys[path]}--{parts.fragment}" if parts.fragment else f"#{keys[path]}"
    return "../" * HERE.count("/") + full.removeprefix(ROOT)


def _chosen(match: re.Match[str]) -> str:
    """A select as the text of its choice."""
    options = re.findall(r"<option([^>]*)>(.*?)</option>", match[0])
    return (
        f'<span class="occ-value">{next((text for more, text in options if "selected" in more), options[0][1])}</span>'
    )


def _given(match: re.Match[str]) -> str:
    """An input as its number; one that is to be filled in as room to write."""
    value = re.search(r" value=\"([^\"]*)\"", match[0])
    if 'type="number"' not in match[0]:
        return ""
    return f'<span class="occ-value">{value[1]}</span>' if value else '<span class="occ-write"></span>'


def _solutions_apart(text: str) -> tuple[str, str]:
    """A chapter without the solutions of its exercises, and these with the exercises' titles."""
    solutions = []

    def cut(match: re.Match[str]) -> str:
        solution, title = SOLUTION.search(match[0]), TITLE.search(match[0])
        if solution and title:
            solutions.append(f'<div class="occ-worked"><h3>{title[2]}</h3>{solution[1]}</div>')
        return SOLUTION.sub("", match[0])

    return EXERCISE.sub(cut, text), "".join(solutions)


def _key(url: str) -> str:
    return url.strip("/").replace("/", "-") or "home"
