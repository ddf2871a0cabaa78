"""Differential test: random launches put to occusite and to the vendor's compiled header, equal in every output.

`OCCUSITE_LAUNCHES` sets how many (150,000 by default, 1,000,000 with `--all`), `OCCUSITE_SEED` which. The long run:
`OCCUSITE_LAUNCHES=10000000 python -m pytest tests/nvidia/test_header.py`.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from occusite.nvidia import CHIPS, Device, Launch, device
from tests.nvidia.header import IN, OUT, Row, answer_row, ask, build, why_not, without_stale_bits

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

SEED = int(os.environ.get("OCCUSITE_SEED", "20260101"))
PER_GROUP = 50
GROUPS_PER_RUN = 1000
SEARCH_EVERY = 10
KIB = 1024

# Registers per thread just below and above what each number of resident warps allows.
CLIFFS = [65_536 // (32 * warps) // 8 * 8 + more for warps in range(8, 65) for more in (0, 1)]
# Bytes of dynamic shared memory per thread and per warp, for the size-dependent search.
GROWTH = [(per_thread, per_warp) for per_thread in (0, 4, 16, 64) for per_warp in (0, 256, 1024)]


def some_device(rng: Random) -> list[int]:
    """The twelve device columns: mostly a real chip, else one with odd or impossible properties."""
    chip = device(rng.choice(list(CHIPS)))
    columns = [
        chip.major,
        chip.minor,
        chip.max_threads_per_block,
        chip.threads_per_sm,
        chip.registers_per_block,
        chip.registers_per_sm,
        chip.warp_size,
        chip.shared_memory_per_block,
        chip.shared_memory_per_sm,
        chip.sm_count,
        chip.shared_memory_per_block_opt_in,
        chip.reserved_shared_memory,
    ]
    dice = rng.random()
    if dice < 0.15:
        odd = {
            1: lambda: rng.choice((0, 1, 2, 3, 5, 7, 9, 100)),
            2: lambda: rng.choice((32, 512, 1000, 1023, 1536, 2048)),
            3: lambda: rng.choice((64, 512, 1000, 1024, 1536, 2048, 4096)),
            4: lambda: rng.choice((1024, 32_768, 65_535, 131_072)),
            5: lambda: rng.choice((1024, 32_768, 65_537, 131_072)),
            6: lambda: rng.choice((1, 16, 31, 32, 64)),
            7: lambda: rng.choice((1, 16 * KIB, 48 * KIB + 1, 64 * KIB)),
            8: lambda: rng.choice((1000, 32 * KIB, 64 * KIB, 96 * KIB, 100 * KIB, 228 * KIB, 328 * KIB)),
            10: lambda: rng.choice((0, 48 * KIB, 64 * KIB, 99 * KIB, 227 * KIB, 327 * KIB)),
            11: lambda: rng.choice((0, 1, 512, 1024, 1025, 2048)),
        }
        for place in rng.sample(list(odd), rng.choice((1, 1, 2, 3))):
            columns[place] = odd[place]()
    elif dice < 0.17:
        columns[rng.choice((2, 3, 4, 5, 6, 7, 8, 9))] = rng.choice((0, -1)) if dice < 0.16 else 0
    elif dice < 0.19:
        columns[0], columns[1] = rng.choice(((0, 0), (2, 1), (4, 0), (10, 2), (11, 4), (12, 2), (13, 0), (-1, 0)))
    return columns


def edges(columns: list[int], static: int, rng: Random) -> list[int]:
    """Sizes of dynamic shared memory around every cliff: each number of blocks, each step, each limit."""
    reserve, unit = columns[11], 128 if columns[0] >= 8 else 256
    pools = {columns[8], *(step * KIB for step in (8, 16, 32, 64, 96, 100, 132, 164, 196, 228, 328))}
    pools = {pool for pool in pools if pool <= columns[8]} or {columns[8]}
    centres = [pool // blocks // unit * unit for pool in pools for blocks in rng.sample(range(1, 34), 8)]
    centres += [columns[7], columns[10], columns[7] + reserve, columns[10] + reserve, columns[8]] * 4
    found = [c - static - reserve + d for c in centres for d in (-unit, -1, 0, 1, unit)]
    return [max(size, 0) for size in found]


def questions(rng: Random, groups: int) -> Iterator[list[int]]:
    """Launches in groups that share a device and options; within a group threads, registers and memory vary."""
    roll = rng.random
    for _ in range(groups):
        columns = some_device(rng)
        static = rng.choice((0, 0, 0, rng.randrange(1, 49_153), rng.choice((1, 1024, 4096, 48 * KIB, 49_153, 100_000))))
        sizes = edges(columns, static, rng)
        if rng.random() < 0.2:
            static, sizes = rng.choice(sizes), edges(columns, 0, rng)
        most = max(columns[7], columns[10])
        cap = max(most - static, 0) if rng.random() < 0.7 else rng.choice((0, rng.choice(sizes), 48 * KIB, 2**31))
        carveout = -1 if rng.random() < 0.5 else rng.choice((0, 100, 50, rng.randrange(101)))
        if rng.random() < 0.01:
            carveout = rng.choice((-2, 101, 1000)) if columns[0] >= 7 else carveout
        barriers = rng.choice((1, 1, 1, 0, 2, 3, 16, 17, rng.randrange(130)))
        virtual = 0 if rng.random() < 0.6 else rng.choice((1, 2, 8, 127, 128, 129, rng.randrange(200)))
        caching = rng.choice((0, 1, 2)) if columns[0] in (5, 6) or rng.random() < 0.05 else 0
        cache = 0 if rng.random() < 0.7 else rng.randrange(4)
        max_threads = rng.choice((1, 33, 128, 256, 1000, 1024, 2**31 - 1, 2**31 - 1)) if rng.random() < 0.98 else 0
        options = (caching, int(rng.random() < 0.8), cap, barriers, virtual, cache, carveout)
        fitting = [size for size in sizes if size <= cap] or [0]
        for _ in range(PER_GROUP):
            threads = 32 + 32 * int(roll() * 32) if roll() < 0.5 else 1 + int(roll() * 1024)
            dice = roll()
            if dice < 0.6:
                registers = int(roll() * min(257, 65_536 // threads + 9))
            else:
                registers = CLIFFS[int(roll() * len(CLIFFS))] if dice < 0.8 else int(roll() * 257)
            dice = roll()
            if dice < 0.45:
                memory = fitting[int(roll() * len(fitting))]
            elif dice < 0.6:
                memory = sizes[int(roll() * len(sizes))]
            else:
                memory = 0 if dice < 0.7 else int(roll() * (16_384 if dice < 0.9 else 240_000))
            if roll() < 0.03:
                threads = rng.choice((0, -1, 1025, 1056, 2048, 1, columns[2], columns[2] + 1, 65_536))
            if roll() < 0.02:
                registers = rng.choice((0, -1, 255, 256, 257, 300, 1000))
            size = (1 + int(roll() * 2), int(roll() * 8192) if roll() < 0.5 else 0, *rng.choice(GROWTH))
            blocks = 1 + int(roll() * 4) if roll() < 0.8 else int(roll() * 35) - 1
            yield [*columns, max_threads, registers, static, *options, threads, memory, *size, blocks]


def compare(group: list[list[int]], answers: array[int], seen: Counter[str]) -> None:
    """Put one group's launches to occusite; all must equal the header's `answers`."""
    shared = Row(*group[0][:24])
    try:
        chip: Device | None = shared.device()
    except ValueError:
        chip = None
    count = None
    for i, values in enumerate(group):
        out = answers[i * OUT : (i + 1) * OUT].tolist()
        question = Row(*values[:24])
        try:
            if chip is None:
                raise ValueError
            launch = question.launch()
            found = chip.occupancy(launch)
        except ValueError:
            seen["invalid"] += 1
            assert out[0] != 0 or question.refused_field(), question
            continue
        if question.max_threads <= 0:
            # The header has the kernel's own limit among the occupancy's inputs; here only the search takes it.
            seen["invalid"] += 1
            assert out[0] == 1, question
            with pytest.raises(ValueError, match=r"^max_threads: "):
                chip.potential_block_size(launch, None, question.max_threads)
            continue
        if question.kepler_underflows():
            seen["kepler underflow"] += 1
            continue
        seen["ran" if found.blocks else "cannot run"] += 1
        assert answer_row(found, question.partitioned_caching) == without_stale_bits(out[:12]), question
        count = count or chip.block_counter(launch)
        assert count(launch.threads, launch.registers, launch.dynamic_shared) == found.blocks, question
        if values[24] and i % SEARCH_EVERY == 0:
            seen["searches"] += 1
            search(chip, launch, question, values, out)
        room(chip, launch, question, values[28], out)


def search(chip: Device, launch: Launch, question: Row, values: list[int], out: list[int]) -> None:
    """The block-size search, fixed or size-dependent, against the header's."""
    base, per_thread, per_warp = values[25:28]
    warp = chip.warp_size
    size = None
    if values[24] == 2:

        def size(threads: int) -> int:
            return base + per_thread * threads + per_warp * -(-threads // warp)

    if out[12]:
        with pytest.raises(ValueError, match="not allowed"):
            chip.potential_block_size(launch, size, question.max_threads)
        return
    best = chip.potential_block_size(launch, size, question.max_threads)
    assert [best.min_grid, best.threads] == out[13:15], (question, values[24:28])


def room(chip: Device, launch: Launch, question: Row, blocks: int, out: list[int]) -> None:
    """The dynamic shared memory available per block against the header's."""
    try:
        found: int | None = chip.available_dynamic_shared(launch, blocks)
    except ValueError:
        found = None
    if found == 0 and question.room_underflows(blocks):
        return
    assert found == (None if out[15] else out[16]), (question, blocks)


def test_no_mismatch_with_the_header(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    launches = int(os.environ.get("OCCUSITE_LAUNCHES") or (1_000_000 if pytestconfig.option.all else 150_000))
    program = build(tmp_path)
    rng = Random(SEED)
    seen: Counter[str] = Counter()
    left = -(-launches // PER_GROUP)
    while left:
        groups = min(left, GROUPS_PER_RUN)
        left -= groups
        asked = list(questions(rng, groups))
        flat = array("q", [v for values in asked for v in values])
        assert len(flat) == len(asked) * IN
        answers = ask(program, flat)
        for start in range(0, len(asked), PER_GROUP):
            end = start + PER_GROUP
            compare(asked[start:end], answers[start * OUT : end * OUT], seen)
    assert seen["ran"] > 0.4 * launches
    assert min(seen["cannot run"], seen["invalid"], seen["searches"]) > 0.01 * launches
