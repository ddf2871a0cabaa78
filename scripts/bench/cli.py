"""How fast the command line is: run by hand. Prints lines a second and ratios; fails nothing."""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from occusite import nvidia
from occusite.cli import jsonl


def launches(count: int) -> bytes:
    """Random launches as JSON Lines: legal ones, most of which run."""
    chance = random.Random(7)
    names = [name for name in nvidia.CHIPS if float(name) >= 5]
    made = [
        {
            "device": chance.choice(names),
            "threads": chance.randrange(32, 1025),
            "registers": chance.randrange(16, 129),
            "static_shared": chance.randrange(0, 8192),
            "dynamic_shared": chance.randrange(0, 16384),
        }
        for _ in range(count)
    ]
    return "".join(json.dumps(line) + "\n" for line in made).encode()


def log(kernels: int) -> str:
    """A build log whose kernels all differ."""
    chance = random.Random(8)
    lines = []
    for number in range(kernels):
        name = f"_Z{len(str(number)) + 7}kernel_{number}Pfi"
        lines += [
            f"ptxas info    : Compiling entry function '{name}' for '{chance.choice(('sm_80', 'sm_89', 'sm_90'))}'",
            f"ptxas info    : Function properties for {name}",
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
            f"ptxas info    : Used {chance.randrange(8, 256)} registers, used 1 barriers, "
            f"{chance.randrange(49152)} bytes smem, 360 bytes cmem[0]",
        ]
    return "\n".join(lines) + "\n"


def seconds(task: Callable[[], object], tries: int = 3) -> float:
    """The shortest of several runs."""
    best = float("inf")
    for _ in range(tries):
        start = time.perf_counter()
        task()
        best = min(best, time.perf_counter() - start)
    return best


def command(*arguments: str, stdin: bytes = b"") -> Callable[[], object]:
    """`occusite` with these arguments, as a process."""
    line = [sys.executable, "-m", "occusite", *arguments]
    return lambda: subprocess.run(line, input=stdin, capture_output=True, check=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lines", type=int, default=100_000)
    options.add_argument("--kernels", type=int, default=10_000)
    options.add_argument("--tries", type=int, default=7, help="starts of each command, of which the shortest counts")
    options.add_argument(
        "--cuxray", type=Path, help="the folder of pip install --target=FOLDER cuxray, to compare starts"
    )
    given = options.parse_args()

    data = launches(given.lines)
    lines = data.splitlines()
    plain = seconds(lambda: [json.dumps(json.loads(line)) for line in lines])
    answered = seconds(lambda: jsonl.run(io.BytesIO(data), io.BytesIO()))
    piped = seconds(command("occupancy", "--jsonl", stdin=data))
    print(f"json round trip of the same lines   {given.lines / plain:>10,.0f} lines/s")
    print(
        f"occupancy --jsonl, in the process   {given.lines / answered:>10,.0f} lines/s   {answered / plain:.2f} × the round trip"
    )
    print(
        f"occupancy --jsonl, through a pipe   {given.lines / piped:>10,.0f} lines/s   {piped / plain:.2f} × the round trip"
    )

    bare = seconds(lambda: subprocess.run([sys.executable, "-c", ""], check=True))
    helped = seconds(command("--help"))
    print(f"occusite --help                     {helped:>10.3f} s         {helped / bare:.2f} × an empty Python")

    asked = seconds(command("occupancy", "-d", "sm_90", "-t", "256", "-r", "64"), given.tries)
    print(f"occusite occupancy                  {asked:>10.3f} s         {asked / bare:.2f} × an empty Python")
    if given.cuxray:
        rival = [sys.executable, "-c", "from cuxray.entry import main; main()", "occupancy", "--arch", "sm_90"]
        rival += ["--threads", "256", "--regs", "64"]
        settings = {**os.environ, "PYTHONPATH": str(given.cuxray)}
        other = seconds(lambda: subprocess.run(rival, env=settings, capture_output=True, check=True), given.tries)
        print(f"cuxray occupancy                    {other:>10.3f} s         occusite takes {asked / other:.2f} × that")

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "build.log"
        report.write_text(log(given.kernels), encoding="utf-8")
        read = seconds(command("read", str(report), "--threads", "256"))
        print(
            f"read, a log of {given.kernels:,} kernels        {read:>10.3f} s         {read / bare:.2f} × an empty Python"
        )


if __name__ == "__main__":
    main()
