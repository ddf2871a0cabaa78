"""scripts/refresh/measurements.py: nothing that is kept differs from what was given, and a hole is refused."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measurements", SCRIPTS / "refresh" / "measurements.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def table(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines() if not line.startswith("#")]


def streamed(script: ModuleType, sizes: tuple[int, ...]) -> list[dict[str, str]]:
    return [
        {"gpu": gpu, "kernel": kernel, "block_size": str(size), "gb_per_s": str(size + len(kernel))}
        for gpu in [*script.BOARDS, "another board"]
        for kernel in [*script.KERNELS, "another kernel"]
        for size in sizes
    ]


def test_every_point_of_the_named_boards_is_kept_in_its_order(script: ModuleType) -> None:
    made = table(script.streaming(reversed(streamed(script, (32, 64, 96)))))
    assert len(made) == 1 + len(script.BOARDS) * len(script.KERNELS)
    for row in made[1:]:
        assert row[-1].split() == [str(size + len(row[3])) for size in (32, 64, 96)]
        assert (row[1], int(row[2])) == script.BOARDS[row[0]]


@pytest.mark.parametrize("sizes", [(32, 96), (64,), ()])
def test_a_hole_in_a_curve_is_refused(script: ModuleType, sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="are not 32, 64, 96"):
        script.streaming(streamed(script, sizes))


def config(gpu: str, capability: str, registers: int, time: str, **more: str) -> dict[str, str]:
    names = ("block_x", "block_y", "tile_x", "tile_y", "padding", "stride_x", "stride_y")
    fixed = {"kernel": "k", "gpu": gpu, "compute_capability": capability, "threads": "64", "static_shared": "100"}
    return (
        dict.fromkeys(names, "1") | fixed | {"registers": str(registers), "spill_stores": "0", "time_ms": time} | more
    )


def test_one_row_a_configuration_with_every_boards_time(script: ModuleType) -> None:
    given = [
        config("A", "8.0", 40, "1.23456"),
        config("B", "8.6", 48, "0.123456"),
        config("C", "8.6", 48, "123.456"),
        config("A", "8.0", 32, "2.0", block_x="2"),
    ]
    head, first, second = table(script.tuning(given))
    assert head == [
        "kernel",
        "threads",
        "shared",
        "registers sm_80",
        "registers sm_86",
        "spills sm_80",
        "spills sm_86",
        "A|sm_80",
        "B|sm_86",
        "C|sm_86",
    ]
    rows = sorted([first, second])
    assert rows[0] == ["k", "64", "100", "32", "–", "0", "–", "2000", "–", "–"]
    assert rows[1] == ["k", "64", "100", "40", "48", "0", "0", "1235", "123.5", "123500"]


def test_registers_that_differ_within_one_configuration_are_refused(script: ModuleType) -> None:
    with pytest.raises(ValueError, match="registers sm_86 was 48"):
        script.tuning([config("B", "8.6", 48, "1"), config("C", "8.6", 49, "1")])


@pytest.mark.parametrize(
    ("ms", "told"), [("2.21229", "2212"), ("0.84374", "843.7"), ("68.15862", "68160"), ("0.001", "1")]
)
def test_times_have_four_digits(script: ModuleType, ms: str, told: str) -> None:
    assert script.four_digits(ms) == told
