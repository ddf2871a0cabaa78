"""Devices: the launches people get wrong, what an answer holds, the fast path."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from occusite import nvidia
from occusite.nvidia import Launch


def blocks(capability: str, *launch: int, **options: Any) -> int:
    return nvidia.device(capability).occupancy(Launch(*launch, **options)).blocks


class TestLaunchesPeopleGotWrong:
    """Each from a public bug report or a check of the vendor's header, with the right value."""

    @pytest.mark.parametrize("registers", [41, 43, 48])
    def test_register_unit_per_warp(self, registers: int) -> None:
        assert blocks("8.0", 256, registers) == 5

    def test_warps_are_placed_in_partitions(self) -> None:
        assert blocks("8.0", 224, 92) == 2

    def test_maxwell(self) -> None:
        assert blocks("5.0", 128, 85) == 5

    def test_partitioned_caching_keeps_a_block_in_half_an_sm(self) -> None:
        assert blocks("5.2", 128, 85) == 5
        assert blocks("5.2", 128, 85, partitioned_caching="on") == 4

    def test_register_check_rounds_warps_up_to_the_partitions(self) -> None:
        found = nvidia.device("9.0").occupancy(Launch(288, 224))
        assert (found.blocks, found.limiter) == (0, "cannot launch")
        assert "86,016 registers" in found.reason

    def test_carveout_is_a_preference(self) -> None:
        assert blocks("9.0", 128, 32, 0, 4096) == 16
        assert blocks("9.0", 128, 32, 0, 4096, carveout=0) == 1

    def test_block_slots_differ(self) -> None:
        assert blocks("8.9", 64, 32) == 24
        assert blocks("8.6", 64, 32) == 16

    def test_reserve_and_unit_of_shared_memory(self) -> None:
        found = nvidia.device("8.0").occupancy(Launch(128, 32, 0, 5120))
        assert found.limits["shared_memory"].blocks == 27
        assert found.blocks == 16

    def test_opt_in(self) -> None:
        assert blocks("9.0", 128, 32, 0, 232_448) == 1
        assert blocks("9.0", 128, 32, 0, 232_448, opt_in=False) == 0

    def test_part_of_a_warp_counts_whole(self) -> None:
        assert blocks("9.0", 1000, 64) == 1

    def test_barriers_alone_bind(self) -> None:
        found = nvidia.device("12.0").occupancy(Launch(64, 32, barriers=2))
        assert (found.blocks, found.limiters) == (12, ("barriers",))

    @pytest.mark.parametrize(("header", "limit"), [("13.0", 32), ("13.2", 32), ("13.3", 16), (nvidia.HEADER, 16)])
    def test_barriers_of_10_3_changed_with_header_13_3(self, header: str, limit: int) -> None:
        found = nvidia.device("10.3", header=header).occupancy(Launch(64, 32, barriers=2))
        assert found.limits["barriers"].blocks == limit

    @pytest.mark.parametrize("registers", [16, 32, 64])
    def test_dynamic_shared_memory_left_for_one_block(self, registers: int) -> None:
        device = replace(nvidia.device("12.0"), sm_count=20)
        launch = Launch(256, registers, 256, opt_in=False)
        assert device.available_dynamic_shared(launch, 1) == 48_896

    def test_dynamic_shared_memory_left_for_two_blocks(self) -> None:
        device, launch = nvidia.device("9.0"), Launch(128, 32)
        assert device.available_dynamic_shared(launch, 2) == 115_712
        assert blocks("9.0", 128, 32, 0, 115_712) == 2
        assert blocks("9.0", 128, 32, 0, 116_736) == 1

    def test_a_6_0_launch_must_also_run_on_6_1(self) -> None:
        assert blocks("6.0", 512, 64) == 2


class TestStaticSharedMemory:
    """What `ptxas` 13.5 accepts, probed with a kernel of that many bytes for each target."""

    @pytest.mark.parametrize(
        ("target", "most"),
        [
            *((f"sm_{n}", 49_152) for n in (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)),
            *((f"sm_{n}f", 49_152) for n in (100, 103, 110, 120, 121)),
            *((f"sm_{n}a", 232_448) for n in (90, 100, 103, 110)),
            *((f"sm_{n}a", 101_376) for n in (120, 121)),
        ],
    )
    def test_most_that_can_be_compiled(self, target: str, most: int) -> None:
        device = nvidia.from_architecture(target)
        assert device is not None and device.max_static_shared == most
        assert device.occupancy(Launch(128, 32, most)).blocks >= 1
        refused = device.occupancy(Launch(128, 32, most + 4))
        assert (refused.blocks, refused.limits["shared_memory"].blocks) == (0, 0)
        assert f"{most + 4:,} bytes of static shared memory cannot be compiled" in refused.reason
        assert f"code for {target} may have {most:,}" in refused.reason

    def test_hardware_runs_code_of_any_suffix(self) -> None:
        assert blocks("9.0", 128, 32, 60_000) == 3
        assert nvidia.device("9.0").max_static_shared is None

    def test_dynamic_shared_memory_is_free_of_it(self) -> None:
        plain = nvidia.device("9.0").for_code("sm_90")
        assert plain.occupancy(Launch(128, 32, 0, 60_000)).blocks == 3
        assert plain.occupancy(Launch(128, 32, 49_152, 60_000)).blocks == 2

    @pytest.mark.parametrize("target", ["sm_90", "sm_90a", "sm_120", "sm_120f"])
    @pytest.mark.parametrize("static", [0, 49_152, 49_153, 60_000, 101_376, 101_377])
    def test_every_path_agrees(self, target: str, static: int) -> None:
        device = nvidia.from_architecture(target)
        assert device is not None
        launch = Launch(128, 32, static)
        answer = device.occupancy(launch)
        assert device.counter(launch, "registers")(32) == (answer.blocks, answer.warps)
        assert device.block_counter(launch)(128, 32) == answer.blocks
        assert device.potential_block_size(launch).blocks == 0 or answer.runs
        steps = [step for step in device.steps(answer) if step.budget == "shared_memory"]
        assert steps[-1].value == answer.limits["shared_memory"].blocks

    def test_a_device_for_code(self) -> None:
        board = replace(nvidia.device("9.0"), name="board", sm_count=132)
        assert board.for_code("sm_90a").architecture == "sm_90a"
        assert board.for_code("sm_90a").for_code("") == board
        assert board.for_code("sm_90a").for_code("sm_80").max_static_shared == 49_152
        with pytest.raises(ValueError, match=r"suffix: 'f' is not allowed; code for 9\.0 has 'a'"):
            board.for_code("sm_90f")


def test_what_needs_the_sm_count_says_that_it_is_not_known() -> None:
    device = replace(nvidia.device("9.0"), name="board", sm_count=None, note="two boards print this")
    launch = Launch(256, 32, cluster=2)
    assert device.occupancy(launch).blocks == 8
    assert device.cores is None
    assert device.clusters(launch).at_most is None
    assert device.potential_block_size(launch).min_grid is None
    with pytest.raises(ValueError, match="sm_count: not known for board; two boards print this"):
        _ = device.sms
    assert nvidia.device("9.0").sms == 132


class TestAnswer:
    def test_all_ties_are_named(self) -> None:
        found = nvidia.device("8.9").occupancy(Launch(256, 40))
        assert (found.blocks, found.warps, found.occupancy) == (6, 48, Fraction(1))
        assert found.limiters == ("registers", "warps")
        assert tuple(found.limits) == tuple(b.key for b in found.device.budgets)

    def test_allocation_after_rounding(self) -> None:
        found = nvidia.device("8.9").occupancy(Launch(100, 33, 1, 2))
        assert found.allocated["registers_per_block"] == 4 * 1280
        assert found.allocated["shared_memory_per_block"] == 1152

    def test_unlimited_budgets_are_none(self) -> None:
        found = nvidia.device("7.0").occupancy(Launch(64, 0))
        assert [b for b, limit in found.limits.items() if limit.blocks is None] == [
            "registers",
            "shared_memory",
            "barriers",
            "virtual",
        ]

    def test_kepler_cache_preference(self) -> None:
        device = nvidia.device("3.5")
        by_preference = {p: device.occupancy(Launch(64, 16, 8192, cache_preference=p)).blocks for p in ("none", "l1")}
        assert by_preference == {"none": 6, "l1": 2}

    def test_limits_count_warps_too(self) -> None:
        found = nvidia.device("8.9").occupancy(Launch(100, 40, 1000))
        assert found.limits["registers"] == (12, 48)
        assert found.limits["blocks"] == (24, 96)
        assert found.limits["barriers"] == (None, None)

    def test_no_percentage_where_nothing_runs(self) -> None:
        found = nvidia.device("8.9").occupancy(Launch(2000, 40))
        assert (found.occupancy, found.percent, found.warps) == (None, None, 0)

    def test_warps_of_another_size(self) -> None:
        """A device whose warps have 64 threads: nothing assumes 32."""
        device = replace(nvidia.device("8.9"), warp_size=64)
        found = device.occupancy(Launch(96, 40))
        assert (device.warps_per_block(found.launch), found.warps_per_block, found.slots) == (2, 2, 24)
        assert found.warps == 2 * found.blocks

    def test_carveout_of_minus_one_is_the_drivers_default(self) -> None:
        assert Launch(64, 32, carveout=-1) == Launch(64, 32)

    def test_fast_path_options(self) -> None:
        device = nvidia.device("9.0")
        assert device.block_counter(Launch(1, 0, 2048))(128, 32, 2048) == 16
        assert device.block_counter(Launch(1, 0, carveout=0))(128, 32, 4096) == 1
        assert device.counter(Launch(128, 32, 0, 4096), "carveout")(0) == (1, 4)


def test_import_stays_light() -> None:
    """What the browser loads at once: no GPU table, no TOML, nothing of the book."""
    heavy = ("tomllib", "numpy", "difflib", "json", "pathlib")
    floors = ("occusite.book", "occusite.devices", "occusite.reports")
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}; import occusite.nvidia; "
        f"print([m for m in sys.modules if m in {heavy!r} or m.startswith({floors!r})])"
    )
    done = subprocess.run([sys.executable, "-S", "-E", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
