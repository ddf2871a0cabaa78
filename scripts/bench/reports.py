"""Run by hand: how fast the readers are, on a build log of 10,000 kernels and on one of 100 MB that is mostly noise."""

from __future__ import annotations

import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from occusite.reports import KernelReport, read

KERNELS = 10_000
TARGET = 2.0
NOISE = (
    "[ 42%] Building CUDA object src/CMakeFiles/engine.dir/module.cu.o with all the options a long command line has\n"
)


def kernels(count: int) -> Iterator[str]:
    """Records as nvcc 13 prints them, with names as templates make them."""
    dice = random.Random(7)
    for number in range(count):
        name = f"_ZN6engine7kernels{11 + len(str(number))}elementwise{number}IfLi{number % 8}ELb1EEEvPKT_PS2_xNS0_6detail7ComposeE"
        spills = dice.choice([0, 0, 0, 4 * dice.randrange(400)])
        yield f"ptxas info    : Compiling entry function '{name}' for 'sm_{dice.choice([80, 90, 100])}'\n"
        yield f"ptxas info    : Function properties for {name}\n"
        yield f"    {spills} bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n"
        yield f"ptxas info    : Used {dice.randrange(8, 256)} registers, used {dice.randrange(3)} barriers, "
        yield f"{dice.randrange(49152)} bytes smem, 380 bytes cmem[0]\n"
        yield "ptxas info    : Compile time = 4.548 ms\n"


def timed(path: Path) -> tuple[float, list[KernelReport]]:
    """The best of three readings of a file, in seconds of processor time: a busy machine does not count."""
    best, reports = float("inf"), []
    for _ in range(3):
        begun = time.process_time()
        reports = read(path)
        best = min(best, time.process_time() - begun)
    return best, reports


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.log"
        with path.open("w") as file:
            file.writelines(kernels(KERNELS))
        seconds = show("a log of 10,000 kernels", path)
        print(f"{'':34} {seconds / TARGET:8.2f} × the target of {TARGET:g} s")
        records = "".join(kernels(100)).splitlines(keepends=True)
        with path.open("w") as file:
            for start in range(0, len(records), 6):
                file.writelines(records[start : start + 6])
                file.write(NOISE * ((100 << 20) // len(NOISE) // 100))
        show("a log of 100 MB with 100 kernels", path)
        tracemalloc.start()
        read(path)
        print(f"{'':34} {tracemalloc.get_traced_memory()[1] / 2**20:8.1f} MiB of memory at most")


def show(what: str, path: Path) -> float:
    seconds, reports = timed(path)
    with path.open() as file:
        lines = sum(1 for _ in file)
    size = path.stat().st_size / 2**20
    speed = f"{lines / seconds:12,.0f} lines/s  {size / seconds:6.1f} MiB/s"
    print(f"{what:34} {seconds:8.3f} s  {len(reports):6,} kernels  {speed}")
    return seconds


if __name__ == "__main__":
    main()
