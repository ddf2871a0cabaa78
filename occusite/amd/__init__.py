"""Occupancy of AMD GPUs, GCN to RDNA 4 and CDNA 4, by the hardware's rules or the compiler's: `device("gfx942")`."""

from __future__ import annotations

from occusite.amd.device import Device, device, from_architecture
from occusite.amd.launch import Launch
from occusite.amd.rules import DEFAULT_RULES, RULES, SOURCES, TARGETS

__all__ = ["DEFAULT_RULES", "RULES", "SOURCES", "TARGETS", "Device", "Launch", "device", "from_architecture"]
