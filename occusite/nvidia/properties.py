"""What an NVIDIA GPU has: the properties the driver reports, and how its compute capability allocates them."""

from __future__ import annotations

from dataclasses import dataclass, field

from occusite.model.checks import choice, kept
from occusite.nvidia.launch import Launch
from occusite.nvidia.rules import CHIPS, HEADER, HEADERS, KIB, Allocation, allocation_for


def suffixes(major: int) -> tuple[str, ...]:
    """The suffixes code for a compute capability may have: "a", its own chip alone; "f", its family.

    Source: ptxas 13.5, the values of --gpu-name.
    """
    return (("a",) if major >= 9 else ()) + (("f",) if major >= 10 else ())


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties `cudaGetDeviceProperties` reports, and the `allocation` of the compute capability.

    Registers are 32-bit registers, shared memory is in bytes, `…_per_sm` counts one streaming multiprocessor.
    `header`: the CUDA version whose `cuda_occupancy.h` gives the rules, one of `HEADERS`. `suffix`: what code for this
    device is compiled for, "" (plain sm_90), "a" or "f"; None, as of a board, is any code: then no compiler's limit holds.
    `sm_count`: None where it is not known; `note` then says why.

    Raises `ValueError` for a property below 1 (the reserve: below 0) or a compute capability without known rules.
    """

    compute_capability: str
    name: str = ""
    sm_count: int | None = 1
    threads_per_sm: int = 2048
    shared_memory_per_sm: int = 48 * KIB
    shared_memory_per_block_opt_in: int = 48 * KIB
    reserved_shared_memory: int = 0
    registers_per_block: int = 65_536
    registers_per_sm: int = 65_536
    shared_memory_per_block: int = 48 * KIB
    max_threads_per_block: int = 1024
    warp_size: int = 32
    header: str = HEADER
    suffix: str | None = None
    note: str = ""
    allocation: Allocation = field(init=False, repr=False)
    major: int = field(init=False, repr=False, compare=False)
    minor: int = field(init=False, repr=False, compare=False)
    warps_per_sm: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        major, _, minor = str(self.compute_capability).partition(".")
        choice("header", self.header, HEADERS)
        known = major.isdecimal() and minor.isdecimal()
        allocation = allocation_for(int(major), int(minor), self.header) if known else None
        if allocation is None:
            by = f" to header {self.header}" if self.header != HEADER else ""
            raise ValueError(
                f"compute_capability: {self.compute_capability!r} is not known{by}; give one of {', '.join(CHIPS)}"
            )
        if self.suffix not in (None, "", *(legal := suffixes(int(major)))):
            allowed = " or ".join(map(repr, legal)) or "none"
            raise ValueError(
                f"suffix: {self.suffix!r} is not allowed; code for {self.compute_capability} has {allowed}"
            )
        if self.sm_count is not None:
            kept(self, "sm_count", 1)
        for name in (
            "threads_per_sm",
            "shared_memory_per_sm",
            "registers_per_block",
            "registers_per_sm",
            "shared_memory_per_block",
            "max_threads_per_block",
            "warp_size",
        ):
            kept(self, name, 1)
        kept(self, "shared_memory_per_block_opt_in", 0)
        kept(self, "reserved_shared_memory", 0)
        put = object.__setattr__
        put(self, "allocation", allocation)
        put(self, "major", int(major))
        put(self, "minor", int(minor))
        put(self, "warps_per_sm", self.threads_per_sm // self.warp_size)
        if not self.name:
            put(self, "name", f"compute capability {self.compute_capability}")

    @property
    def reserves(self) -> bool:
        """Whether a block's limit counts the system's reserve on top (CC ≥ 8.0)."""
        return self.major >= 8

    @property
    def sms(self) -> int:
        """SMs of the device. Raises `ValueError` where `sm_count` is not known, with the `note` that says why."""
        if self.sm_count is None:
            raise ValueError(f"sm_count: not known for {self.name}{'; ' * bool(self.note)}{self.note}")
        return self.sm_count

    @property
    def max_static_shared(self) -> int | None:
        """Bytes of static shared memory the compiler lets a block have; None where `suffix` is None.

        Source: ptxas 13.5 probed for every target: 48 KiB, but all that a block may have for code with the suffix "a".
        """
        if self.suffix is None:
            return None
        return self.shared_memory_per_block_opt_in if self.suffix == "a" else self.shared_memory_per_block

    def warps_per_block(self, launch: Launch) -> int:
        """Warps of one block; a part of a warp takes a whole one."""
        return -(-launch.threads // self.warp_size)

    def max_dynamic_shared(self, launch: Launch) -> int:
        """Bytes of dynamic shared memory the kernel may ask for: its own cap, or all the device lets a block have."""
        if launch.max_dynamic_shared is not None:
            return launch.max_dynamic_shared
        most = max(self.shared_memory_per_block_opt_in, self.shared_memory_per_block)
        return max(most - launch.static_shared, 0)
