"""Folders, archives and packed files; logs in a collector's JSON and in HTML."""

from __future__ import annotations

import gzip
import hashlib
import html
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from occusite.reports import KernelReport, ReportError, archives, each, read

DATA = Path(__file__).parents[1] / "data" / "reports"
LOG = DATA / "ptxas" / "sm_90" / "multi.v.txt"


def bare(reports: list[KernelReport]) -> list[KernelReport]:
    return [replace(report, where="") for report in reports]


@pytest.mark.parametrize(
    "name", ["ptxas/sm_90/multi.v.txt", "hands/torch_trace.json", "ncu/raw_sm90.csv", "hands/nvprof.txt"]
)
def test_any_text_may_be_packed(name: str, tmp_path: Path) -> None:
    content = (DATA / name).read_bytes()
    packed = tmp_path / f"{Path(name).name}.gz"
    packed.write_bytes(gzip.compress(content))
    assert read(packed) == read(gzip.compress(content)) == read(DATA / name)


def test_a_packed_library(binaries: dict[str, bytes], tmp_path: Path) -> None:
    packed = tmp_path / "two.so.gz"
    packed.write_bytes(gzip.compress(binaries["fat/two.so"]))
    assert read(packed) == read(binaries["fat/two.so"])


def wheel(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_a_wheel_names_the_file_of_each_kernel(binaries: dict[str, bytes], tmp_path: Path) -> None:
    content = wheel(
        {
            "pkg/__init__.py": b"print('REG: 3')\n",
            "pkg/lib/two.so": binaries["fat/two.so"],
            "pkg/lib/other.so": b"\x7fELF" + bytes(100),
            "pkg/softmax.cubin": binaries["cubins/sm_90/softmax.cubin"],
            "pkg-1.0.dist-info/LICENSE.txt": b"No kernel here.\n",
            "build.log": LOG.read_bytes(),
        }
    )
    path = tmp_path / "pkg-1.0-py3-none-any.whl"
    path.write_bytes(content)
    reports = read(path)
    assert bare(reports) == bare(read(content))
    expected = [*read(binaries["fat/two.so"]), *read(binaries["cubins/sm_90/softmax.cubin"]), *read(LOG)]
    assert [(r.kernel, r.registers) for r in reports] == [(r.kernel, r.registers) for r in expected]
    assert reports[0].where.startswith("pkg/lib/two.so: byte 0x") and reports[-1].where.startswith("build.log: line ")
    assert reports[-1].notes[-1].startswith("1 other files were not read; the first: pkg/lib/other.so: ")


def test_a_folder_of_objects_and_cubins(binaries: dict[str, bytes], tmp_path: Path) -> None:
    for name in ("fat/reduce.o", "cubins/sm_90/softmax.cubin", "cubins/sm_86/spill.cubin"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(binaries[name])
    reports = read(tmp_path)
    names = sorted(f.relative_to(tmp_path).as_posix() for f in tmp_path.rglob("*") if f.is_file())
    assert [(r.kernel, r.architecture) for r in reports] == [
        (r.kernel, r.architecture) for name in names for r in read(binaries[name])
    ]
    assert reports[0].where.startswith("cubins/sm_86/spill.cubin: byte ")


@pytest.mark.parametrize("digest", ["sha1", "md5"])
def test_the_cache_of_cupy(digest: str, binaries: dict[str, bytes], tmp_path: Path) -> None:
    """A digest in hexadecimal, then the cubin: CuPy's `compiler.py`, versions before and after 12."""
    cubin = binaries["cubins/sm_90/softmax.cubin"]
    name = hashlib.new(digest, cubin).hexdigest().encode()
    (tmp_path / "d0e1_2.cubin").write_bytes(name + cubin)
    assert bare(read(tmp_path)) == bare(read(name + cubin)) == bare(read(cubin))


def test_the_first_kernels_come_before_the_last_are_read(binaries: dict[str, bytes]) -> None:
    fatbin = binaries["fat/none.fatbin"]
    found = each(fatbin + fatbin[: len(fatbin) - 50])
    assert next(found).kernel
    with pytest.raises(ReportError, match="go past the end"):
        list(found)


def test_archives_that_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = LOG.read_bytes()
    with pytest.raises(ReportError, match="not a sound zip archive"):
        read(wheel({"a.log": log})[:-30])
    with pytest.raises(ReportError, match="cannot be unpacked"):
        read(gzip.compress(log)[:-20])
    with pytest.raises(ReportError, match="no kernel found in its files"):
        read(wheel({"a.txt": b"nothing"}))
    inner = wheel({"a.log": log})
    for _ in range(4):
        inner = wheel({"inner.zip": inner})
    with pytest.raises(ReportError, match="archives within one another"):
        read(inner)
    monkeypatch.setattr(archives, "_AT_LEAST", 1000)
    with pytest.raises(ReportError, match="many times its size"):
        read(wheel({"a.log": log + b"\n" * 5_000_000}))
    with pytest.raises(ReportError, match="unpacks to more than"):
        read(gzip.compress(log + b"\n" * 5_000_000))


@pytest.mark.parametrize("key", ["log", "message", "msg"])
def test_a_log_as_lines_of_json(key: str) -> None:
    lines = LOG.read_text().splitlines()[1:]
    text = "\n".join(
        json.dumps({"stream": "stderr", key: f"{line}\n", "time": f"2025-11-30T07:12:{n % 60:02}.1Z"})
        for n, line in enumerate(lines)
    )
    assert bare(read(text)) == bare(read("\n".join(lines)))


def test_a_profile_as_lines_of_json() -> None:
    lines = (DATA / "ncu" / "raw_sm90.csv").read_text().splitlines()
    assert read("\n".join(json.dumps({"log": f"{line}\n"}) for line in lines)) == read("\n".join(lines))


def test_a_log_in_html() -> None:
    lines = (DATA / "ptxas" / "demangled_template_long_sm_90.txt").read_text().splitlines()
    expected = bare(read("\n".join(lines)))
    assert bare(read("\n".join(html.escape(line) for line in lines))) == expected
    spans = (f'<span class="line"><b>{html.escape(line)}</b></span><br/>' for line in lines)
    assert bare(read("\n".join(spans))) == expected
    assert bare(read("\n".join(line.replace("'", "&#x27;") for line in lines))) == expected
