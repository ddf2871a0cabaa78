"""Measured: its figures, computed again from the tables by plain arithmetic, and the facts its sentences rest on."""

from __future__ import annotations

import csv
import math
import statistics
from pathlib import Path

import pytest

from occusite import nvidia
from occusite.book.content import measured

DATA = Path(__file__).parents[3] / "occusite" / "data" / "measurements"


def rows(name: str) -> list[dict[str, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


STREAMING = {(row["gpu"], row["kernel"]): [int(v) for v in row["gb_per_s"].split()] for row in rows("streaming.csv")}
SMS = {row["gpu"]: int(row["sms"]) for row in rows("streaming.csv")}
SLOTS = {"V100": 64, "A100 40GB": 64, "A100 80GB": 64, "A40": 48, "L40": 48, "H100 PCIe": 64, "H200": 64}
TUNING = rows("tuning.csv")
BOARDS = {"A100 PCIe 40GB": "8.0", "RTX A4000": "8.6", "RTX A6000": "8.6"}


def test_there_are_ten_boards() -> None:
    assert measured.streamed() == list(SLOTS) and measured.tuned() == list(BOARDS)
    assert len(SLOTS) + len(BOARDS) == 10
    assert measured.timed() == sum(
        row[f"{gpu}|sm_{cc.replace('.', '')}"] != "–" for row in TUNING for gpu, cc in BOARDS.items()
    )
    assert measured.timed() == 8940


@pytest.mark.parametrize("gpu", SLOTS)
@pytest.mark.parametrize("kernel", measured.KERNELS)
def test_a_curve_is_the_table(gpu: str, kernel: str) -> None:
    values, found = STREAMING[gpu, kernel], measured.curve(gpu, kernel)
    # Two blocks of one more warp at each step, up to all slots.
    assert [p.warps for p in found.points] == list(range(2, SLOTS[gpu] + 1, 2))
    assert [p.rate for p in found.points] == values and found.best == max(values)
    quarter = values[SLOTS[gpu] // 8 - 1]
    assert found.share(25) == pytest.approx(100 * quarter / max(values))
    assert found.share(100) == pytest.approx(100 * values[-1] / max(values))
    enough = next(i for i in range(len(values)) if all(10 * v >= 9 * max(values) for v in values[i:]))
    assert found.reaches(90) == pytest.approx(100 * 2 * (enough + 1) / SLOTS[gpu])


def test_two_blocks_were_resident_at_every_size() -> None:
    """The benchmark raises the carve-out from nothing until two blocks fit that hold 6 KiB each: the package agrees."""
    for capability, most in (("7.0", 1024), ("8.0", 1024), ("8.6", 768), ("8.9", 768), ("9.0", 1024)):
        device = nvidia.device(capability)
        for threads in range(32, most + 1, 32):
            fits = (
                device.occupancy(nvidia.Launch(threads, 16, static_shared=6144, carveout=percent)).blocks
                for percent in range(101)
            )
            assert next(blocks for blocks in fits if blocks >= 2) == 2, (capability, threads)


# Effective latency of the kernel read as it was first published for these four; it was read from the slope by another
# rule than ours, so that the two agree within four per cent only.
FIRST = {"L40": 473, "H200": 557, "V100": 625, "A100 80GB": 681}


@pytest.mark.parametrize("gpu", SLOTS)
def test_a_turn_is_bytes_in_flight_over_bandwidth(gpu: str) -> None:
    values, sms = STREAMING[gpu, "read"], SMS[gpu]
    few = SLOTS[gpu] // 16
    # Little's law at each of the first points; the slope lies among them.
    alone = [sms * 2 * (i + 1) * 32 * 8 / values[i] for i in range(few)]
    assert min(alone) <= measured.curve(gpu).turn <= max(alone)
    assert measured.curve(gpu).turn == pytest.approx(statistics.mean(alone), rel=0.03)
    if gpu in FIRST:
        assert measured.curve(gpu).turn == pytest.approx(FIRST[gpu], rel=0.04)


def test_the_law_is_a_slope_and_a_roof() -> None:
    found = measured.curve("H200")
    knee = found.best * found.turn / (132 * 32 * 8)
    assert found.law(knee / 2) == pytest.approx(found.best / 2)
    assert found.law(knee) == pytest.approx(found.best) == found.law(64)
    assert found.gap == pytest.approx(
        max(
            100 * (min(found.best, 132 * 2 * (i + 1) * 256 / found.turn) - v) / found.best
            for i, v in enumerate(STREAMING["H200", "read"])
        )
    )


def test_what_the_chapter_says_of_bandwidth() -> None:
    read = {gpu: measured.curve(gpu) for gpu in SLOTS}
    # "An L40 comes to nine tenths of its best at a quarter"; an A100 at 88 %; "on an H200 all slots are taken and the memory is not".
    assert read["L40"].reaches(90) == 25 and read["A100 80GB"].reaches(90) == 87.5
    assert round(100 * read["H200"].best / 4893.7) == 56 and round(100 * read["H200"].best / 3898) == 71
    assert measured.sheet("H200") == 4893.7 and measured.widest("H200") == 3898
    # "A turn is longer than a load" on every board whose latency was measured.
    assert all(factor > 1 for factor in measured.stretch()) and len(measured.stretch()) == 5
    # "at the knee they fall short of it by up to a fifth" (21.4 at most), least on the L40
    assert max(measured.gaps()) < 22 and read["L40"].gap < min(measured.gaps())
    assert all(d > 0 for d in measured.drift())
    # "about as long whether it moves 8, 16 or 24 bytes"; a store waits for nothing.
    turns = {kernel: measured.curve("H200", kernel).turn for kernel in measured.KERNELS}
    assert max(turns[k] for k in turns if k != "init") < 1.25 * turns["read"]
    assert turns["init"] < turns["read"] / 2
    for gpu in SLOTS:
        assert measured.curve(gpu, "triad").reaches(90) <= measured.curve(gpu, "read").reaches(90)
    assert measured.curve("L40", "scale").share(100) < 95


# ---------- the tuned kernels ----------


def raw(kernel: str, gpu: str) -> list[tuple[int, float]]:
    """Warps and time of each configuration, warps by plain arithmetic on these architectures' rules."""
    slots, pool = (64, 164) if gpu.startswith("A100") else (48, 100)
    most_blocks = 32 if gpu.startswith("A100") else 16
    target = f"sm_{BOARDS[gpu].replace('.', '')}"
    found = []
    for row in TUNING:
        time = row[f"{gpu}|{target}"]
        if row["kernel"] != kernel or time == "–":
            continue
        threads, registers, shared = int(row["threads"]), int(row[f"registers {target}"]), int(row["shared"])
        warps = -(-threads // 32)
        a_warp = -(-registers * 32 // 256) * 256
        by_registers = 65536 // 4 // a_warp * 4 // warps
        by_shared = pool * 1024 // (-(-(shared + 1024) // 128) * 128)
        blocks = min(by_registers, by_shared, slots // warps, most_blocks)
        found.append((blocks * warps, float(time)))
    return found


def spearman(pairs: list[tuple[int, float]]) -> float:
    """Rank correlation from its definition: each rank counts those below and half of those equal."""

    def ranks(values: list[float]) -> list[float]:
        ordered = sorted(values)
        first = {v: i for i, v in reversed(list(enumerate(ordered)))}
        last = {v: i for i, v in enumerate(ordered)}
        return [(first[v] + last[v]) / 2 for v in values]

    a, b = ranks([w for w, _ in pairs]), ranks([1 / t for _, t in pairs])
    n, mean = len(a), (len(a) - 1) / 2
    cov = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True)) / n
    return cov / math.sqrt(sum((x - mean) ** 2 for x in a) / n * sum((y - mean) ** 2 for y in b) / n)


@pytest.mark.parametrize("gpu", BOARDS)
@pytest.mark.parametrize("kernel", measured.TUNED)
def test_occupancy_and_speed_are_those_of_plain_arithmetic(kernel: str, gpu: str) -> None:
    pairs = raw(kernel, gpu)
    assert sorted((c.warps, c.time) for c in measured.configs(kernel, gpu)) == sorted(pairs)
    assert measured.rank_correlation(kernel, gpu) == pytest.approx(spearman(pairs))
    best = min(t for _, t in pairs)
    for found in measured.levels(kernel, gpu):
        speeds = [100 * best / t for w, t in pairs if w == found.warps]
        assert (found.runs, found.best) == (len(speeds), pytest.approx(max(speeds)))
        assert found.median == pytest.approx(statistics.median(speeds))


@pytest.mark.parametrize(
    ("kernel", "rho"),
    [("convolution", (0.14, -0.02, 0.05)), ("dedispersion", (-0.28, -0.15, -0.06))],
)
def test_rank_correlations(kernel: str, rho: tuple[float, ...]) -> None:
    assert tuple(round(measured.rank_correlation(kernel, gpu), 2) for gpu in BOARDS) == rho


def test_what_the_chapter_says_of_the_convolution() -> None:
    assert [round(m) for m in measured.medians("convolution")] == [53, 41, 39]
    a6000 = measured.fastest("convolution", "RTX A6000")
    assert (a6000.warps, measured.slots("RTX A6000")) == (24, 48)
    assert 99 < measured.level("convolution", "RTX A6000", 25).best < 100
    # The fastest on an A100 fills every slot: what the prediction's slip says.
    assert measured.fastest("convolution", "A100 PCIe 40GB").warps == 64


def test_what_the_chapter_says_of_dedispersion() -> None:
    """97 to 98 % of the best with half of the slots holds for the A100; on the others such a configuration is not there,
    and that speed takes up to 60 % of them."""
    up_to = {gpu: [measured.best_up_to("dedispersion", gpu, at) for at in (25, 50, 60)] for gpu in BOARDS}
    assert all(found[0] is None for found in up_to.values())
    assert [round(found[1] or 0) for found in up_to.values()] == [98, 85, 85]
    assert [round(found[2] or 0) for found in up_to.values()] == [98, 97, 97]
    assert all(c.shared == 0 for c in measured.configs("dedispersion", "RTX A4000"))
    assert measured.correlations("dedispersion") == sorted(measured.correlations("dedispersion"))
    assert max(measured.correlations("dedispersion")) < 0


def test_the_dots_are_every_configuration() -> None:
    for kernel in measured.TUNED:
        for gpu in BOARDS:
            dots = measured.dots(kernel, gpu)
            assert sum(d["count"] for d in dots) == len(raw(kernel, gpu))
            assert len(dots) < 750
            assert len({(d["x"], d["speed"], d["limiter"]) for d in dots}) == len(dots)


def test_a_tie_is_coloured_as_one() -> None:
    config = measured.Config(256, 32, 0, 0, 1.0, 64, ("registers", "warps"))
    assert config.limiter == measured.SEVERAL
    assert config._replace(limiters=("registers",)).limiter == "registers"


@pytest.mark.parametrize(
    ("rho", "words"),
    [
        (0.05, "next to nothing"),
        (0.14, "a weak tendency for fuller configurations to be faster"),
        (-0.28, "a weak tendency for fuller configurations to be slower"),
        (0.5, "a tendency for fuller"),
        (-0.9, "a strong tendency for fuller configurations to be slower"),
    ],
)
def test_a_correlation_in_words(rho: float, words: str) -> None:
    assert words in measured.in_words(rho)


def test_unknown_names_are_refused() -> None:
    for call in (lambda: measured.curve("H20"), lambda: measured.configs("gemm", "RTX A4000")):
        with pytest.raises(KeyError):
            call()
