"""The finished site: a policy that allows exactly its own scripts, and a complete list for the service worker."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest

from occusite.book.build import deploy as finish

PAGE = '<!doctype html><html><head><meta charset="utf-8"><title>x</title></head><body>{}</body></html>'


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    files = {
        "index.html": PAGE.format('<script>start()</script><script src="assets/dist/book.js" type="module"></script>'),
        "02/index.html": PAGE.format('<script>other()</script><script type="application/json">{"a": 1}</script>'),
        "assets/dist/sw.js": "/* worker */",
        "assets/dist/book.js": "book()",
        "assets/dist/python-worker-AB.js": "python()",
        "assets/dist/library-12.zip.xz": "x",
        "assets/dist/pyodide-314.0.7/pyodide.asm.wasm.xz": "x",
        "assets/dist/pyodide-314.0.7/python_stdlib.zip": "x",
        "assets/javascripts/bundle.js.map": "{}",
        "sitemap.xml": "<a/>",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_only_scripts_that_run_in_the_page_are_counted() -> None:
    html = (
        '<script>a()</script><script src="x.js"></script><script type="application/json">{}</script><script> </script>'
    )
    assert finish.inline_scripts(html) == {"a()"}


def test_all_pages_get_one_policy_with_the_hashes_of_all(site: Path) -> None:
    finish.finish(site)
    policies = {p.read_text().split('content="')[1].split('"')[0] for p in site.rglob("*.html")}
    (policy,) = policies
    assert {f"'sha256-{digest(s)}'" for s in ("start()", "other()")} <= set(policy.replace(";", " ").split())
    script = next(rule for rule in policy.split("; ") if rule.startswith("script-src"))
    assert "unsafe-inline" not in script and "'unsafe-eval'" not in script and "http" not in policy


def test_a_changed_script_has_another_address(site: Path) -> None:
    def address() -> str:
        finish.finish(site)
        return (site / "index.html").read_text().split('<script src="')[1].split('"')[0]

    before = address()
    assert before.startswith("assets/dist/book.js?v=")
    assert address() == before
    (site / "assets/dist/book.js").write_text("book(2)")
    assert address() != before


def test_finishing_twice_changes_nothing(site: Path) -> None:
    finish.finish(site)
    before = {p: p.read_bytes() for p in site.rglob("*") if p.is_file()}
    finish.finish(site)
    assert {p: p.read_bytes() for p in site.rglob("*") if p.is_file()} == before


def test_the_worker_knows_each_file_by_its_content(site: Path) -> None:
    finish.finish(site)
    line, rest = (site / "sw.js").read_text().split(";\n", 1)
    listed = json.loads(line.removeprefix("const __SITE__="))
    assert rest == "/* worker */"
    assert set(listed["shell"]) == {"index.html", "02/index.html", "assets/dist/book.js", "sitemap.xml"}
    assert list(listed["runtime"]) == [
        "assets/dist/library-12.zip.xz",
        "assets/dist/pyodide-314.0.7/pyodide.asm.wasm.xz",
        "assets/dist/python-worker-AB.js",
    ]
    assert list(listed["more"]) == ["assets/dist/pyodide-314.0.7/python_stdlib.zip"]
    for files in (listed["shell"], listed["runtime"], listed["more"]):
        assert all(digest((site / path).read_text()) == sha for path, sha in files.items())
    assert listed["policy"] in (site / "index.html").read_text()
    assert "default-src 'self'" in listed["policy"]


def test_a_change_anywhere_is_a_new_version(site: Path) -> None:
    before = finish.files(site)["version"]
    (site / "02" / "index.html").write_text("changed")
    assert finish.files(site)["version"] != before


def test_a_page_without_a_head_fails(site: Path) -> None:
    (site / "bare.html").write_text("<p>no head</p>")
    with pytest.raises(ValueError, match=r"bare\.html"):
        finish.finish(site)
