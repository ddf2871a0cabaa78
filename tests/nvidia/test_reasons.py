"""A legal question has an answer: zero blocks and the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from occusite import nvidia
from occusite.nvidia import Launch


class TestCannotRun:
    """A legal question has an answer: zero blocks and the reason."""

    @pytest.mark.parametrize(
        ("capability", "launch", "reason"),
        [
            ("8.9", Launch(1025, 32), "1,025 threads, a block may have 1,024"),
            ("8.9", Launch(64, 300), "300 registers per thread, the limit is 256"),
            ("6.1", Launch(64, 256), "256 registers per thread, the limit is 255"),
            (
                "8.9",
                Launch(64, 32, 50_000, 60_000),
                "asks for 60,000 bytes of dynamic shared memory, the device leaves",
            ),
            ("8.9", Launch(64, 32, 0, 2048, max_dynamic_shared=1024), "its own maximum is 1,024"),
            ("8.9", Launch(64, 32, 49_153, opt_in=False), "a block may take 50,176 without opt-in"),
            ("8.9", Launch(64, 32, 101_377), "a block may take 102,400"),
            (
                "5.0",
                Launch(64, 32, 0, 49_153),
                "asks for 49,153 bytes of dynamic shared memory, the device leaves 49,152",
            ),
            ("9.0", Launch(64, 32, barriers=65), "it uses 65 barriers, an SM has 64"),
            ("10.0", Launch(64, 32, virtual=129), "it uses 129 virtual resources, an SM has 128"),
            ("8.9", Launch(64, 32, cluster=2), "clusters need compute capability 9.0; this device has 8.9"),
            ("9.0", Launch(64, 32, cluster=17), "a cluster has at most 16 blocks; this launch asks for 17"),
        ],
    )
    def test_reason(self, capability: str, launch: Launch, reason: str) -> None:
        device = nvidia.device(capability)
        found = device.occupancy(launch)
        assert found.blocks == found.warps == 0
        assert not found.runs
        assert reason in found.reason
        assert device.block_counter(launch)(launch.threads, launch.registers, launch.dynamic_shared) == 0

    def test_every_short_budget_is_named(self) -> None:
        found = nvidia.device("8.9").occupancy(Launch(2000, 300, 200_000))
        assert found.limiters == ("registers", "shared_memory", "warps")
        assert found.reason.count(";") == 2

    def test_strict_partitioned_caching_can_refuse(self) -> None:
        launch = Launch(1024, 64, partitioned_caching="strict")
        found = nvidia.device("5.2").occupancy(launch)
        assert (found.blocks, found.allocated["partitioned_caching"]) == (0, 1)
        assert "there is room for 16" in found.reason
        relaxed = nvidia.device("5.2").occupancy(replace(launch, partitioned_caching="on"))
        assert (relaxed.blocks, relaxed.allocated["partitioned_caching"]) == (1, 0)
