"""Clusters: what is known without the driver."""

from __future__ import annotations

from occusite import nvidia
from occusite.nvidia import Launch


class TestClusters:
    def test_what_is_known(self) -> None:
        device = nvidia.device("9.0")
        found = device.clusters(Launch(256, 32, cluster=4))
        assert (found.size, found.portable, found.at_most) == (4, True, 8 * 132 // 4)
        assert "only the driver knows" in found.note

    def test_beyond_the_portable_size(self) -> None:
        found = nvidia.device("9.0").clusters(Launch(256, 32, cluster=16))
        assert not found.portable
        assert "non-portable" in found.note
