"""Reads Triton's compiled kernels: one kernel's JSON, with the cubin beside it where there is one.

The JSON holds what the launcher uses (`num_warps` × `warp_size` threads, `shared` bytes of dynamic shared memory, which
are all that a kernel has, `num_ctas` blocks per cluster, the target); registers are in the cubin of the same name.
Triton 2.1 to 3.9.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from occusite.reports import fatbin
from occusite.reports.report import KernelReport, ReportError
from occusite.reports.source import Source

LARGEST_JSON = 1 << 24


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
    cluster = _cluster(metadata.get("cluster_dims", metadata.get("clusterDims")))
    shared = _whole(metadata["shared"], "shared", where, 0) if "shared" in metadata else None
    notes = [] if cubin else ["registers are in the cubin beside the JSON, which was not given"]
    cap = metadata.get("maxnreg")
    if not cubin and isinstance(cap, int) and not isinstance(cap, bool) and 0 < cap < 256:
        notes.append(f"maxnreg: the compiler may use {cap} registers at most")
    threads = _whole(metadata["num_warps"], "num_warps", where) * _whole(warp, "warp_size", where)
    name = metadata.get("name")
    report = KernelReport(
        kernel=name if isinstance(name, str) else "",
        architecture=architecture,
        static_shared=0 if shared is not None else None,
        dynamic_shared=shared,
        threads=threads,
        cluster=cluster or ((blocks, 1, 1) if blocks > 1 else None),
        source="triton",
        where=where,
        notes=tuple(notes),
    )
    return [_with_cubin(report, cubin, where) if cubin else report]


def sniff(head: bytes) -> bool:
    """Whether a file that begins so may be metadata: a JSON object."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def each(source: Source) -> Iterator[KernelReport]:
    """The kernel of one JSON, with the cubin beside it where there is one."""
    where = source.path.name if source.path is not None else source.name
    text = source.beginning(LARGEST_JSON)
    if len(text) > LARGEST_JSON:
        raise ReportError(where, f"larger than {LARGEST_JSON:,} bytes: no Triton metadata")
    cubin = source.path.with_suffix(".cubin") if source.path is not None and source.plain_file else None
    data = cubin.read_bytes() if cubin is not None and cubin.is_file() else None
    yield from read_json(text, data, where)


def _with_cubin(report: KernelReport, cubin: bytes, where: str) -> KernelReport:
    kernels = fatbin.read(cubin)
    same = [k for k in kernels if k.kernel == report.kernel] or kernels
    if len(same) != 1:
        raise ReportError(where, f"the cubin beside it holds {len(kernels)} kernels, none named {report.kernel[:80]!r}")
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


def _cluster(value: object) -> tuple[int, int, int] | None:
    """Blocks per cluster and dimension, where there is more than one."""
    if not isinstance(value, list | tuple) or len(value) != 3:
        return None
    x, y, z = (v if isinstance(v, int) and not isinstance(v, bool) and 0 < v < 1 << 16 else 0 for v in value)
    return (x, y, z) if x * y * z > 1 else None


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
