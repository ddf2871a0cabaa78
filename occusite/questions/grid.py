"""A grid on the whole device: waves of resident blocks, and how much of the last one is empty."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from occusite.model.checks import whole
from occusite.nvidia.launch import Launch

if TYPE_CHECKING:
    from occusite.nvidia.device import Device


class Waves(NamedTuple):
    """How a grid of `grid` blocks runs when every block takes the same time.

    `per_wave`: blocks resident on the whole device. `full`: whole waves. `tail`: blocks of a last, partial wave (0:
    none). `efficiency`: the share of the waves' block slots that are used. `idle_sms`: SMs without a block in the
    last wave, as blocks are spread one to an SM first.
    """

    grid: int
    per_wave: int
    full: int
    tail: int
    efficiency: Fraction
    idle_sms: int

    @property
    def number(self) -> Fraction:
        """The grid in waves, exactly."""
        return Fraction(self.grid, self.per_wave)


def waves(device: Device, launch: Launch, grid: int) -> Waves:
    """Waves and tail of a grid of `grid` blocks on the whole device.

    Raises `ValueError` for a grid below 1 or not a multiple of the launch's cluster, and for a launch that cannot run.
    """
    whole("grid", grid, 1, None, "blocks")
    if grid % launch.cluster:
        raise ValueError(f"grid: {grid!r} is not allowed; give a multiple of the cluster's {launch.cluster} blocks")
    found = device.occupancy(launch)
    if not found.runs:
        raise ValueError(f"launch: {launch!r} cannot run; {found.reason}")
    per_wave = found.blocks * device.sm_count // launch.cluster * launch.cluster
    full, tail = divmod(grid, per_wave)
    last = tail or per_wave
    efficiency = Fraction(grid, (full + bool(tail)) * per_wave)
    return Waves(grid, per_wave, full, tail, efficiency, max(device.sm_count - last, 0))
