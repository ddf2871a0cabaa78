"""The readers' common type: what one report says about one kernel, what it cannot know, and where it said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

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

    def __reduce__(self) -> tuple[type[ReportError], tuple[str, str]]:
        """Made anew from both parts: an exception is otherwise copied from its one sentence."""
        return type(self), (self.where, self.problem)


class CalleeSpills(NamedTuple):
    """What a function called by a kernel spills, bytes per thread: its name, spill stores and spill loads."""

    name: str
    stores: int
    loads: int


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

    `vendor`: "nvidia", "amd" or "intel". `device`: the board, as a profile names it, or "". `problem`: why the
    compiler rejected the kernel, which then does not exist, or "". `static_shared_range`, `dynamic_shared_range`:
    the smallest and the largest size, in bytes, where the report gives a rounded one; the plain field is then None.
    `shared_memory`: static and dynamic bytes per block together, where the report gives only their sum. `pool`:
    shared memory configured per SM, in bytes, as the profile states it. `grid`: blocks by dimension, and `launches`:
    how many launches of these very resources the report holds. `callee_spills`: of functions compiled with the kernel.
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
    constant: Mapping[int, int] = field(default_factory=dict, hash=False)
    cluster: tuple[int, int, int] | None = None
    final: bool = True
    source: str = ""
    where: str = ""
    notes: tuple[str, ...] = ()
    vendor: str = "nvidia"
    device: str = ""
    problem: str = ""
    static_shared_range: tuple[int, int] | None = None
    dynamic_shared_range: tuple[int, int] | None = None
    shared_memory: int | None = None
    pool: int | None = None
    grid: tuple[int, int, int] | None = None
    launches: int = 1
    callee_spills: tuple[CalleeSpills, ...] = ()

    @property
    def name(self) -> str:
        """The function's name for people: demangled without parameters, cut with "…" at template arguments."""
        return readable(self.kernel)

    @property
    def unknown(self) -> tuple[str, ...]:
        """What a launch needs and this report does not say, in the order of `nvidia.Launch`'s fields."""
        known = ("static_shared", "dynamic_shared") if self.shared_memory is not None else ()
        missing = tuple(f for f in _LAUNCH_FIELDS if getattr(self, f) is None and f not in known)
        return missing if self.architecture else ("architecture", *missing)

    @property
    def ran(self) -> bool:
        """Whether a profiler saw it run: then its architecture is the board's, whatever its code was compiled for."""
        return self.source in ("ncu", "nsys", "nvprof", "torch")

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
        the vendor's header); threads, registers and static shared memory are never assumed, nor is a rounded size.
        Of static and dynamic shared memory known by their sum alone, all is taken as dynamic.
        Raises `ValueError` naming the missing field, the field `nvidia.Launch` refuses, or the kernel that the
        compiler rejected.
        """
        from occusite.nvidia import Launch

        if self.problem:
            raise ValueError(f"kernel: {self.problem}")
        fields_known = {"threads": threads, "dynamic_shared": dynamic_shared, **fields}
        values = {f: getattr(self, f) for f in _LAUNCH_FIELDS}
        if self.shared_memory is not None and values["static_shared"] is None and values["dynamic_shared"] is None:
            values["static_shared"], values["dynamic_shared"] = 0, self.shared_memory
        if self.cluster is not None:
            values["cluster"] = self.cluster[0] * self.cluster[1] * self.cluster[2]
        values.update((f, v) for f, v in fields_known.items() if v is not None)
        for name in ("threads", "registers", "static_shared"):
            if values[name] is None:
                raise ValueError(f"{name}: this {self.source} report does not say{self._between(name)}; give {name}=…")
        if values["dynamic_shared"] is None and self.dynamic_shared_range:
            between = self._between("dynamic_shared")
            raise ValueError(f"dynamic_shared: this {self.source} report does not say{between}; give dynamic_shared=…")
        return Launch(**{f: v for f, v in values.items() if v is not None})

    def launches_between(
        self, threads: int | None = None, dynamic_shared: int | None = None, **fields: Any
    ) -> tuple[Launch, Launch]:
        """The launch with the least and with the most shared memory that a rounded report allows, else one twice.

        Occupancy never rises with shared memory: where both launches get the same answer, so does all between them.
        Arguments and errors as of `launch`.
        """
        ends = []
        for end in (0, 1):
            values: dict[str, Any] = {"dynamic_shared": dynamic_shared, **fields}
            for name, sizes in (
                ("static_shared", self.static_shared_range),
                ("dynamic_shared", self.dynamic_shared_range),
            ):
                if sizes and values.get(name) is None and getattr(self, name) is None:
                    values[name] = sizes[end]
            ends.append(self.launch(threads, **values))
        return ends[0], ends[1]

    def _between(self, name: str) -> str:
        sizes = {"static_shared": self.static_shared_range, "dynamic_shared": self.dynamic_shared_range}.get(name)
        return f" exactly ({sizes[0]:,} to {sizes[1]:,} bytes)" if sizes else ""


class Size(NamedTuple):
    """A size as a report prints it: the least and the most bytes that are printed so."""

    low: int
    high: int

    @property
    def exact(self) -> int | None:
        """The size, where only one is printed so."""
        return self.low if self.low == self.high else None

    @property
    def between(self) -> tuple[int, int] | None:
        """Both ends, where more than one size is printed so."""
        return None if self.low == self.high else (self.low, self.high)


def rounded(digits: str, fraction: str, unit: int) -> Size | None:
    """The whole bytes that, in units of `unit` bytes, are printed as `digits`.`fraction`; None where none is.

    A printed number stands for all that round to it, whichever way a half goes: 65.54 KB (of 1,000) is 65,535 to
    65,545 bytes, 2.6445 KB (of 1,024) is 2,708.
    """
    scale: int = 10 ** len(fraction)
    number = int(digits + fraction)
    half = unit if unit > 1 or fraction else 0
    low = -(-(2 * number * unit - half) // (2 * scale))
    high = (2 * number * unit + half) // (2 * scale)
    return Size(max(0, low), high) if high >= max(0, low) else None


def without_reserve(size: int, architecture: str, linked: bool) -> int:
    """Static shared memory of a cubin's section or `cuobjdump`'s SHARED, in bytes, without the driver's KiB.

    Linked code for CC ≥ 9.0 counts the KiB in; objects still to be linked, and older code, do not.
    """
    return size - RESERVED_SHARED if linked and size >= RESERVED_SHARED and sm(architecture) >= 90 else size


def sm(architecture: str) -> int:
    """The number in "sm_90a": 90. 0 when there is none."""
    digits = architecture.removeprefix("sm_").rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdecimal() and len(digits) < 5 else 0
