"""The census: its table is what the wheels' own lines sum to, and a ceiling is the best of all block sizes."""

from __future__ import annotations

import csv
import functools
import gzip
import math
import random
from pathlib import Path

import pytest

from occusite import nvidia
from occusite.book.content import census

DATA = Path(__file__).parents[3] / "occusite" / "data" / "measurements"


def rows(name: str) -> list[dict[str, str]]:
    data = (DATA / name).read_bytes()
    lines = (gzip.decompress(data) if name.endswith(".gz") else data).decode().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


# Many rows take the same.
ceiling = functools.cache(census.ceiling)
KERNELS, WHEELS = rows("census.csv.gz"), rows("census-wheels.csv")


def test_the_two_tables_agree() -> None:
    assert {(w["library"], w["architecture"]) for w in WHEELS} == {(k["library"], k["architecture"]) for k in KERNELS}
    for wheel in WHEELS:
        here = [k for k in KERNELS if (k["library"], k["architecture"]) == (wheel["library"], wheel["architecture"])]
        assert sum(int(k["kernels"]) for k in here) == int(wheel["kernels"])
        assert sum(int(k["kernels"]) for k in here if int(k["threads"])) == int(wheel["bounded"])
        assert sum(int(k["kernels"]) for k in here if int(k["stack"])) == int(wheel["framed"])
        # The exact median lies in the unit that the median of the rounded counts is.
        ordered = sorted(int(k["registers"]) for k in here for _ in range(int(k["kernels"])))
        middle = ordered[(len(ordered) - 1) // 2]
        assert middle - 8 < int(wheel["median"]) <= middle
        assert len(wheel["sha256"]) == 64


def test_numbers_are_rounded_as_the_script_says() -> None:
    for k in KERNELS:
        assert int(k["registers"]) % 8 == 0 and int(k["threads"]) % 32 == 0 and int(k["shared"]) % 128 == 0
        assert int(k["registers"]) <= 256 and int(k["threads"]) <= 1024 and k["stack"] in "01"


def test_a_ceiling_is_the_best_of_all_block_sizes() -> None:
    pick = random.Random(4)
    for k in pick.sample(KERNELS, 60):
        capability = f"{k['architecture'][3:-1]}.{k['architecture'][-1]}"
        device = nvidia.device(capability)
        registers, shared = min(int(k["registers"]), 255), int(k["shared"])
        for dynamic in (0, 16 * 1024):
            warps = max(
                device.occupancy(nvidia.Launch(t, registers, static_shared=shared, dynamic_shared=dynamic)).warps
                for t in range(32, (int(k["threads"]) or 1024) + 1, 32)
            )
            found = census.ceiling(k["architecture"], int(k["registers"]), int(k["threads"]), shared, dynamic)
            assert found.warps == warps
            assert found.occupancy == pytest.approx(100 * warps / device.slots)
            assert found.edge == 12.5 * max(1, math.ceil(8 * warps / device.slots))
            assert (found.limiter == census.FULL) == (warps == device.slots)


@pytest.mark.parametrize("target", census.architectures())
def test_shares_are_shares_of_kernels(target: str) -> None:
    """The kept ceilings are those of every row today: a change of the package's rules shows here."""
    for dynamic in census.dynamics():
        total = quarter = full = 0
        for k in KERNELS:
            if k["architecture"] == target:
                n, numbers = int(k["kernels"]), (int(k[name]) for name in ("registers", "threads", "shared"))
                at = ceiling(target, *numbers, 1024 * dynamic).occupancy
                total, quarter, full = total + n, quarter + n * (at <= 25), full + n * (at == 100)
        assert sum(census.cells(target, dynamic=dynamic).values()) == census.count(target) == total
        assert census.at_most(target, 25, dynamic=dynamic) == pytest.approx(100 * quarter / total)
        assert census.can_fill(target, dynamic=dynamic) == pytest.approx(100 * full / total)
    stack = sum(int(k["kernels"]) * int(k["stack"]) for k in KERNELS if k["architecture"] == target)
    assert census.framed(target) == pytest.approx(100 * stack / total)
    assert sum(census.held_back(target).values()) == pytest.approx(100)
    assert census.shells(target) == sum(int(w["shells"]) for w in WHEELS if w["architecture"] == target)


def test_dynamic_shared_memory_never_makes_a_kernel_fuller() -> None:
    for target in ("sm_86", "sm_90"):
        shares = [census.can_fill(target, dynamic=size) for size in (0, 16, 48, 96)]
        assert shares == sorted(shares, reverse=True) and shares[0] > shares[-1]
        low = [census.at_most(target, 25, dynamic=size) for size in (0, 16, 48, 96)]
        assert low == sorted(low) and low[0] < low[-1]


def test_what_the_chapter_says() -> None:
    # "Many cannot be full"; "it depends on the trade"; "registers hold the others back, static shared memory alone almost none"; "fuller on a smaller SM"
    assert census.at_most("sm_90", 25) > 10 and census.can_fill("sm_90") < 60
    trades = [census.can_fill("sm_90", library) for library in ("PyTorch", "cuBLAS", "sgl-kernel")]
    assert trades == sorted(trades, reverse=True) and trades[0] > 2 * trades[1]
    held = census.held_back("sm_90")
    assert next(iter(held)) == "registers" and held["registers"] > 80 and held.get("memory", 0) < 2
    assert census.facts()["cuSPARSE", "sm_86"].kernels == census.facts()["cuSPARSE", "sm_80"].kernels
    assert census.can_fill("sm_86", "cuSPARSE") > census.can_fill("sm_80", "cuSPARSE")
    # "stay at a quarter or below"; "if it counted"
    assert census.at_most("sm_90", 25, "sgl-kernel") > 50
    assert census.facts()["sgl-kernel", "sm_90"].shells > 1000
    assert census.with_shells("sm_90", "sgl-kernel") < census.at_most("sm_90", 25, "sgl-kernel") - 10


def test_cusparse_as_it_was_first_read() -> None:
    """6,340 kernels an architecture, shells and all; a fifth at most a quarter full, about a third can be full."""
    for target in ("sm_80", "sm_90", "sm_100"):
        known = census.facts()["cuSPARSE", target]
        assert known.kernels + known.shells == 6340
        assert 17 <= census.at_most(target, 25, "cuSPARSE") <= 21
        assert 32 <= census.can_fill(target, "cuSPARSE") <= 36


@pytest.mark.parametrize("library", [census.ALL, "cuSPARSE"])
def test_the_picture_holds_every_kernel(library: str) -> None:
    chart = census.histogram("sm_90", library, 0)
    classes = chart.datasets["classes"]
    assert sum(c["share"] for c in classes) == pytest.approx(100, abs=0.3)
    quarter = sum(c["share"] for c in classes if float(c["at"]) <= 25)
    assert quarter == pytest.approx(census.at_most("sm_90", 25, library), abs=0.1)
    top = [c for c in classes if c["at"] == "100"]
    assert sum(c["share"] for c in top if c["tip"].startswith("can be full")) == pytest.approx(
        census.can_fill("sm_90", library), abs=0.1
    )
    assert "sm_90" in chart.alt and "25 %:" in chart.alt
