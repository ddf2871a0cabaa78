"""Run by whoever has an NVIDIA GPU: times the book's own kernels there and writes <device>.csv, for Measured.

    measure.py                    everything, some minutes
    measure.py --part copy        one part: copy, sgemm or wave; may be given several times
    measure.py --compile-only --arch sm_90    no GPU needed: what each build takes, by the compiler's own words

What it measures, each the median of nine after a warm-up:

- copy: a copy of 1 GiB with 1, 2, 4 and 8 loads in flight per thread, two blocks on every SM, at every number of warps.
  The picture of ILP: each doubling should move the knee to half the warps.
- sgemm: docs/kernels/sgemm8x8.cu under the register caps of CAPS. The trap with its time: more warps, more spills.
- wave: docs/kernels/wave.cu in the builds of scripts/refresh/session.py.

Protocol: nothing else on the GPU; clocks as they are (say in the message if you locked them); run it twice and send the
second file. Needs `nvcc` on the PATH. A file put into occusite/data/measurements/runs is shown by the book.
"""

import argparse
import csv
import importlib.util
import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from occusite import reports

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("measure.cu")
PARTS = ("copy", "sgemm", "wave")
CAPS = (0, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 160)
FILES = {"sgemm": "sgemm8x8.cu", "wave": "wave.cu"}
COLUMNS = (
    *("gpu", "architecture", "sms", "threads_per_sm", "driver", "compiler", "part", "build"),
    *("loads", "threads", "warps", "registers", "spill_stores", "spill_loads", "gb_per_s", "time_ms"),
)


class Build(NamedTuple):
    """One way to compile the program: which part, what the build is called, and the compiler's options for it."""

    part: str
    name: str
    options: tuple[str, ...]


class Device(NamedTuple):
    """What the program says of the GPU."""

    gpu: str
    architecture: str
    sms: str
    threads_per_sm: str
    driver: str


def session_builds() -> dict[str, tuple[str, ...]]:
    """The builds of the tuning session, from the script that keeps them."""
    folder = str(ROOT / "scripts" / "refresh")
    spec = importlib.util.spec_from_file_location("session_builds", f"{folder}/session.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return dict(module.BUILDS)


def plan(parts: tuple[str, ...]) -> list[Build]:
    """Every build of the parts asked for."""
    builds = [Build("copy", "copy", ())] if "copy" in parts else []
    if "sgemm" in parts:
        builds += [
            Build("sgemm", f"cap {cap}" if cap else "no cap", (f"-maxrregcount={cap}",) * bool(cap)) for cap in CAPS
        ]
    if "wave" in parts:
        builds += [Build("wave", name, options) for name, options in session_builds().items()]
    return builds


def command(nvcc: str, build: Build, architecture: str, out: Path) -> list[str]:
    """The compiler's command line."""
    words = [nvcc, "-O3", "-std=c++17", f"-arch={architecture}", "-Xptxas", "-v", f"-D{build.part.upper()}"]
    if build.part in FILES:
        words.append(f'-DKERNEL="{ROOT / "docs" / "kernels" / FILES[build.part]}"')
    return [*words, *build.options, "-o", str(out), str(SOURCE)]


def resources(log: str) -> dict[int, reports.KernelReport]:
    """The kernels of a build log by the loads they keep in flight; 0 for a kernel that is not the copy."""
    found = {}
    for report in reports.read(log):
        loads = re.search(r"copyILi(\d+)E", report.kernel)
        found[int(loads[1]) if loads else 0] = report
    return found


def parsed(printed: str, build: Build, log: str, compiler: str) -> tuple[Device, list[tuple[object, ...]]]:
    """The device and the rows of one run. Raises `ValueError` for a line the program does not print."""
    kernels = resources(log)
    device, rows = None, []
    for line in printed.splitlines():
        words = line.split(",")
        if words[0] == "device" and len(words) >= 6:
            # A name may hold commas; what follows it does not.
            device = Device(",".join(words[1:-4]), *words[-4:])
        elif words[0] == build.part and len(words) == 6 and device:
            loads, threads, warps, rate, took = words[1:]
            kernel = kernels[int(loads)]
            spilled = (kernel.registers, kernel.spill_stores, kernel.spill_loads)
            rows.append((*device, compiler, build.part, build.name, loads, threads, warps, *spilled, rate, took))
        else:
            raise ValueError(f"{build.name}: cannot read the line {line!r}")
    if device is None or not rows:
        raise ValueError(f"{build.name}: the program printed no measurement")
    return device, rows


def file_name(gpu: str) -> str:
    """A device's name as a file's: "NVIDIA H200" is nvidia-h200.csv."""
    return re.sub(r"[^a-z0-9]+", "-", gpu.lower()).strip("-") + ".csv"


def table(rows: list[tuple[object, ...]]) -> str:
    """The rows as CSV under their heading."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    return text.getvalue()


def architecture_here() -> str:
    """The first GPU's architecture, as its driver's tool tells it."""
    tool = shutil.which("nvidia-smi")
    if not tool:
        sys.exit("nvidia-smi is not on the PATH: give --arch, or run this where there is a GPU")
    asked = [tool, "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return f"sm_{told.replace('.', '')}"


def compiled(nvcc: str, build: Build, architecture: str, out: Path) -> str:
    """Compile a build to `out`; the compiler's log."""
    words = command(nvcc, build, architecture, out)
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stderr}")
    return done.stdout + done.stderr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", action="append", choices=PARTS, help="measure this part alone; may be repeated")
    parser.add_argument("--arch", help="the architecture to compile for (default: the first GPU's)")
    parser.add_argument("--out", type=Path, default=Path(), help="the folder to write to (default: this one)")
    parser.add_argument("--compile-only", action="store_true", help="print what each build takes, and run nothing")
    options = parser.parse_args()
    nvcc = shutil.which("nvcc") or sys.exit("nvcc is not on the PATH")
    architecture = options.arch or architecture_here()
    told = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"release [\d.]+, (V[\d.]+)", told)
    compiler = f"nvcc {version[1]}" if version else "nvcc"
    device, rows = None, []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "measure"
        for build in plan(tuple(options.part or PARTS)):
            log = compiled(nvcc, build, architecture, program)
            if options.compile_only:
                for loads, kernel in sorted(resources(log).items()):
                    name = f"{build.name} {loads}" if loads else build.name
                    spilled = f"{kernel.spill_stores} + {kernel.spill_loads} bytes spilled"
                    print(f"{build.part:6} {name:14} {kernel.registers:4} registers, {spilled}")
                continue
            done = subprocess.run([program], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{build.part}, {build.name}: {done.stderr.strip()}")
            device, found = parsed(done.stdout, build, log, compiler)
            rows += found
            print(f"{build.part}, {build.name}: {len(found)} measurements", file=sys.stderr)
    if device:
        path = options.out / file_name(device.gpu)
        path.write_text(table(rows), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
