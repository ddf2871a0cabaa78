"""Occupancy of Intel GPUs, Gen9 to Xe2, as the vendor's calculator gives it: `device("pvc")`."""

from __future__ import annotations

from occusite.intel.device import Device, device, from_architecture
from occusite.intel.launch import Launch
from occusite.intel.rules import ARCHITECTURES, SOURCE

__all__ = ["ARCHITECTURES", "SOURCE", "Device", "Launch", "device", "from_architecture"]
