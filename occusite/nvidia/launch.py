"""A kernel launch in CUDA's terms: what one block asks of an SM."""

from __future__ import annotations

from dataclasses import dataclass

from occusite.model.checks import choice, whole

CACHE_PREFERENCES = ("none", "shared", "l1", "equal")


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch.

    `threads` per block; `registers` per thread, as the compiler reports them (0: an empty kernel); `static_shared`
    and `dynamic_shared` in bytes per block. `max_dynamic_shared`: the kernel's own cap in bytes (the attribute set
    with `cudaFuncSetAttribute`; None: all the device lets a block have). `opt_in`: whether the kernel may go beyond
    the 48 KiB a block gets by default (CC ≥ 7.0). `carveout`: percent of the SM's memory preferred as shared memory,
    0–100 (CC ≥ 7.0; None: the driver's default). `barriers`: block barriers used (limits on CC ≥ 9.0).
    `partitioned_caching`: False, True (prefer) or "strict" (force), CC 5.2, 5.3, 6.1, 6.2. `cluster`: blocks per
    cluster (CC ≥ 9.0; 1: none). `virtual`: virtual resources per block (CC ≥ 10.0). `cache_preference`: the older
    `cudaFuncSetCacheConfig` preference, "none", "shared", "l1" or "equal".

    Raises `ValueError` naming the field for a value no launch can have. More threads, registers or shared memory than
    the device has are legal questions: the answer is zero blocks, with the reason.
    """

    threads: int
    registers: int
    static_shared: int = 0
    dynamic_shared: int = 0
    max_dynamic_shared: int | None = None
    opt_in: bool = True
    carveout: int | None = None
    barriers: int = 1
    partitioned_caching: bool | str = False
    cluster: int = 1
    virtual: int = 0
    cache_preference: str = "none"

    def __post_init__(self) -> None:
        if not (type(self.threads) is int and self.threads > 0):
            whole("threads", self.threads, 1, None, "threads per block")
        if not (type(self.registers) is int and self.registers >= 0):
            whole("registers", self.registers, 0, None, "registers per thread")
        if not (type(self.static_shared) is int and self.static_shared >= 0):
            whole("static_shared", self.static_shared, 0, None, "bytes per block")
        if not (type(self.dynamic_shared) is int and self.dynamic_shared >= 0):
            whole("dynamic_shared", self.dynamic_shared, 0, None, "bytes per block")
        if self.max_dynamic_shared is not None:
            whole("max_dynamic_shared", self.max_dynamic_shared, 0, None, "bytes per block")
        if type(self.opt_in) is not bool:
            raise ValueError(f"opt_in: {self.opt_in!r} is not allowed; give True or False")
        if self.carveout is not None:
            whole("carveout", self.carveout, 0, 100, "percent, or None for the driver's default")
        if not (type(self.barriers) is int and self.barriers >= 0):
            whole("barriers", self.barriers, 0, None, "barriers per block")
        if type(self.partitioned_caching) is not bool and self.partitioned_caching != "strict":
            raise ValueError(
                f'partitioned_caching: {self.partitioned_caching!r} is not allowed; give False, True or "strict"'
            )
        if self.cluster != 1:
            whole("cluster", self.cluster, 1, None, "blocks per cluster")
        if self.virtual != 0:
            whole("virtual", self.virtual, 0, None, "virtual resources per block")
        if self.cache_preference != "none":
            choice("cache_preference", self.cache_preference, CACHE_PREFERENCES)

    @property
    def warps(self) -> int:
        """Warps per block; a part of a warp takes a whole one."""
        return -(-self.threads // 32)

    @property
    def shared_memory(self) -> int:
        """Static and dynamic shared memory, bytes per block."""
        return self.static_shared + self.dynamic_shared
