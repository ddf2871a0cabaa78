"""Block sizes: the vendor's suggestion, the smallest as good, and the room left."""

from __future__ import annotations

import pytest

from occusite import nvidia
from occusite.nvidia import Launch


class TestBlockSizes:
    def test_suggestion_is_the_largest_of_the_best(self) -> None:
        device, launch = nvidia.device("8.9"), Launch(32, 40)
        best = device.potential_block_size(launch)
        assert best == (768, 2, 48, 256)
        smallest = device.smallest_block_size(launch)
        assert (smallest.threads, smallest.blocks, smallest.warps) == (64, 24, 48)

    def test_size_dependent_dynamic_shared_memory(self) -> None:
        device, launch = nvidia.device("8.0"), Launch(32, 32)
        fixed = device.potential_block_size(launch, 16 * 1024)
        grows = device.potential_block_size(launch, lambda threads: 64 * threads)
        assert (fixed.threads, fixed.warps) == (1024, 64)
        assert grows.warps == 64
        assert device.potential_block_size(launch, lambda threads: 400 * threads).threads < 1024

    def test_launch_bounds(self) -> None:
        device = nvidia.device("8.9")
        assert device.potential_block_size(Launch(32, 40), max_threads=100).threads == 96
        assert device.potential_block_size(Launch(32, 255, 48 * 1024), max_threads=100).threads == 100

    def test_nothing_runs(self) -> None:
        assert nvidia.device("8.9").potential_block_size(Launch(32, 257)) == (0, 0, 0, 0)

    def test_bad_size_function(self) -> None:
        with pytest.raises(ValueError, match=r"^dynamic_shared: -1 is not allowed"):
            nvidia.device("8.9").potential_block_size(Launch(32, 32), lambda threads: -1)
        with pytest.raises(ValueError, match=r"^max_threads: 0 is not allowed"):
            nvidia.device("8.9").potential_block_size(Launch(32, 32), max_threads=0)

    def test_room_for_more_blocks_than_run(self) -> None:
        with pytest.raises(ValueError, match=r"^blocks: 7 is not allowed; give 1–6 "):
            nvidia.device("8.9").available_dynamic_shared(Launch(256, 40), 7)
        with pytest.raises(ValueError, match="this launch cannot run"):
            nvidia.device("8.9").available_dynamic_shared(Launch(256, 40, cluster=2), 1)
