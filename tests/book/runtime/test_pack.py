"""The archives for the browser: what is in them, and that it runs from them."""

from __future__ import annotations

import io
import lzma
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from occusite.book.runtime import pack

ROOT = Path(__file__).parents[3]


def unpacked(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(lzma.decompress(data)))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed package, as the browser has it before it is imported."""
    used = subprocess.run(
        [sys.executable, "-c", "from occusite.book.runtime import pack; print(*pack.used())"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    path = tmp_path_factory.mktemp("pack") / "book.zip"
    path.write_bytes(lzma.decompress(pack.package(ROOT, used.stdout.split())))
    return path


def test_every_call_of_the_pages_is_answered_from_the_archive_alone(package: Path) -> None:
    script = """
import sys
sys.path.insert(0, sys.argv[1])
import json, occusite
assert occusite.__file__.startswith(sys.argv[1]), occusite.__file__
from occusite.book import exercises, widgets
from occusite.book.runtime import api, interpreter
interpreter.warm()
for name in widgets.names():
    values = {c.name: c.default for c in widgets.load(name).controls}
    assert json.loads(api.view(name, json.dumps(values)))["parts"], name
for name in exercises.names():
    exercises.load(name)
assert json.loads(api.run("p", "cell 1", "from occusite import nvidia, paper\\nprint(1)")) == [{"kind": "text", "data": "1\\n"}]
"""
    run = subprocess.run(
        [sys.executable, "-S", "-c", script, str(package)], capture_output=True, text=True, cwd=package.parent
    )
    assert run.returncode == 0, run.stderr


def test_builders_of_pages_and_the_command_line_stay_at_home(package: Path) -> None:
    names = zipfile.ZipFile(package).namelist()
    assert not [n for n in names if n.startswith(("occusite/cli/", "occusite/book/build/"))]
    assert "occusite/paper.py" in names and "occusite/paper.pyc" in names
    assert "occusite/book/runtime/api.pyc" in names and "occusite/book/runtime/api.py" not in names


def test_equal_sources_make_equal_archives(tmp_path: Path) -> None:
    (tmp_path / "occusite").mkdir()
    (tmp_path / "occusite" / "__init__.py").write_text("X = 1\n")
    assert pack.package(tmp_path, []) == pack.package(tmp_path, [])


def test_the_library_is_cut_to_what_is_named_and_says_what_it_lacks(tmp_path: Path) -> None:
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        for name in ("occ_kept.py", "occ_left.py", "occ_pack/__init__.py", "occ_pack/part.py"):
            archive.writestr(name, f'"""Doc."""\nNAME = {name!r}\n')
    cut = unpacked(pack.library(whole, ["occ_kept", "occ_pack", "not_there"]))
    assert set(cut.namelist()) == {"occ_kept.pyc", "occ_pack/__init__.pyc", "REST"}
    assert cut.read("REST").decode().split() == ["occ_left", "occ_pack.part"]


def test_bytecode_runs_and_names_its_source(tmp_path: Path) -> None:
    (tmp_path / "occ_code.pyc").write_bytes(pack.bytecode(b"def f(): raise ValueError\n", "shown/occ_code.py"))
    script = "import occ_code, traceback\ntry: occ_code.f()\nexcept ValueError: traceback.print_exc()"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert 'File "shown/occ_code.py", line 1, in f' in run.stderr
