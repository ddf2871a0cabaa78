"""The pages as they are written in docs/: their addresses, titles and texts."""

from __future__ import annotations

import json
import re
from pathlib import Path

DOCS = Path("docs")


def pages(docs: Path = DOCS) -> dict[str, str]:
    """The Markdown of every page by its address below the site's root ("01-latency-hiding/", "" for the home page)."""
    markdown = {}
    for path in sorted([*docs.rglob("*.md"), *docs.rglob("*.ipynb")]):
        place = path.relative_to(docs)
        if place.parts[0] in ("assets", "overrides") or ".ipynb_checkpoints" in place.parts:
            continue
        parts = place.with_suffix("").parts
        url = "".join(f"{part}/" for part in (parts[:-1] if parts[-1] == "index" else parts))
        markdown[url] = _markdown(path)
    return markdown


def titles(docs: Path = DOCS) -> dict[str, str]:
    """The heading of every page by its address."""
    titles_by_url = {}
    for url, text in pages(docs).items():
        heading = re.search(r"^# (.+)$", text, re.MULTILINE)
        if heading:
            titles_by_url[url] = re.sub(r"[`*]", "", heading[1]).replace("'", "’")
    return titles_by_url


def _markdown(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
