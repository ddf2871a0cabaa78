"""The arithmetic written out agrees with the answer."""

from __future__ import annotations

import pytest

from occusite import nvidia
from occusite.nvidia import Launch


class TestWorking:
    def test_written_out(self) -> None:
        device = nvidia.device("8.0")
        lines = [(s.budget, s.text(), s.value) for s in device.occupancy(Launch(224, 92, 0, 5120)).steps]
        assert lines == [
            ("", "⌈224 threads ÷ 32⌉", 7),
            ("registers", "92 × 32 threads = 2,944; ⌈2,944 ÷ 256⌉ × 256", 3072),
            ("registers", "⌈7 ÷ 4⌉ × 4 = 8 warps × 3,072 = 24,576 ≤ 65,536", 24_576),
            ("registers", "⌊65,536 ÷ 4 partitions = 16,384, ÷ 3,072⌋ = 5 × 4 partitions", 20),
            ("registers", "⌊20 warps ÷ 7⌋", 2),
            ("shared_memory", "0 static + 5,120 dynamic + 1,024 reserved = 6,144; ⌈6,144 ÷ 128⌉ × 128", 6144),
            ("shared_memory", "driver's default: 167,936 bytes", 167_936),
            ("shared_memory", "⌊167,936 B ÷ 6,144 B⌋", 27),
            ("warps", "⌊64 slots ÷ 7⌋", 9),
            ("blocks", "32 slots", 32),
            ("", "min(2, 27, 9, 32)", 2),
            ("", "2 blocks × 7 warps, of 64 slots: 21.88 %", 14),
        ]

    @pytest.mark.parametrize("capability", list(nvidia.CHIPS))
    @pytest.mark.parametrize(
        "launch",
        [
            Launch(256, 40, 1000, 5000),
            Launch(1000, 64, carveout=10, barriers=3, virtual=5),
            Launch(33, 0, opt_in=False, partitioned_caching="on"),
            Launch(1024, 65, 30_000, 30_000),
            Launch(2048, 300, 0, 400_000, barriers=200, virtual=200),
        ],
    )
    def test_agrees_with_the_answer(self, capability: str, launch: Launch) -> None:
        """The last line of each budget gives its limit; the last lines give the answer."""
        found = nvidia.device(capability).occupancy(launch)
        steps = found.steps
        assert all(step.text() and step.rule and step.unit for step in steps)
        for budget, limit in found.limits.items():
            lines = [s for s in steps if s.budget == budget]
            if lines:
                assert (lines[-1].value, lines[-1].unit) == (limit.blocks, "blocks")
            else:
                assert limit.blocks is None
        assert steps[-1].value == found.warps
        if found.reason:
            assert steps[-1].text() == found.reason
