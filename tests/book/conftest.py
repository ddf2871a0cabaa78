"""The built site that the tests of the pages walk over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: the one `OCCUSITE_SITE` names, else the pages built now (their scripts are not needed here)."""
    if named := os.environ.get("OCCUSITE_SITE"):
        return Path(named).resolve()
    out = tmp_path_factory.mktemp("pages")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(out)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    return out
