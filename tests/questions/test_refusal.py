"""What lets a launch run that cannot: each way is enough, and nothing nearer is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import amd, nvidia, occupancy
from occusite.nvidia import Launch
from occusite.questions.refusal import refusal
from tests.questions.asked import chips


def ways(device: str, launch: Any) -> list[tuple[str, Any, Any, int]]:
    return [(*way[:3], way.then.blocks) for way in refusal(occupancy(device, launch)).ways]


@pytest.mark.parametrize(
    ("device", "launch", "wanted"),
    [
        # Nine warps are checked as twelve: 12 × 168 × 32 = 64,512, and 256 threads are eight.
        ("9.0", Launch(288, 224), [("threads", 288, 256, 1), ("registers", 224, 168, 1)]),
        ("8.9", Launch(2048, 32), [("threads", 2048, 1024, 1)]),
        ("8.9", Launch(256, 300), [("registers", 300, 255, 1)]),
        ("8.9", Launch(256, 40, 0, 131_072), [("dynamic_shared", 131_072, 101_376, 1)]),
        (
            *("8.9", Launch(256, 40, 0, 60_000, opt_in=False)),
            [("opt_in", False, True, 1), ("dynamic_shared", 60_000, 49_152, 2)],
        ),
        (
            *("8.9", Launch(256, 40, 0, 60_000, max_dynamic_shared=49_152)),
            [("max_dynamic_shared", 49_152, None, 1), ("dynamic_shared", 60_000, 49_152, 2)],
        ),
        ("9.0", Launch(32, 40, cluster=64), [("cluster", 64, 16, 32)]),
        ("8.9", Launch(32, 40, cluster=2), [("cluster", 2, 1, 24)]),
        ("gfx942", amd.Launch(256, 40, lds=70_000), [("lds", 70_000, 65_536, 1)]),
    ],
)
def test_by_hand(device: str, launch: Any, wanted: list[Any]) -> None:
    assert ways(device, launch) == wanted


def test_where_no_single_change_is_enough_all_are_made() -> None:
    found = refusal(occupancy("8.9", Launch(2048, 300, 0, 200_000)))
    assert found.ways == ()
    assert found.nearest and found.nearest.runs
    assert found.nearest.launch.threads == 1024


@given(
    st.builds(
        Launch,
        threads=st.integers(1, 1500),
        registers=st.integers(100, 300),
        dynamic_shared=st.integers(0, 300_000),
        opt_in=st.booleans(),
    ),
    chips,
)
def test_a_way_is_enough_and_the_nearest(launch: Launch, device: nvidia.Device) -> None:
    answer = device.occupancy(launch)
    if answer.runs:
        with pytest.raises(ValueError, match=r"^launch: .* runs"):
            refusal(answer)
        return
    found = refusal(answer)
    for way in found.ways:
        assert way.then == device.occupancy(replace(launch, **{way.field: way.after}))
        assert way.then.runs
        if way.field in ("registers", "dynamic_shared") and way.after < device.range(launch.FIELDS[1])[1]:
            assert not device.occupancy(replace(launch, **{way.field: way.after + 1})).runs
    assert found.nearest is None or found.nearest.runs
