"""The files of the widgets' first answers: kept on disk as a page is rendered, and put beside the pages that name them."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

CACHE = Path(".cache") / "first"
FOLDER = "assets/first"
_NAMED = re.compile(r'data-first="([\w.-]+)"')


def keep(table: str, widget: str) -> str:
    """Keep a table; its file's name changes with its content, so that no browser shows an older one."""
    name = f"{widget}-{hashlib.sha256(table.encode()).hexdigest()[:10]}.json"
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / name
    if not path.exists():
        part = path.with_suffix(".part")
        part.write_text(table, encoding="utf-8")
        part.replace(path)
    return name


def place(html: str, site: Path) -> None:
    """Copy the tables that a page names into the site."""
    for name in dict.fromkeys(_NAMED.findall(html)):
        target = site / FOLDER / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(CACHE / name, target)
