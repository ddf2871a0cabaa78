"""NVIDIA devices: the exact residency of a launch, and the device of a compute capability."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from occusite.model.answer import UNLIMITED, Limit, Occupancy, RuleSet
from occusite.model.fields import Field
from occusite.model.terms import Budget, Phrase, Step, Terms
from occusite.nvidia import fast, limits, working
from occusite.nvidia.block_size import (
    BlockSize,
    Shared,
    available_dynamic_shared,
    potential_block_size,
    smallest_block_size,
)
from occusite.nvidia.clusters import Clusters, cluster_cause, clusters
from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties
from occusite.nvidia.reasons import causes
from occusite.nvidia.rules import CHIPS, HEADER

TERMS = Terms("SM", "warp", "block", "thread", "shared memory")
BUDGETS = (
    Budget("registers", "registers", "registers"),
    Budget("shared_memory", "shared memory", "memory"),
    Budget("warps", "warp slots", "warps"),
    Budget("blocks", "block slots", "blocks"),
    Budget("barriers", "barriers", "barriers"),
    Budget("virtual", "virtual resources", "other"),
)

_ARCHITECTURE = re.compile(r"((?:sm|compute|cc)[_ ]?)?(\d{1,2})(\.?)(\d)([af]?)", re.IGNORECASE)
# Compute capabilities of Tegra chips, from and to which binary compatibility does not hold.
_TEGRA = ((3, 2), (5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0))


@dataclass(frozen=True, slots=True)
class Device(Properties):
    """An NVIDIA GPU: the properties `cudaGetDeviceProperties` reports, and the rules of its compute capability.

    Registers are 32-bit registers, shared memory is in bytes, `…_per_sm` counts one streaming multiprocessor.
    `nvidia.device("8.9")` and `devices.find("rtx 4090")` give real ones. `header`: the CUDA version whose
    `cuda_occupancy.h` gives the rules, one of `HEADERS`.

    Raises `ValueError` for a property below 1 (the reserve: below 0) or a compute capability without known rules.
    """

    vendor: ClassVar[str] = "nvidia"
    terms: ClassVar[Terms] = TERMS
    budgets: ClassVar[tuple[Budget, ...]] = BUDGETS
    launch_type: ClassVar[type[Launch]] = Launch

    @property
    def architecture(self) -> str:
        """What the compiler calls it: "sm_89", "sm_90a"."""
        return f"sm_{self.major}{self.minor}{self.suffix or ''}"

    @property
    def rules(self) -> RuleSet:
        """The header whose rules are followed."""
        return RuleSet(self.header, f"cuda_occupancy.h of CUDA {self.header}")

    @property
    def cores(self) -> int | None:
        """SMs of the device; None where that is not known."""
        return self.sm_count

    @property
    def slots(self) -> int:
        """Warp slots of one SM."""
        return self.warps_per_sm

    def by_rules(self, name: str) -> Device:
        """The same device by the rules of another header. Raises `ValueError` for an unknown one."""
        return replace(self, header=name)

    def range(self, field: Field) -> tuple[int, int]:
        """The least and the largest value of a whole-number field worth asking on this device."""
        most = max(self.shared_memory_per_block_opt_in, self.shared_memory_per_block)
        return {
            "threads": (1, self.max_threads_per_block),
            "registers": (1, 255),
            "static_shared": (0, most),
            "dynamic_shared": (0, most),
            "max_dynamic_shared": (0, most),
            "carveout": (0, 100),
            "barriers": (0, 16),
            "cluster": (1, 16),
            "virtual": (0, self.allocation.virtual or 0),
        }[field.name]

    def turns(self, launch: Launch, field: Field) -> tuple[int, ...]:
        """The bytes of shared memory beyond which a larger pool holds more blocks again; see `limits.pool_turns`."""
        if field.eases != "shared_memory":
            return ()
        others = launch.static_shared + launch.dynamic_shared - getattr(launch, field.name)
        fixed = others + self.reserved_shared_memory
        preferred = limits.preferred_pool(self, launch.carveout, launch.cache_preference)
        return tuple(size - fixed for size in limits.pool_turns(self, preferred) if size > fixed)

    def occupancy(self, launch: Launch) -> Occupancy:
        """Exact residency on one SM: every limit, all limiters, and why a launch cannot run.

        Raises `ValueError` only for a device whose shared memory its architecture cannot set aside.
        """
        by_budget, allocated, halves = limits.each_limit(self, launch, launch.dynamic_shared)
        blocks = min([v for v in by_budget.values() if v is not None])
        warps = -(-launch.threads // self.warp_size)
        why: tuple[Phrase, ...] = ()
        limiters = tuple([b for b, v in by_budget.items() if v == blocks])
        if blocks == 0 or launch.cluster != 1:
            cluster = cluster_cause(self, launch)
            if cluster:
                why, blocks, limiters = (cluster,), 0, ()
            elif blocks == 0:
                why = causes(self, launch, by_budget)
        return Occupancy(
            self,
            launch,
            blocks,
            blocks * warps,
            self.warps_per_sm,
            {b: UNLIMITED if v is None else _tuple(Limit, (v, v * warps)) for b, v in by_budget.items()},
            limiters,
            {
                "registers_per_block": limits.registers_per_warp(self, launch.registers) * warps,
                "shared_memory_per_block": allocated,
                "partitioned_caching": int(halves),
            },
            why,
        )

    def steps(self, answer: Occupancy) -> tuple[Step, ...]:
        """The arithmetic written out line by line, each with the name of its rule."""
        return working.steps(self, answer)

    def counter(self, launch: Launch, *names: str) -> Callable[..., tuple[int, int]]:
        """A fast function of the values of the fields `names`, all else as in `launch`, to (blocks, warps); unchecked.

        For threads, registers and dynamic shared memory at most a microsecond a call; from the same rule functions
        as `occupancy`, each asked once and remembered.
        """
        quick = fast.counter(self, launch, names)
        if quick:
            return quick

        def residency(*values: int) -> tuple[int, int]:
            changes: dict[str, Any] = dict(zip(names, values, strict=True))
            answer = self.occupancy(replace(launch, **changes))
            return answer.blocks, answer.warps

        return residency

    def block_counter(self, launch: Launch) -> Callable[..., int]:
        """`(threads, registers, dynamic_shared=0) -> resident blocks` with the options of `launch`, unchecked.

        The options are all but its threads, registers and dynamic shared memory. At most a microsecond a call.
        """
        return fast.block_counter(self, launch)

    def for_code(self, architecture: str) -> Device:
        """The same device for code compiled for "sm_90a", whose suffix it takes over; for any code where "" is given.

        Raises `ValueError` for a suffix no code of this device has.
        """
        match = _ARCHITECTURE.fullmatch(architecture)
        suffix = match[5].lower() if match else None
        return self if suffix == self.suffix else replace(self, suffix=suffix)

    def runs(self, architecture: str) -> bool:
        """Whether binary code for "sm_86" runs here: same major, no newer minor; "sm_90a": that one alone.

        Source: CUDA Programming Guide, Binary Compatibility; it does not hold from or to the Tegra chips.
        """
        match = _ARCHITECTURE.fullmatch(architecture)
        if not match:
            return False
        ours, theirs = (self.major, self.minor), (int(match[2]), int(match[4]))
        if match[5].lower() == "a" or ours in _TEGRA or theirs in _TEGRA:
            return ours == theirs
        return theirs[0] == self.major and theirs[1] <= self.minor

    def with_pool(self, launch: Launch, pool: int) -> Launch:
        """The launch with the carve-out that sets the SM's shared memory to `pool` bytes, as a profile states it.

        Raises `ValueError` for a size that this architecture cannot set aside.
        """
        for percent in range(101):
            if limits.preferred_pool(self, percent) == pool:
                return replace(launch, carveout=percent)
        raise ValueError(f"pool: {pool:,} bytes of shared memory are not a size that {self.name} sets aside")

    def potential_block_size(
        self, launch: Launch, dynamic_shared: Shared | None = None, max_threads: int | None = None
    ) -> BlockSize:
        """The block size the vendor's API suggests; see `block_size.potential_block_size`."""
        return potential_block_size(self, launch, dynamic_shared, max_threads)

    def smallest_block_size(
        self, launch: Launch, dynamic_shared: Shared | None = None, max_threads: int | None = None
    ) -> BlockSize:
        """The smallest block size as good; see `block_size.smallest_block_size`."""
        return smallest_block_size(self, launch, dynamic_shared, max_threads)

    def available_dynamic_shared(self, launch: Launch, blocks: int) -> int:
        """Bytes of dynamic shared memory per block that keep `blocks` resident; see `block_size`."""
        return available_dynamic_shared(self, launch, blocks)

    def clusters(self, launch: Launch) -> Clusters:
        """What can be said about the launch's clusters without the driver."""
        return clusters(self, launch, self.occupancy(launch).blocks)


# Twice as fast as the class itself, and six are made for each answer.
_tuple = tuple.__new__


def device(compute_capability: str | float, header: str = HEADER) -> Device:
    """The device that stands for a compute capability, "5.0" … "12.1": its limits, and the SM count of an example.

    `header`: the CUDA version whose rules to follow, one of `HEADERS`; the newest by default.
    Raises `ValueError` for a compute capability that header does not know. For GPUs by name see `devices.find`.
    """
    text = str(compute_capability)
    chip = CHIPS.get(text)
    if chip is None:
        raise ValueError(f"compute_capability: {compute_capability!r} is not known; give one of {', '.join(CHIPS)}")
    return Device(
        text,
        f"compute capability {text} ({chip.family})",
        chip.sms,
        chip.threads,
        chip.shared,
        chip.opt_in,
        chip.reserved,
        chip.registers_per_block,
        chip.registers,
        header=header,
    )


def from_architecture(text: str) -> Device | None:
    """The device of an architecture's name: "8.9", "sm_90a", "compute_80"; None for what names none.

    A compute capability is the hardware; an "sm_90a" is code, and the device keeps its suffix: "" for a plain "sm_90".
    Raises `ValueError` for a compute capability that is written as one and not known, and for a suffix it never has.
    """
    match = _ARCHITECTURE.fullmatch(text)
    if not match or not (f"{match[2]}.{match[4]}" in CHIPS or match[1] or match[3]):
        return None
    named = device(f"{match[2]}.{match[4]}")
    # "sm_90" names code, "9.0" and "cc 9.0" the hardware, which runs code of any suffix.
    if match[5] or (match[1] or "").lower().startswith(("sm", "compute")):
        named = replace(named, suffix=match[5].lower())
        return replace(named, name=f"{named.name}, {named.architecture}") if named.suffix else named
    return named
