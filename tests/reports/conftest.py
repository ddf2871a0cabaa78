"""Real reports, as files and as the entries of one archive; see tests/data/reports/README.md for their provenance."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data" / "reports"


@pytest.fixture(scope="session")
def binaries() -> dict[str, bytes]:
    """Cubins, fat binaries and Triton caches by their path in the archive."""
    with zipfile.ZipFile(DATA / "binaries.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


@pytest.fixture
def triton_cache(binaries: dict[str, bytes], tmp_path: Path) -> Path:
    """The Triton caches of both versions, unpacked."""
    for name, content in binaries.items():
        if name.startswith("triton/"):
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return tmp_path / "triton"
