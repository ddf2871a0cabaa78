"""A device for thousands of launches: the tables behind sweeps are kept for all launches of the same options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from occusite import nvidia


class Device(nvidia.Device):
    """An `nvidia.Device` whose `counter_like` remembers; equal in every answer."""

    __slots__ = ("_kept",)
    _kept: dict[object, Callable[..., int]]

    @classmethod
    def of(cls, device: nvidia.Device) -> Device:
        """The same device."""
        made = cls(**{f.name: getattr(device, f.name) for f in fields(device) if f.init})
        object.__setattr__(made, "_kept", {})
        return made

    def counter_like(self, launch: nvidia.Launch) -> Callable[..., int]:
        options = (
            *(launch.static_shared, launch.max_dynamic_shared, launch.opt_in, launch.carveout, launch.barriers),
            *(launch.partitioned_caching, launch.cluster, launch.virtual, launch.cache_preference),
        )
        if options not in self._kept:
            self._kept[options] = super().counter_like(launch)
        return self._kept[options]
