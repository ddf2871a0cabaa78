"""NVIDIA devices: limits as the driver reports them, and the exact residency of a launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from occusite.model.answer import Occupancy, Step
from occusite.model.checks import choice, whole
from occusite.nvidia import limits
from occusite.nvidia.block_size import (
    BlockSize,
    Shared,
    available_dynamic_shared,
    potential_block_size,
    smallest_block_size,
)
from occusite.nvidia.clusters import cluster_reason
from occusite.nvidia.fast import counter
from occusite.nvidia.launch import Launch
from occusite.nvidia.reasons import reason_for
from occusite.nvidia.rules import CHIPS, HEADER, HEADERS, KIB, Rules, rules_for


@dataclass(frozen=True, slots=True)
class Device:
    """An NVIDIA GPU: the properties `cudaGetDeviceProperties` reports, and the rules of its compute capability.

    Registers are 32-bit registers, shared memory is in bytes, `…_per_sm` counts one streaming multiprocessor.
    `nvidia.device("8.9")` and `devices.find("rtx 4090")` give real ones. `header`: the CUDA version whose
    `cuda_occupancy.h` gives the rules, one of `HEADERS`.

    Raises `ValueError` for a property below 1 (the reserve: below 0) or a compute capability without known rules.
    """

    compute_capability: str
    name: str = ""
    sm_count: int = 1
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
    rules: Rules = field(init=False, repr=False, compare=False)
    major: int = field(init=False, repr=False, compare=False)
    minor: int = field(init=False, repr=False, compare=False)
    warps_per_sm: int = field(init=False, repr=False, compare=False)
    _plain: list[Callable[..., int]] = field(init=False, repr=False, compare=False, default_factory=list)

    def __post_init__(self) -> None:
        major, _, minor = str(self.compute_capability).partition(".")
        choice("header", self.header, HEADERS)
        rules = rules_for(int(major), int(minor), self.header) if major.isdecimal() and minor.isdecimal() else None
        if rules is None:
            known = ", ".join(CHIPS)
            by = f" to header {self.header}" if self.header != HEADER else ""
            raise ValueError(f"compute_capability: {self.compute_capability!r} is not known{by}; give one of {known}")
        for name in (
            "sm_count",
            "threads_per_sm",
            "shared_memory_per_sm",
            "registers_per_block",
            "registers_per_sm",
            "shared_memory_per_block",
            "max_threads_per_block",
            "warp_size",
        ):
            whole(name, getattr(self, name), 1)
        whole("shared_memory_per_block_opt_in", self.shared_memory_per_block_opt_in, 0)
        whole("reserved_shared_memory", self.reserved_shared_memory, 0)
        put = object.__setattr__
        put(self, "rules", rules)
        put(self, "major", int(major))
        put(self, "minor", int(minor))
        put(self, "warps_per_sm", self.threads_per_sm // self.warp_size)
        if not self.name:
            put(self, "name", f"compute capability {self.compute_capability}")

    @property
    def reserves(self) -> bool:
        """Whether a block's limit counts the system's reserve on top (CC ≥ 8.0)."""
        return self.major >= 8

    def max_dynamic_shared(self, launch: Launch) -> int:
        """Bytes of dynamic shared memory the kernel may ask for: its own cap, or all the device lets a block have."""
        if launch.max_dynamic_shared is not None:
            return launch.max_dynamic_shared
        most = max(self.shared_memory_per_block_opt_in, self.shared_memory_per_block)
        return max(most - launch.static_shared, 0)

    def occupancy(self, launch: Launch) -> Occupancy:
        """Exact residency on one SM: every limit, all that bind, and why a launch cannot run.

        Raises `ValueError` only for a device whose shared memory its architecture cannot set aside.
        """
        found, allocated, halves = self.each_limit(launch, launch.dynamic_shared)
        blocks = min([v for v in found.values() if v is not None])
        warps = -(-launch.threads // self.warp_size)
        reason = ""
        binding = tuple([b for b, v in found.items() if v == blocks])
        if blocks == 0 or launch.cluster != 1:
            reason = cluster_reason(self, launch)
            if reason:
                blocks, binding = 0, ()
            elif blocks == 0:
                reason = reason_for(self, launch, found)
        return Occupancy(
            self,
            launch,
            blocks,
            blocks * warps,
            self.warps_per_sm,
            found,
            binding,
            {
                "registers_per_block": limits.registers_per_warp(self, launch.registers) * warps,
                "shared_memory_per_block": allocated,
                "partitioned_caching": int(halves),
            },
            reason,
        )

    def each_limit(self, launch: Launch, dynamic_shared: int) -> tuple[dict[str, int | None], int, bool]:
        """Blocks each budget allows with `dynamic_shared` bytes in place of the launch's own, the bytes of shared
        memory one block is allocated, and whether partitioned caching is in effect."""
        rules = self.rules
        warps = -(-launch.threads // self.warp_size)
        registers, halves = limits.register_limit(self, warps, launch.registers, launch.partitioned_caching)
        shared, allocated = limits.shared_limit(
            self,
            launch.static_shared,
            dynamic_shared,
            self.max_dynamic_shared(launch),
            launch.opt_in,
            limits.preferred_pool(self, launch.carveout, launch.cache_preference),
        )
        found = {
            "registers": registers,
            "shared_memory": shared,
            "warps": limits.warp_limit(self, launch.threads, halves),
            "blocks": rules.max_blocks,
            "barriers": limits.count_limit(rules.barriers, launch.barriers),
            "virtual": limits.count_limit(rules.virtual, launch.virtual),
        }
        return found, allocated, halves

    def resident_blocks(self, threads: int, registers: int, static_shared: int = 0, dynamic_shared: int = 0) -> int:
        """Resident blocks alone for a launch with default options: plain integers in, unchecked, ≤ 1 µs a call."""
        # With the default options it makes no difference which part of the memory is static.
        if not self._plain:
            self._plain.append(counter(self, Launch(threads=1, registers=0)))
        return self._plain[0](threads, registers, static_shared + dynamic_shared)

    def counter(self, **options: Any) -> Callable[..., int]:
        """A function `(threads, registers, dynamic_shared=0) -> resident blocks` for sweeps: unchecked, ≤ 1 µs a call.

        `options` are `Launch`'s other fields (`static_shared`, `carveout`, `barriers`, …), the same for every call.
        Answers come from the rule functions that `occupancy` uses, each asked once and remembered.
        """
        if "dynamic_shared" in options:
            raise ValueError("dynamic_shared: give it to the returned function, not as an option")
        return counter(self, Launch(threads=1, registers=0, **options))

    def counter_like(self, launch: Launch) -> Callable[..., int]:
        """`counter` with the options of `launch`: all but its threads, registers and dynamic shared memory."""
        return counter(self, launch)

    def along(self, launch: Launch, knob: str) -> Callable[[int], tuple[int, int]] | None:
        """A function from the knob's value to (blocks, warps), all else as in `launch`; None for a rare knob.

        Knobs served: "threads", "registers", "dynamic_shared".
        """
        count = self.counter_like(launch)
        threads, registers, shared, warp = launch.threads, launch.registers, launch.dynamic_shared, self.warp_size
        warps = -(-threads // warp)
        if knob == "threads":
            return lambda v: ((blocks := count(v, registers, shared)), blocks * -(-v // warp))
        if knob == "registers":
            return lambda v: ((blocks := count(threads, v, shared)), blocks * warps)
        if knob == "dynamic_shared":
            return lambda v: ((blocks := count(threads, registers, v)), blocks * warps)
        return None

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

    def working(self, launch: Launch) -> tuple[Step, ...]:
        """The arithmetic written out line by line, each with the name of its rule."""
        from occusite.nvidia.working import working

        return working(self, launch)


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
