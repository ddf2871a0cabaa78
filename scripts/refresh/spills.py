"""Run when the kernels in docs/kernels or the compiler change: recompiles them under every register cap, for chapter 9.

Needs `nvcc` on the PATH, or the wheels nvidia-cuda-nvcc, nvidia-cuda-crt, nvidia-nvvm, nvidia-cuda-runtime and
nvidia-cuda-cccl beside this Python. Writes occusite/data/spills.csv. Options: --jobs N, --check (compares a sample
with the file, writes nothing).
"""

import argparse
import concurrent.futures
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import machine_code

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "occusite" / "data" / "spills.csv"
KERNELS = {"sgemm8x8": 256, "nbody": 128, "stencil": 512}
ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
CAPS = (0, *range(24, 137), *range(144, 249, 8), 255)
LOOPS = ROOT / "occusite" / "data" / "spills_in_loops.csv"
LOOP_ARCHITECTURES, LOOP_CAPS = ("sm_86", "sm_90"), (24, 32, 40, 48, 64, 80, 96, 128)
LOOP_COLUMNS = ("architecture", "kernel", "cap", "spill_stores", "spill_loads", "loop_stores", "loop_loads")
COLUMNS = ("architecture", "kernel", "threads", "cap", "registers", "stack", "spill_stores", "spill_loads", "shared")
NUMBERS = {
    "registers": r"Used (\d+) registers",
    "stack": r"(\d+) bytes stack frame",
    "spill_stores": r"(\d+) bytes spill stores",
    "spill_loads": r"(\d+) bytes spill loads",
    "shared": r"(\d+) bytes smem",
}


def compiler() -> str:
    """The nvcc to use: the one on the PATH, else the one that a wheel brought."""
    found = shutil.which("nvcc")
    if found:
        return found
    for folder in sys.path:
        for path in sorted(Path(folder).glob("nvidia/**/bin/nvcc")) if folder else []:
            return str(path)
    sys.exit("nvcc is neither on the PATH nor in a wheel: pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt")


def compile_one(nvcc: str, architecture: str, kernel: str, cap: int) -> tuple[object, ...]:
    """One compilation; cap 0 is no cap. nvcc is run each time, for it hands the cap to its front end as well."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            nvcc,
            "-O3",
            "-cubin",
            f"-arch={architecture}",
            "-Xptxas",
            "-v",
            "-o",
            str(Path(folder) / "out.cubin"),
        ]
        if cap:
            command.append(f"-maxrregcount={cap}")
        done = subprocess.run([*command, str(ROOT / "docs/kernels" / f"{kernel}.cu")], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    found = {name: re.search(pattern, done.stderr) for name, pattern in NUMBERS.items()}
    return (architecture, kernel, KERNELS[kernel], cap, *(int(m[1]) if m else 0 for m in found.values()))


def loops_of(nvcc: str, architecture: str, kernel: str, cap: int) -> tuple[object, ...]:
    """Bytes of one build's local stores and loads: all of them, and those that stand in a loop."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "out.cubin"
        source = str(ROOT / "docs/kernels" / f"{kernel}.cu")
        options = ["-O3", "-cubin", f"-arch={architecture}", f"-maxrregcount={cap}", "-o", str(cubin)]
        subprocess.run([nvcc, *options, source], check=True)
        code = machine_code.parse(machine_code.listing(cubin))
    inside = machine_code.in_loops(code)
    return (architecture, kernel, cap, *machine_code.local_bytes(code), *machine_code.local_bytes(inside))


def write_loops(nvcc: str, version: str, jobs: int) -> None:
    """Writes the second file."""
    work = [(nvcc, a, k, c) for a in LOOP_ARCHITECTURES for k in KERNELS for c in LOOP_CAPS]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(lambda job: loops_of(*job), work))
    text = io.StringIO()
    tool = machine_code.version(machine_code.tool("cuobjdump"))
    text.write(
        f"# Made by scripts/refresh/spills.py from docs/kernels with nvcc -O3: {version}, cuobjdump {tool}; in bytes.\n"
    )
    csv.writer(text, lineterminator="\n").writerows([LOOP_COLUMNS, *rows])
    LOOPS.write_text(text.getvalue(), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--check", action="store_true", help="compile a sample and compare it with the table")
    parser.add_argument("--loops", action="store_true", help="write only what stands in a loop")
    options = parser.parse_args()
    nvcc = compiler()
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[3]
    if options.loops:
        return write_loops(nvcc, version, options.jobs)
    caps = (0, 32, 80, 128) if options.check else CAPS
    work = [(nvcc, a, k, c) for a in ARCHITECTURES for k in KERNELS for c in caps]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = []
        for row in pool.map(lambda job: compile_one(*job), work):
            rows.append(row)
            print(f"\r{len(rows)} of {len(work)}", end="", file=sys.stderr)
    text = io.StringIO()
    text.write(f"# Made by scripts/refresh/spills.py from docs/kernels with nvcc -O3: {version}; cap 0 is no cap.\n")
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    if options.check:
        kept = set(TABLE.read_text(encoding="utf-8").splitlines())
        missing = [line for line in text.getvalue().splitlines()[2:] if line not in kept]
        print(f"\n{len(rows)} compiled, {len(missing)} differ from the table", *missing[:10], sep="\n")
        sys.exit(bool(missing))
    TABLE.write_text(text.getvalue(), encoding="utf-8")
    return write_loops(nvcc, version, options.jobs)


if __name__ == "__main__":
    main()
