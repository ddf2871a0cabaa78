"""Run by hand: NVIDIA occupancy calls against their time budgets, and sweeps against the vendor's compiled header."""

from __future__ import annotations

import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from occusite import nvidia  # noqa: E402
from tests.nvidia.header import build, run_timed, why_not  # noqa: E402

LAUNCHES = 1_000_000


def best(run: Callable[[], object], rounds: int = 5) -> float:
    """Processor seconds of the fastest of `rounds` runs."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def report(what: str, seconds: float, budget: float, unit: str = "µs") -> None:
    scale = {"µs": 1e6, "ms": 1e3}[unit]
    print(
        f"{what:<58} {seconds * scale:8.2f} {unit}   {budget / seconds:6.2f}× as fast as the budget of {budget * scale:g} {unit}"
    )


def main() -> None:
    rng = Random(1)
    device = nvidia.device("9.0")
    asked = [(rng.randrange(1, 1025), rng.randrange(16, 256), rng.randrange(0, 100_000)) for _ in range(20_000)]
    launches = [nvidia.Launch(t, r, 0, s) for t, r, s in asked]
    n = len(asked)
    answers = [device.occupancy(x) for x in launches[:2000]]
    count = device.block_counter(nvidia.Launch(1, 0))
    residency = device.counter(nvidia.Launch(256, 32), "threads", "registers")
    report("rich call, random launches", best(lambda: [device.occupancy(x) for x in launches]) / n, 10e-6)
    report(
        "rich call with making the launch",
        best(lambda: [device.occupancy(nvidia.Launch(t, r, 0, s)) for t, r, s in asked]) / n,
        10e-6,
    )
    report("the working, written out", best(lambda: [answer.steps for answer in answers]) / 2000, 100e-6)
    report("fast path, block_counter()", best(lambda: [count(t, r, s) for t, r, s in asked]) / n, 1e-6)
    report("fast path, counter() of two fields", best(lambda: [residency(t, r) for t, r, _ in asked]) / n, 1e-6)
    sweep_beside_header(device, rng)


def sweep_beside_header(device: nvidia.Device, rng: Random) -> None:
    """A NumPy sweep and the header's own occupancy call, on one thread each, over the same launches."""
    try:
        import numpy as np

        from occusite.nvidia.sweep_numpy import Sweep
    except ImportError:
        print("NumPy is not installed: no sweep")
        return
    if why_not():
        print(why_not())
        return
    make = np.random.default_rng(1)
    threads = make.integers(1, 1025, LAUNCHES, dtype=np.int32)
    registers = make.integers(16, 256, LAUNCHES, dtype=np.int32)
    shared = make.integers(0, 100_000, LAUNCHES, dtype=np.int32)
    sweep = Sweep(device)
    seconds = best(lambda: sweep(threads, registers, shared), 10)
    found = int(sweep(threads, registers, shared).sum())
    setup = best(lambda: Sweep(device))
    with tempfile.TemporaryDirectory() as folder:
        rows = array("q")
        for t, r, s in zip(threads.tolist(), registers.tolist(), shared.tolist(), strict=True):
            rows.extend(question(device, t, r, s))
        header, total = run_timed(build(Path(folder)), rows, 5)
    assert total == found, "the sweep and the header disagree"
    print(f"NumPy sweep of {LAUNCHES:,} launches {seconds * 1e3:.1f} ms, its tables {setup * 1e3:.1f} ms, once")
    print(f"vendor's header, compiled, one thread     {header * 1e3:.1f} ms for the same launches")
    print(
        f"ratio: NumPy {header / seconds:.2f}× the header's speed (target ≥ 1×); with the tables {header / (seconds + setup):.2f}×"
    )


def question(device: nvidia.Device, threads: int, registers: int, shared: int) -> list[int]:
    """One launch as the harness reads it."""
    return [
        device.major,
        device.minor,
        device.max_threads_per_block,
        device.threads_per_sm,
        device.registers_per_block,
        device.registers_per_sm,
        device.warp_size,
        device.shared_memory_per_block,
        device.shared_memory_per_sm,
        device.sm_count,
        device.shared_memory_per_block_opt_in,
        device.reserved_shared_memory,
        *(2**31 - 1, registers, 0, 0, 1, device.shared_memory_per_block_opt_in, 1, 0, 0, -1, threads, shared),
        *(0, 0, 0, 0, 1),
    ]


if __name__ == "__main__":
    main()
