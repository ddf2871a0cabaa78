"""The readers' common type: what one report says about one kernel, what it cannot know, and where it said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from occusite.reports.names import readable

if TYPE_CHECKING:
    from occusite.nvidia import Launch

# Shared memory the driver keeps for itself in each block on CC ≥ 8.0; linked sm_90+ code counts it as static.
RESERVED_SHARED = 1024

_LAUNCH_FIELDS = ("threads", "registers", "static_shared", "dynamic_shared", "barriers")


class ReportError(ValueError):
    """A report that cannot be read. `where` names the place: "line 12", "byte 0x40", "matmul.json"."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}" if where else problem)
        self.where = where
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelReport:
    """One kernel for one architecture, as one report describes it. None is "the report does not say", never zero.

    `kernel`: its name as reported, mangled or not ("" when the naming line is missing). `architecture`: "sm_90", or
    "". `registers` per thread. `static_shared`: bytes per block **without** the KiB the driver reserves, whichever
    way the report counts. `dynamic_shared`: bytes per block, `threads`: per block (known to a profiler, Triton, or a
    kernel compiled for one block size). `max_threads`: the launch bound. `barriers`: block barriers.
    `spill_stores`, `spill_loads`, `stack_frame`: bytes per thread of the kernel itself; `stack`: with its callees.
    `constant`: bytes by bank. `cluster`: blocks per cluster and dimension, where compiled or launched so.
    `final`: False when a device link can still change the counts (`-rdc=true` objects). `source` and `where`: the
    format, and the line or byte the record begins at. `notes`: what a reader of the numbers must know.
    """

    kernel: str
    architecture: str = ""
    registers: int | None = None
    static_shared: int | None = None
    dynamic_shared: int | None = None
    threads: int | None = None
    max_threads: int | None = None
    barriers: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    stack_frame: int | None = None
    stack: int | None = None
    constant: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    cluster: tuple[int, int, int] | None = None
    final: bool = True
    source: str = ""
    where: str = ""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The function's name for people: demangled without parameters, cut with "…" at template arguments."""
        return readable(self.kernel)

    @property
    def unknown(self) -> tuple[str, ...]:
        """What a launch needs and this report does not say, in the order of `nvidia.Launch`'s fields."""
        missing = tuple(f for f in _LAUNCH_FIELDS if getattr(self, f) is None)
        return missing if self.architecture else ("architecture", *missing)

    @property
    def spills(self) -> int | None:
        """Spill stores plus spill loads, bytes per thread."""
        if self.spill_stores is None or self.spill_loads is None:
            return None
        return self.spill_stores + self.spill_loads

    def launch(self, threads: int | None = None, dynamic_shared: int | None = None, **fields: Any) -> Launch:
        """The launch this report describes, completed by what only the caller knows.

        `threads`, `dynamic_shared` and every other field of `nvidia.Launch` may be given and win over the report.
        Not given and not reported, dynamic shared memory is 0 (as in CUDA's own launch syntax) and barriers 1 (as in
        the vendor's header); threads, registers and static shared memory are never assumed.
        Raises `ValueError` naming the missing field, or the field `nvidia.Launch` refuses.
        """
        from occusite.nvidia import Launch

        given = {"threads": threads, "dynamic_shared": dynamic_shared, **fields}
        values = {f: getattr(self, f) for f in _LAUNCH_FIELDS}
        if self.cluster is not None:
            values["cluster"] = self.cluster[0] * self.cluster[1] * self.cluster[2]
        values.update((f, v) for f, v in given.items() if v is not None)
        for name in ("threads", "registers", "static_shared"):
            if values[name] is None:
                raise ValueError(f"{name}: this {self.source} report does not say; give {name}=…")
        return Launch(**{f: v for f, v in values.items() if v is not None})


def without_reserve(size: int, architecture: str, linked: bool) -> int:
    """Static shared memory of a cubin's section or `cuobjdump`'s SHARED, in bytes, without the driver's KiB.

    Linked code for CC ≥ 9.0 counts the KiB in; objects still to be linked, and older code, do not.
    """
    return size - RESERVED_SHARED if linked and size >= RESERVED_SHARED and sm(architecture) >= 90 else size


def sm(architecture: str) -> int:
    """The number in "sm_90a": 90. 0 when there is none."""
    digits = architecture.removeprefix("sm_").rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdecimal() and len(digits) < 5 else 0
