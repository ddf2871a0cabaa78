"""Rendered pages and computed fences, stored on disk while nothing they are made of changes: `scripts/serve.py` is quick by it."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import pickle
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import occusite

PACKAGE = Path(occusite.__file__).parent
CACHE = Path(".cache") / "rendered"

# A page sees of these rooms what its fences name, and no other room may import them: a change there is not for all pages.
LEAVES = {"widget": "book/widgets", "exercise": "book/exercises"}
NAMED = re.compile(rf"^`{{3,}}({'|'.join(LEAVES)})\b[^\n]*\n\s*(\w+)", re.MULTILINE)
IMPORTS = re.compile(r"^\s*(?:from|import) occusite\.book\.[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
# Fences that look at other pages, and at all exercises.
LOOKS_AROUND = re.compile(r"^`{3,}(listing|progress)\b", re.MULTILINE)
# Fences that the package alone computes, without a leaf.
COMPUTED = ("table", "chart", "cli")

# What MkDocs makes of a page's Markdown.
PARTS = ("content", "toc", "_title_from_render", "present_anchor_ids")

Formatter = Callable[..., str]


def digest_of(modules: Iterable[str], *more: bytes) -> str:
    """A digest of `more`, of these modules of the package, of all its data, and of which files it has at all."""
    used = set(modules)
    whole = hashlib.sha256()
    for part in more:
        whole.update(hashlib.sha256(part).digest())
    for path in sorted(path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        name = path.relative_to(PACKAGE).as_posix()
        whole.update(name.encode() + b"\0")
        if name in used or path.suffix != ".py":
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def modules() -> set[str]:
    """Every module of the package but the leaves, by its path below the package."""
    names = (path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    return {name for name in names if not name.startswith(tuple(LEAVES.values()))}


def leaves(markdown: str) -> set[str]:
    """The modules of the widgets and exercises that a page's fences name, with those of their room that these import."""
    files: set[str] = set()
    for kind, name in NAMED.findall(markdown):
        room = PACKAGE / LEAVES[kind]
        todo = [name]
        while todo:
            for path in room.rglob(f"{todo.pop()}.py"):
                place = path.relative_to(PACKAGE).as_posix()
                if place not in files:
                    files.add(place)
                    source = path.read_text(encoding="utf-8")
                    todo += re.findall(r"\w+", " ".join(IMPORTS.findall(source)))
    return files


class Store:
    """What was rendered before, for one build.

    `docs` is the folder of the pages, `settings` whatever else all pages depend on.
    """

    def __init__(self, docs: Path, settings: bytes) -> None:
        self.common = digest_of(modules(), settings)
        self.sources = {
            path.relative_to(docs).as_posix(): path.read_bytes()
            for path in sorted(docs.rglob("*"))
            if path.suffix in (".md", ".ipynb") and path.is_file()
        }

    def key(self, name: str, markdown: str, meta: object) -> str:
        """A digest of all that the page `name` is made of."""
        whole = hashlib.sha256(json.dumps([self.common, name, markdown, str(meta), list(self.sources)]).encode())
        around = LOOKS_AROUND.search(markdown)
        used = (p for room in LEAVES.values() for p in (PACKAGE / room).rglob("*.py")) if around else ()
        for path in sorted([*used, *(PACKAGE / leaf for leaf in leaves(markdown))]):
            whole.update(hashlib.sha256(path.read_bytes()).digest())
        for source in self.sources.values() if around else ():
            whole.update(hashlib.sha256(source).digest())
        return whole.hexdigest()

    def page(self, page: Any, autorefs: Any) -> None:
        """Give the MkDocs page a `render` that takes what was rendered before, or stores what it renders.

        `autorefs` is the plugin that is told of the page's anchors while it is rendered, or None.
        """
        path = CACHE / "pages" / f"{page.file.src_uri.replace('/', '--')}.pickle"
        key = self.key(page.file.src_uri, page.markdown, page.meta)
        render = page.render

        def take_or_render(config: Any, files: Any) -> None:
            if stored := _stored(path, key):
                for name, value in zip(PARTS, stored["parts"], strict=True):
                    setattr(page, name, value)
                page.links_to_anchors = {files.get_file_from_path(n): links for n, links in stored["links"].items()}
                for arguments, named in stored["anchors"]:
                    autorefs.register_anchor(page, *arguments, **named)
                return
            anchors: list[tuple[Any, Any]] = []
            with _listening(autorefs, anchors):
                render(config, files)
            links = {file.src_uri: links for file, links in (page.links_to_anchors or {}).items()}
            parts = [getattr(page, name) for name in PARTS]
            _write(path, pickle.dumps({"key": key, "parts": parts, "links": links, "anchors": anchors}))

        page.render = take_or_render

    def fence(self, formatter: Formatter) -> Formatter:
        """The formatter of a fence that the package alone computes, which takes from disk what it made before."""
        folder = CACHE / "fences" / self.common[:16]
        for old in folder.parent.glob("*"):
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)

        @functools.wraps(formatter)
        def formatted(source: str, language: str, css_class: str, options: dict[str, Any], md: Any, **rest: Any) -> str:
            fence = json.dumps([language, source, sorted(options.items())])
            path = folder / f"{hashlib.sha256(fence.encode()).hexdigest()[:24]}.html"
            if path.exists():
                return path.read_text(encoding="utf-8")
            html = formatter(source, language, css_class, options, md, **rest)
            _write(path, html.encode())
            return html

        return formatted


class _listening:
    """Notes with what `register_anchor` of the plugin is called."""

    def __init__(self, autorefs: Any, calls: list[tuple[Any, Any]]) -> None:
        self.autorefs, self.calls = autorefs, calls

    def __enter__(self) -> None:
        if self.autorefs is None:
            return
        register = self.autorefs.register_anchor

        def noted(page: Any, *arguments: Any, **named: Any) -> None:
            self.calls.append((arguments, named))
            register(page, *arguments, **named)

        self.autorefs.register_anchor = noted

    def __exit__(self, *_: object) -> None:
        if self.autorefs is not None:
            del self.autorefs.register_anchor


def _stored(path: Path, key: str) -> dict[str, Any] | None:
    try:
        stored: dict[str, Any] = pickle.loads(path.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError):
        return None
    return stored if stored.get("key") == key else None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)
