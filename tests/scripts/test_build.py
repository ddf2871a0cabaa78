"""The build's steps: a site without its last one has no content security policy and does not read offline."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_serve import _setup, script, sys  # type: ignore[attr-defined]

sys.path.insert(0, str(_setup.ROOT / "scripts"))
try:
    building = script("build")
finally:
    sys.path.remove(str(_setup.ROOT / "scripts"))


def test_scripts_pages_and_finish_in_this_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[list[str], str | None]] = []
    monkeypatch.setattr(_setup, "build_assets", lambda tools: steps.append((["assets"], None)))
    monkeypatch.setattr(_setup, "run", lambda command, env, failure: steps.append((command[1:], env.get("SITE_URL"))))
    building.build(_setup.Tools([], [], {}), "https://example.org/book/", tmp_path)
    assert steps[0] == (["assets"], None)
    (pages, address), (finish, _) = steps[1:]
    assert pages[:3] == ["-m", "mkdocs", "build"] and "--strict" in pages and pages[-1] == str(tmp_path)
    assert address == "https://example.org/book/"
    assert finish == ["-m", "occusite.book.build.deploy", str(tmp_path)]
