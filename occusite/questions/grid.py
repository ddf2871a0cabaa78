"""A grid on the whole device: waves of resident blocks, and how much of the last one is empty."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from occusite.model.answer import Occupancy
from occusite.model.checks import integer


class Waves(NamedTuple):
    """How a grid of `grid` blocks runs when every block takes the same time.

    `per_wave`: blocks resident on the whole device. `full`: whole waves. `tail`: blocks of a last, partial wave (0:
    none). `efficiency`: the share of the waves' block slots that are used. `idle_cores`: cores (SMs) without a block
    in the last wave, as blocks are spread one to a core first.
    """

    grid: int
    per_wave: int
    full: int
    tail: int
    efficiency: Fraction
    idle_cores: int

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
    if not answer.runs:
        raise ValueError(f"launch: {answer.launch!r} cannot run; {answer.reason}")
    cores = answer.device.cores
    if cores is None:
        why = getattr(answer.device, "note", "")
        raise ValueError(
            f"grid: {grid!r} is not allowed; the number of {answer.device.terms.core}s of {answer.device.name} "
            f"is not known{': ' * bool(why)}{why}"
        )
    per_wave = answer.blocks * cores // cluster * cluster
    full, tail = divmod(grid, per_wave)
    last = tail or per_wave
    efficiency = Fraction(grid, (full + bool(tail)) * per_wave)
    return Waves(grid, per_wave, full, tail, efficiency, max(cores - last, 0))
