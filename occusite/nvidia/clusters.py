"""Thread block clusters (CC ≥ 9.0): what is documented, and where only the driver knows.

Documented (CUDA Programming Guide, Thread Block Clusters): the blocks of a cluster run at the same time on the SMs of
one GPU processing cluster; 8 blocks is the portable maximum; 16 needs the kernel's non-portable attribute and a chip
that has them; the grid is a whole number of clusters. Not documented: how many SMs each processing cluster of a given
board has, so how many clusters are active is known to the driver alone (`cudaOccupancyMaxActiveClusters`).
"""

from __future__ import annotations

from typing import NamedTuple

from occusite.model.terms import Phrase
from occusite.nvidia.launch import Launch
from occusite.nvidia.properties import Properties

PORTABLE = 8
LARGEST = 16


class Clusters(NamedTuple):
    """`size` in blocks; `portable`: runs on every device with clusters; `at_most`: an upper bound on the clusters
    active on the whole device, which the driver's count never exceeds (None: the device's SMs are not known); `note`: what only the driver knows."""

    size: int
    portable: bool
    at_most: int | None
    note: str


def clusters(device: Properties, launch: Launch, blocks: int) -> Clusters:
    """What can be said about the launch's clusters without the driver; `blocks`: its resident blocks per SM."""
    note = "how many of them are active depends on how the board's SMs are grouped: only the driver knows"
    if launch.cluster > PORTABLE:
        note = f"more than {PORTABLE} blocks needs the non-portable attribute; {note}"
    sms = device.sm_count
    at_most = None if sms is None else blocks * sms // launch.cluster
    return Clusters(launch.cluster, launch.cluster <= PORTABLE, at_most, note)


def cluster_cause(device: Properties, launch: Launch) -> Phrase | None:
    """Why this cluster size cannot be launched; None when it can."""
    if launch.cluster == 1:
        return None
    if device.major < 9:
        return Phrase(f"clusters need compute capability 9.0; this device has {device.compute_capability}")
    if launch.cluster > LARGEST:
        return Phrase("a cluster has at most {} blocks; this launch asks for {}", (LARGEST, launch.cluster))
    return None
