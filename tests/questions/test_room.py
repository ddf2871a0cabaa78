"""Shared memory for so many blocks: the ends of each range, one byte inside and one outside."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import amd, intel, nvidia, occupancy, paper
from occusite.nvidia import Launch
from occusite.questions.room import room, rooms
from tests.questions.asked import chips, launches


def test_by_hand() -> None:
    # 8.6: 102,400 bytes, units of 128, a KiB of each block is the system's: two blocks take at most 51,200 each.
    answer = occupancy("8.6", Launch(256, 40))
    assert room(answer, 1) == ("dynamic_shared", 1, 50_177, 101_376)
    assert room(answer, 2) == ("dynamic_shared", 2, 33_025, 50_176)
    assert room(answer, 6) == ("dynamic_shared", 6, 0, 16_000)
    assert room(answer, 7) == ("dynamic_shared", 7, None, None)
    assert [each.blocks for each in rooms(answer)] == [6, 5, 4, 3, 2, 1]


def test_the_launchs_own_size_does_not_count_but_its_static_part_does() -> None:
    device = nvidia.device("8.6")
    assert room(device.occupancy(Launch(256, 40, 0, 90_000)), 1) == room(device.occupancy(Launch(256, 40)), 1)
    assert room(device.occupancy(Launch(256, 40, 1000)), 1)[2:] == (49_177, 100_376)
    # The kernel's own cap ends it.
    assert room(device.occupancy(Launch(256, 40, max_dynamic_shared=49_152)), 2)[2:] == (33_025, 49_152)
    assert room(device.occupancy(Launch(256, 40, max_dynamic_shared=49_152)), 1)[2:] == (None, None)


def test_other_vendors_memory() -> None:
    assert room(occupancy("gfx942", amd.Launch(256, 40)), 2)[:2] == ("lds", 2)
    assert room(occupancy("gfx942", amd.Launch(256, 40)), 1)[2:] == (32_769, 65_536)
    assert room(occupancy("pvc", intel.Launch(256, 32)), 1).field == "slm"
    assert room(occupancy("paper", paper.Launch(256, 32)), 2)[2:] == (32_769, 49_152)


@given(launches, chips, st.integers(1, 32))
def test_exactly_so_many(launch: Launch, device: nvidia.Device, blocks: int) -> None:
    found = room(device.occupancy(launch), blocks)
    high = device.range(launch.FIELDS[3])[1]

    def resident(size: int) -> int:
        return device.occupancy(replace(launch, dynamic_shared=size)).blocks

    if found.least is None or found.most is None:
        assert all(resident(size) != blocks for size in range(0, high, 4096))
        return
    assert resident(found.least) == resident(found.most) == resident((found.least + found.most) // 2) == blocks
    assert found.least == 0 or resident(found.least - 1) != blocks
    assert found.most == high or resident(found.most + 1) != blocks


def test_refused() -> None:
    with pytest.raises(ValueError, match=r"^blocks: 0 is not allowed; give a whole number, 1 or more blocks"):
        room(occupancy("8.6", Launch(256, 40)), 0)
