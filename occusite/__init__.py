"""Occusite: exact GPU occupancy, and the book that teaches it."""

from __future__ import annotations

from typing import Any

from occusite.model import Device, Limit, Occupancy, Step

__version__ = "0.1.0"
__all__ = ["Device", "Limit", "Occupancy", "Step", "__version__", "occupancy"]


def occupancy(device: Any, launch: Any, **fields: Any) -> Occupancy:
    """Residency of `launch` on `device`: one call for every vendor.

    `device` is a device object (`paper.SM()`, `nvidia.device("8.9")`, …), a name that `devices.find` knows
    ("rtx 4090", "sm_90a", "paper"), or what a program holds: (8, 9), `torch.cuda.get_device_properties()`, …
    (`objects.device`). `launch` is the vendor's launch, or a compiled kernel of Triton, CuPy, Numba, … that `fields`
    such as `threads` complete (`objects.launch`); of a launch they replace fields. Raises `ValueError` for an unknown
    name, with near matches, for an object without known names, and for another vendor's launch.
    """
    if not hasattr(device, "launch_type"):
        from occusite import objects

        device = objects.device(device)
    if fields or not isinstance(launch, device.launch_type):
        wanted = f"{device.launch_type.__module__}.{device.launch_type.__qualname__}"
        if hasattr(type(launch), "FIELDS") and not isinstance(launch, device.launch_type):
            raise ValueError(f"launch: {launch!r} is not allowed; {device.name} takes {wanted}")
        from occusite import objects

        launch = objects.launch(launch, device, **fields)
    answer: Occupancy = device.occupancy(launch)
    return answer
