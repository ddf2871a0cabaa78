"""The one built site that all tests read, and what the command line may ask of the tests in browsers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BROWSER = ROOT / "tests" / "browser"
ENGINES = ("chromium", "firefox", "webkit")
SITE = "OCCUSITE_SITE"

_built: list[tempfile.TemporaryDirectory[str]] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which engines, and how much of the book in each."""
    group = parser.getgroup("occusite")
    group.addoption("--engine", action="append", choices=ENGINES, help="only in this browser engine (may be repeated)")
    group.addoption(
        "--all",
        action="store_true",
        help="every test and every page in every engine, and each property at its full length",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests in browsers out unread where none is wanted: their list comes from the built site."""
    return True if collection_path == BROWSER and config.option.markexpr == "not browser" else None


def built_site() -> Path:
    """The built site: the one that `OCCUSITE_SITE` names, else one built now, once a run."""
    if SITE not in os.environ:
        _built.append(tempfile.TemporaryDirectory(prefix="occusite-site-"))
        out = Path(_built[0].name, "site")
        subprocess.run([sys.executable, ROOT / "scripts" / "build.py", "--out", out], check=True)
        os.environ[SITE] = str(out)
    return Path(os.environ[SITE]).resolve()


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site."""
    return built_site()
