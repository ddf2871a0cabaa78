"""Exact occupancy of NVIDIA GPUs, Kepler to Rubin: `Device`, `Launch` and `device("8.9")`."""

from __future__ import annotations

from occusite.nvidia.block_size import BlockSize
from occusite.nvidia.clusters import Clusters
from occusite.nvidia.device import Device, device, from_architecture
from occusite.nvidia.launch import Launch
from occusite.nvidia.rules import CHIPS, HEADER, HEADERS, SOURCES

__all__ = [
    "CHIPS",
    "HEADER",
    "HEADERS",
    "SOURCES",
    "BlockSize",
    "Clusters",
    "Device",
    "Launch",
    "device",
    "from_architecture",
]
