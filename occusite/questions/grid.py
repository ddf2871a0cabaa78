"""A grid on the whole device: the largest resident at once, waves, idle cores, and both occupancies a profiler prints."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from occusite.model.answer import Occupancy
from occusite.model.checks import integer


class Waves(NamedTuple):
    """How a grid of `grid` blocks runs when every block takes the same time.

    `per_wave`: blocks resident on the whole device. `full`: whole waves. `tail`: blocks of a last, partial wave (0:
    none). `efficiency`: the share of the waves' block slots that are used. `idle_cores`: cores (SMs) without a block
    in the last wave, as blocks are spread one to a core first. `cores`: those of the device.
    """

    grid: int
    per_wave: int
    full: int
    tail: int
    efficiency: Fraction
    idle_cores: int
    cores: int

    @property
    def busy_cores(self) -> int:
        """Cores (SMs) that have a block in the last wave."""
        return self.cores - self.idle_cores

    @property
    def number(self) -> Fraction:
        """The grid in waves, exactly."""
        return Fraction(self.grid, self.per_wave)


def waves(answer: Occupancy, grid: int) -> Waves:
    """Waves and tail of a grid of `grid` blocks on the whole device of `answer`.

    Raises `ValueError` for a grid below 1 or not a multiple of the launch's cluster, for a launch that cannot run, and
    for a device whose number of cores is not known.
    """
    grid = integer("grid", grid, 1, None, "blocks")
    cluster = getattr(answer.launch, "cluster", 1)
    if grid % cluster:
        raise ValueError(f"grid: {grid!r} is not allowed; give a multiple of the cluster's {cluster} blocks")
    cores = _cores(answer, f"grid: {grid!r}")
    per_wave = answer.blocks * cores // cluster * cluster
    full, tail = divmod(grid, per_wave)
    last = tail or per_wave
    efficiency = Fraction(grid, (full + bool(tail)) * per_wave)
    return Waves(grid, per_wave, full, tail, efficiency, max(cores - last, 0), cores)


class Largest(NamedTuple):
    """The largest grid that is resident at once: `blocks`, which is `per_core` on each of `cores`.

    `exact`: False where clusters make it an upper bound, since how many are active is known to the driver alone.
    """

    blocks: int
    per_core: int
    cores: int
    exact: bool


def largest(answer: Occupancy) -> Largest:
    """The largest grid of which all blocks are resident at once: what a cooperative launch may ask for at most.

    A persistent kernel needs no more blocks either. Source: CUDA Programming Guide, Cooperative Groups, Grid
    Synchronization: blocks per SM by the occupancy call × SMs; beyond it the launch fails with error 720.
    Raises `ValueError` for a launch that cannot run, and for a device whose number of cores is not known.
    """
    cores, cluster = _cores(answer, "grid"), getattr(answer.launch, "cluster", 1)
    return Largest(answer.blocks * cores // cluster * cluster, answer.blocks, cores, cluster == 1)


class Achieved(NamedTuple):
    """Occupancy over time of a whole grid: `of_active` cores, those that have a block, and `of_all` cores."""

    of_active: Fraction
    of_all: Fraction


def achieved(answer: Occupancy, grid: int) -> Achieved:
    """Both occupancies that profilers print for a grid of `grid` blocks, when every block takes the same time.

    Nsight Compute's achieved occupancy divides by the slots of cores while they are active
    (`sm__warps_active.avg.pct_of_peak_sustained_active`); over the elapsed time of all cores a small grid or a short
    last wave counts as well (`…_elapsed`). Real blocks differ in length: both are then lower. Errors as of `waves`.
    """
    found = waves(answer, grid)
    warps = found.grid * (answer.warps // answer.blocks)
    active = found.full * found.cores + (found.busy_cores if found.tail else 0)
    every = (found.full + bool(found.tail)) * found.cores
    return Achieved(Fraction(warps, active * answer.slots), Fraction(warps, every * answer.slots))


def _cores(answer: Occupancy, what: str) -> int:
    """Cores of the device. Raises `ValueError`, which begins with `what`, where they are not known or nothing runs."""
    if not answer.runs:
        raise ValueError(f"launch: {answer.launch!r} cannot run; {answer.reason}")
    cores = answer.device.cores
    if cores is None:
        why = getattr(answer.device, "note", "")
        raise ValueError(
            f"{what} is not allowed; the number of {answer.device.terms.core}s of {answer.device.name} "
            f"is not known{': ' * bool(why)}{why}"
        )
    return cores
