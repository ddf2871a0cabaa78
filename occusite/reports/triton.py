"""Reads Triton's compiled kernels: a cache folder, or one kernel's JSON with the cubin beside it.

The JSON holds what the launcher uses (`num_warps` × `warp_size` threads, `shared` bytes of dynamic shared memory,
`num_ctas` blocks per cluster, the target); registers are in the cubin of the same name. Triton 2.1 to 3.9.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from occusite.reports import fatbin
from occusite.reports.report import KernelReport, ReportError

LARGEST_JSON = 1 << 24
_MOST_FILES = 100_000


def read_json(text: str, cubin: bytes | None = None, where: str = "") -> list[KernelReport]:
    """The kernel one JSON file describes; with its `cubin`, also registers, barriers and stack.

    Raises `ReportError` naming the field when this is not Triton's metadata for an NVIDIA target.
    """
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReportError(where or "JSON", f"not JSON: {str(error)[:200]}") from None
    if not isinstance(metadata, dict) or "num_warps" not in metadata:
        raise ReportError(where or "JSON", "no Triton metadata: the object has no num_warps")
    architecture = _architecture(metadata, where)
    warp = metadata.get("warp_size", _target(metadata).get("warp_size", 32))
    blocks = _whole(metadata.get("num_ctas", 1), "num_ctas", where)
    threads = _whole(metadata["num_warps"], "num_warps", where) * _whole(warp, "warp_size", where)
    name = metadata.get("name")
    report = KernelReport(
        kernel=name if isinstance(name, str) else "",
        architecture=architecture,
        dynamic_shared=_whole(metadata["shared"], "shared", where, 0) if "shared" in metadata else None,
        threads=threads,
        cluster=(blocks, 1, 1) if blocks > 1 else None,
        source="triton",
        where=where,
        notes=() if cubin else ("registers are in the cubin beside the JSON, which was not given",),
    )
    return [_with_cubin(report, cubin, where) if cubin else report]


def read_file(path: Path) -> list[KernelReport]:
    """The kernel of one JSON file, with the cubin beside it where there is one."""
    if path.stat().st_size > LARGEST_JSON:
        raise ReportError(path.name, f"larger than {LARGEST_JSON:,} bytes: no Triton metadata")
    cubin = path.with_suffix(".cubin")
    data = cubin.read_bytes() if cubin.is_file() else None
    return read_json(path.read_text("utf-8", "replace"), data, path.name)


def read_folder(path: Path) -> list[KernelReport]:
    """The kernels of a cache folder, at any depth, ordered by path. Raises `ReportError` when it has none."""
    reports: list[KernelReport] = []
    problems: list[Exception] = []
    files = sorted(islice(path.rglob("*.json"), _MOST_FILES + 1))
    if len(files) > _MOST_FILES:
        raise ReportError(path.name, f"more than {_MOST_FILES:,} JSON files: is this a Triton cache?")
    for file in files:
        if file.name.startswith("__grp__") or not file.is_file():
            continue
        try:
            found = read_file(file)
        except (ReportError, OSError) as error:
            problems.append(error)
            continue
        where = file.relative_to(path).as_posix()
        reports += [replace(report, where=where) for report in found]
    if not reports:
        detail = f"; {problems[0]}" if problems else ""
        raise ReportError(path.name, f"no Triton kernel for NVIDIA in this folder{detail}")
    if problems:
        note = f"{len(problems)} other JSON files of this folder were not read; the first: {problems[0]}"
        reports[0] = replace(reports[0], notes=(*reports[0].notes, note))
    return reports


def _with_cubin(report: KernelReport, cubin: bytes, where: str) -> KernelReport:
    found = fatbin.read(cubin)
    same = [k for k in found if k.kernel == report.kernel] or found
    if len(same) != 1:
        raise ReportError(where, f"the cubin beside it holds {len(found)} kernels, none named {report.kernel[:80]!r}")
    kernel = same[0]
    return replace(
        kernel,
        threads=report.threads,
        dynamic_shared=report.dynamic_shared,
        cluster=kernel.cluster or report.cluster,
        source="triton",
        where=report.where,
        notes=(*report.notes, *kernel.notes),
    )


def _target(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The target as a mapping; older versions wrote ["cuda", 80, 32]."""
    target = metadata.get("target")
    if isinstance(target, list) and len(target) == 3:
        return dict(zip(("backend", "arch", "warp_size"), target, strict=True))
    return target if isinstance(target, dict) else {}


def _architecture(metadata: Mapping[str, Any], where: str) -> str:
    target = _target(metadata)
    backend = target.get("backend", "cuda")
    if backend != "cuda":
        raise ReportError(where or "JSON", f"target.backend: {str(backend)[:40]!r} has no reader here; cuda has")
    number = target.get("arch", metadata.get("arch", metadata.get("capability")))
    text = str(number).removeprefix("sm").removeprefix("_") if isinstance(number, int | str) else ""
    return f"sm_{text}" if text.isdecimal() and len(text) < 4 else ""


def _whole(value: object, field: str, where: str, low: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value < 1 << 32:
        raise ReportError(where or "JSON", f"{field}: {str(value)[:40]!r} is not a count")
    return value
