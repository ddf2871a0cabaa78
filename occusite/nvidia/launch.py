"""A kernel launch in CUDA's terms: what one block asks of an SM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from occusite.model.checks import as_int
from occusite.model.fields import MOST_BYTES, Field, checker

FIELDS = (
    Field(
        *("threads", "Threads per block", "threads", "count"),
        low=1,
        eases="warps",
        help="Threads per block.",
    ),
    Field(
        *("registers", "Registers per thread", "registers", "count"),
        eases="registers",
        help="Registers per thread, as the compiler reports them; 0 is an empty kernel.",
    ),
    Field(
        *("static_shared", "Static shared memory per block", "bytes", "bytes"),
        high=MOST_BYTES,
        default=0,
        eases="shared_memory",
        help="Static shared memory per block; 48KiB is understood.",
    ),
    Field(
        *("dynamic_shared", "Dynamic shared memory per block", "bytes", "bytes"),
        high=MOST_BYTES,
        default=0,
        eases="shared_memory",
        help="Dynamic shared memory per block.",
    ),
    Field(
        *("max_dynamic_shared", "The kernel’s own cap on dynamic shared memory", "bytes", "bytes"),
        high=MOST_BYTES,
        default=None,
        since="7.0",
        rare=True,
        help="The kernel's own cap on dynamic shared memory (cudaFuncSetAttribute); by default all a block may have.",
    ),
    Field(
        *("opt_in", "More than 48 KiB allowed", "", "flag"),
        default=True,
        since="7.0",
        rare=True,
        help="Whether the kernel may go beyond the 48 KiB a block gets by default.",
    ),
    Field(
        *("carveout", "Preferred shared memory", "percent", "percent"),
        high=100,
        default=None,
        since="7.0",
        rare=True,
        help="Percent of the SM's memory preferred as shared memory; by default, and for -1, the driver's choice.",
    ),
    Field(
        *("barriers", "Barriers per block", "barriers", "count"),
        default=1,
        eases="barriers",
        since="9.0",
        rare=True,
        help="Block barriers used.",
    ),
    Field(
        *("partitioned_caching", "Partitioned global caching", "", "choice"),
        default="off",
        choices=("off", "on", "strict"),
        since="5.2",
        rare=True,
        help="Partitioned global caching (5.2, 5.3, 6.1, 6.2): strict where it may not be turned off.",
    ),
    Field(
        *("cluster", "Blocks per cluster", "blocks", "count"),
        low=1,
        default=1,
        since="9.0",
        rare=True,
        help="Blocks per cluster; 1 is none.",
    ),
    Field(
        *("virtual", "Virtual resources per block", "virtual resources", "count"),
        default=0,
        eases="virtual",
        since="10.0",
        rare=True,
        help="Virtual resources per block.",
    ),
    Field(
        *("cache_preference", "Cache preference", "", "choice"),
        default="none",
        choices=("none", "shared", "l1", "equal"),
        rare=True,
        help="The older preference of cudaFuncSetCacheConfig.",
    ),
)
_check = checker(FIELDS)


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch.

    `threads` per block; `registers` per thread, as the compiler reports them (0: an empty kernel); `static_shared`
    and `dynamic_shared` in bytes per block. `max_dynamic_shared`: the kernel's own cap in bytes (the attribute set
    with `cudaFuncSetAttribute`; None: all the device lets a block have). `opt_in`: whether the kernel may go beyond
    the 48 KiB a block gets by default (CC ≥ 7.0). `carveout`: percent of the SM's memory preferred as shared memory,
    0–100 (CC ≥ 7.0; None, and CUDA's −1: the driver's default). `barriers`: block barriers used (limits on CC ≥ 9.0).
    `partitioned_caching`: "off", "on" (preferred) or "strict" (forced), CC 5.2, 5.3, 6.1, 6.2. `cluster`: blocks per
    cluster (CC ≥ 9.0; 1: none). `virtual`: virtual resources per block (CC ≥ 10.0). `cache_preference`: the older
    `cudaFuncSetCacheConfig` preference, "none", "shared", "l1" or "equal".

    Raises `ValueError` naming the field for a value no launch can have. More threads, registers or shared memory than
    the device has are legal questions: the answer is zero blocks, with the reason.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = FIELDS

    threads: int
    registers: int
    static_shared: int = 0
    dynamic_shared: int = 0
    max_dynamic_shared: int | None = None
    opt_in: bool = True
    carveout: int | None = None
    barriers: int = 1
    partitioned_caching: str = "off"
    cluster: int = 1
    virtual: int = 0
    cache_preference: str = "none"

    def __post_init__(self) -> None:
        if self.carveout is not None and as_int(self.carveout) == -1:
            object.__setattr__(self, "carveout", None)
        _check(self)

    @property
    def shared_memory(self) -> int:
        """Static and dynamic shared memory, bytes per block."""
        return self.static_shared + self.dynamic_shared

    def pooled(self) -> Launch:
        """The same launch with all its shared memory dynamic: the rules only look at the sum."""
        if not self.static_shared:
            return self
        most = self.max_dynamic_shared
        return replace(
            self,
            static_shared=0,
            dynamic_shared=self.shared_memory,
            max_dynamic_shared=None if most is None else most + self.static_shared,
        )
