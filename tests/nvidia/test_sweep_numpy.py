"""The NumPy sweep gives what the one-by-one answer gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import nvidia
from occusite.nvidia import Device, Launch

np = pytest.importorskip("numpy")
Sweep = pytest.importorskip("occusite.nvidia.sweep_numpy").Sweep

chips = st.sampled_from([nvidia.device(capability) for capability in nvidia.CHIPS])
options = st.fixed_dictionaries(
    {},
    optional={
        "static_shared": st.integers(0, 120_000),
        "max_dynamic_shared": st.integers(0, 240_000),
        "opt_in": st.booleans(),
        "carveout": st.integers(0, 100),
        "barriers": st.integers(0, 70),
        "partitioned_caching": st.sampled_from(("off", "on", "strict")),
        "virtual": st.integers(0, 140),
        "cluster": st.sampled_from((1, 4, 17)),
    },
)
triples = st.lists(
    st.tuples(st.integers(1, 1100), st.integers(0, 300), st.one_of(st.integers(0, 240_000), st.just(2**40))),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(chips, options, triples)
def test_equal_to_the_rich_answer(device: Device, options: dict[str, Any], asked: list[tuple[int, int, int]]) -> None:
    threads, registers, shared = (np.array(column, dtype=np.int64) for column in zip(*asked, strict=True))
    found = Sweep(device, **options)(threads, registers, shared)
    assert found.tolist() == [device.occupancy(Launch(t, r, dynamic_shared=s, **options)).blocks for t, r, s in asked]


def test_every_block_size_and_register_count() -> None:
    """More launches than one look-up takes, as a heat map asks for them."""
    device = nvidia.device("8.0")
    found = Sweep(device)(np.arange(1, 1025)[:, None], np.arange(1, 256)[None, :])
    assert found.shape == (1024, 255)
    count = device.block_counter(Launch(1, 0))
    assert found.tolist() == [[count(t, r) for r in range(1, 256)] for t in range(1, 1025)]


def test_a_device_with_odd_limits() -> None:
    device = Device("8.6", max_threads_per_block=1000, shared_memory_per_sm=100 * 1024, reserved_shared_memory=1025)
    threads = np.arange(990, 1030)
    assert Sweep(device)(threads, 32, 100).tolist() == [
        device.block_counter(Launch(1, 0))(t, 32, 100) for t in threads.tolist()
    ]


def test_numbers_are_broadcast_and_small_types_do_not_overflow() -> None:
    sweep = Sweep(nvidia.device("8.9"))
    assert sweep(256, 40).tolist() == 6
    assert sweep(np.array([255, 1], dtype=np.uint8), np.array([255, 40], dtype=np.uint8)).tolist() == [1, 24]
    assert sweep([], []).tolist() == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (([0], [32]), "threads: 0 is not allowed"),
        (([32], [-1]), "registers: -1 is not allowed"),
        (([32], [32], [-5]), "dynamic_shared: -5 is not allowed"),
        (([32.0], [32]), "threads: float64 values are not allowed"),
    ],
)
def test_nonsense(asked: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sweep(nvidia.device("8.9"))(*asked)
