"""The pages as they are written: their addresses, their headings, what a notebook says."""

from __future__ import annotations

import json
from pathlib import Path

from occusite.book.content import pages

DOCS = Path(__file__).parents[3] / "docs"


def written(folder: Path) -> Path:
    """A small book of its own."""
    cells = [
        {"cell_type": "markdown", "source": ["# The `fourth`\n", "words"]},
        {"cell_type": "code", "source": ["1 + 1"]},
        {"cell_type": "markdown", "source": ["more"]},
    ]
    files = {
        "index.md": "# Home\n",
        "01-first.md": "text\n\n# The *first*, isn't it\n\n# another\n",
        "reference/index.md": "no heading\n",
        "reference/gpus.md": "# GPUs",
        "assets/notes.md": "# no page",
        "overrides/notes.md": "# no page",
        ".ipynb_checkpoints/04-fourth.ipynb": "{}",
        "04-fourth.ipynb": json.dumps({"cells": cells}),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_addresses_and_texts(tmp_path: Path) -> None:
    found = pages.pages(written(tmp_path))
    assert sorted(found) == ["", "01-first/", "04-fourth/", "reference/", "reference/gpus/"]
    assert found["reference/gpus/"] == "# GPUs" and found["04-fourth/"] == "# The `fourth`\nwords\n\nmore"


def test_headings(tmp_path: Path) -> None:
    assert pages.titles(written(tmp_path)) == {
        "": "Home",
        "01-first/": "The first, isn’t it",
        "04-fourth/": "The fourth",
        "reference/gpus/": "GPUs",
    }


def test_every_page_of_the_book_has_a_heading() -> None:
    assert pages.titles(DOCS).keys() == pages.pages(DOCS).keys() and len(pages.pages(DOCS)) > 15
