"""Occusite: exact GPU occupancy, and the book that teaches it."""

from __future__ import annotations

from typing import Any

from occusite.model import Device, Limit, Occupancy, Step

__version__ = "0.1.0"
__all__ = ["Device", "Limit", "Occupancy", "Step", "__version__", "occupancy"]


def occupancy(device: Device | str, launch: Any) -> Occupancy:
    """Residency of `launch` on `device`: one call for every vendor.

    `device` is a device object (`paper.SM()`, `nvidia.device("8.9")`, …) or a name that `devices.find` knows
    ("rtx 4090", "sm_90a", "paper"). Raises `ValueError` for an unknown name, with near matches, and for another
    vendor's launch.
    """
    if isinstance(device, str):
        from occusite import devices

        device = devices.find(device)
    if not isinstance(launch, device.launch_type):
        wanted = f"{device.launch_type.__module__}.{device.launch_type.__qualname__}"
        raise ValueError(f"launch: {launch!r} is not allowed; {device.name} takes {wanted}")
    return device.occupancy(launch)
