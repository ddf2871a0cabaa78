"""Thread block clusters (CC ≥ 9.0): what is documented, and where only the driver knows.

Documented (CUDA Programming Guide, Thread Block Clusters): the blocks of a cluster run at the same time on the SMs of
one GPU processing cluster; 8 blocks is the portable maximum; 16 needs the kernel's non-portable attribute and a chip
that has them; the grid is a whole number of clusters. Not documented: how many SMs each processing cluster of a given
board has, so how many clusters are active is known to the driver alone (`cudaOccupancyMaxActiveClusters`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from occusite.nvidia.launch import Launch

if TYPE_CHECKING:
    from occusite.nvidia.device import Device

PORTABLE = 8
LARGEST = 16


class Clusters(NamedTuple):
    """`size` in blocks; `portable`: runs on every device with clusters; `at_most`: an upper bound on the clusters
    active on the whole device, which the driver's count never exceeds; `note`: what only the driver knows."""

    size: int
    portable: bool
    at_most: int
    note: str


def clusters(device: Device, launch: Launch) -> Clusters:
    """What can be said about the launch's clusters without the driver."""
    blocks = device.occupancy(launch).blocks
    note = "how many of them are active depends on how the board's SMs are grouped: only the driver knows"
    if launch.cluster > PORTABLE:
        note = f"more than {PORTABLE} blocks needs the non-portable attribute; {note}"
    return Clusters(launch.cluster, launch.cluster <= PORTABLE, blocks * device.sm_count // launch.cluster, note)


def cluster_reason(device: Device, launch: Launch) -> str:
    """Why this cluster size cannot be launched; "" when it can."""
    if launch.cluster == 1:
        return ""
    if device.major < 9:
        return f"clusters need compute capability 9.0; this device has {device.compute_capability}"
    if launch.cluster > LARGEST:
        return f"a cluster has at most {LARGEST} blocks; this launch asks for {launch.cluster:,}"
    return ""
