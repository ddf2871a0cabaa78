"""NVIDIA occupancy: the launches people get wrong, input checks, reasons, the working, block sizes, waves, clusters."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from occusite import nvidia
from occusite.nvidia import Device, Launch
from occusite.questions.grid import waves as waves_of


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


class TestHeaders:
    """Where the vendor's headers differ, an answer says which one it follows."""

    def test_the_newest_is_followed(self) -> None:
        assert nvidia.device("8.9").header == nvidia.HEADER == nvidia.HEADERS[-1] == "13.5"

    def test_10_7_came_with_13_4(self) -> None:
        assert nvidia.device("10.7", header="13.4").occupancy(Launch(64, 32)).blocks == 16
        with pytest.raises(ValueError, match=r"^compute_capability: '10.7' is not known to header 13.3"):
            nvidia.device("10.7", header="13.3")

    def test_13_0_forgets_the_reserve_in_the_room_left(self) -> None:
        launch = Launch(128, 32)
        assert nvidia.device("9.0", header="13.0").available_dynamic_shared(launch, 2) == 116_736
        assert nvidia.device("9.0", header="13.1").available_dynamic_shared(launch, 2) == 115_712

    def test_unknown_header(self) -> None:
        with pytest.raises(ValueError, match=r"^header: '12.9' is not allowed; give one of 13.0, "):
            nvidia.device("9.0", header="12.9")


class TestInput:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("threads", 0),
            ("threads", -1),
            ("threads", 2.0),
            ("threads", True),
            ("threads", "64"),
            ("registers", -1),
            ("registers", None),
            ("static_shared", -1),
            ("dynamic_shared", 1.5),
            ("max_dynamic_shared", -1),
            ("opt_in", 1),
            ("carveout", -2),
            ("carveout", 101),
            ("barriers", -1),
            ("partitioned_caching", "yes"),
            ("partitioned_caching", True),
            ("cluster", 0),
            ("virtual", -3),
            ("cache_preference", "L2"),
        ],
    )
    def test_nonsense_names_the_field_and_the_value(self, field: str, value: object) -> None:
        with pytest.raises(ValueError, match=rf"^{field}: .* is not allowed; give ") as error:
            Launch(**({"threads": 64, "registers": 32} | {field: value}))  # type: ignore[arg-type]
        assert repr(value) in str(error.value)

    @pytest.mark.parametrize("capability", ["9.9", "10.2", "2.0", "", "8", "8.-1", "8.x", "٨.٩x", "12.2"])
    def test_unknown_compute_capability(self, capability: str) -> None:
        with pytest.raises(ValueError, match=r"^compute_capability: "):
            nvidia.device(capability)

    def test_nonsense_device(self) -> None:
        with pytest.raises(ValueError, match=r"^registers_per_sm: 0 is not allowed"):
            Device("8.9", registers_per_sm=0)

    def test_shared_memory_the_architecture_cannot_set_aside(self) -> None:
        device = Device("8.9", shared_memory_per_sm=200 * 1024)
        with pytest.raises(ValueError, match=r"^shared_memory_per_sm: "):
            device.occupancy(Launch(64, 32))

    def test_numpy_integers_are_not_needed_but_bools_are_refused(self) -> None:
        with pytest.raises(ValueError, match="registers"):
            Launch(64, False)


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


class TestWaves:
    def test_tail(self) -> None:
        device, launch = nvidia.device("8.9"), Launch(256, 40)
        found = waves_of(device.occupancy(launch), 1000)
        assert (found.per_wave, found.full, found.tail) == (768, 1, 232)
        assert found.efficiency == Fraction(1000, 1536)
        assert found.number == Fraction(1000, 768)
        assert found.idle_cores == 0

    def test_small_grid(self) -> None:
        found = waves_of(nvidia.device("8.9").occupancy(Launch(256, 40)), 100)
        assert (found.full, found.tail, found.idle_cores) == (0, 100, 28)

    def test_exact_waves_have_no_tail(self) -> None:
        found = waves_of(nvidia.device("8.9").occupancy(Launch(256, 40)), 1536)
        assert (found.full, found.tail, found.efficiency) == (2, 0, 1)

    def test_refused(self) -> None:
        device = nvidia.device("9.0")
        with pytest.raises(ValueError, match=r"^grid: 0 is not allowed"):
            waves_of(device.occupancy(Launch(256, 40)), 0)
        with pytest.raises(ValueError, match=r"^grid: 7 is not allowed; give a multiple of the cluster's 2 blocks"):
            waves_of(device.occupancy(Launch(256, 40, cluster=2)), 7)
        with pytest.raises(ValueError, match="cannot run"):
            waves_of(device.occupancy(Launch(256, 300)), 7)


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
