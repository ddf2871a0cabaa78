"""Run when docs/kernels/wave.cu or the compiler changes: builds the kernel of chapter 12 each way its session tries.

Needs `nvcc` on the PATH, or the wheels that spills.py names, and what machine_code.py names. Writes
occusite/data/session/*.log, the compiler's own words below the command, and flight.csv, which loads fly together in the
machine code; and bounds/*.log, the same kernel under all that can bound its registers, for chapter 10. Option: --check (compares with the files, writes nothing).
"""

import argparse
import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import machine_code
from spills import ROOT, compiler

DATA = ROOT / "occusite" / "data" / "session"
# The logs are of the first; of the others only the machine code is counted.
ARCHITECTURES = ("sm_90", "sm_80")
BUILDS = {
    "as-found": (),
    "smaller-block": ("-DTHREADS=256",),
    "all-slots": ("-DTHREADS=256", "-DBLOCKS=8"),
    "loads-first": ("-DTHREADS=256", "-DEARLY"),
    "four-columns": ("-DTHREADS=256", "-DEARLY", "-DCOLUMNS=4"),
    "both": ("-DTHREADS=256", "-DEARLY", "-DCOLUMNS=4", "-DBLOCKS=8"),
}
WIDE = ("-DTHREADS=128", "-DEARLY", "-DCOLUMNS=8")
BOUNDS = {
    "threads": WIDE,
    "threads-capped": (*WIDE, "-maxrregcount=64"),
    "one-block": (*WIDE, "-DBLOCKS=1"),
    "cluster": (*WIDE, "-DBLOCKS=1", "-DCLUSTER=2"),
    "free": (*WIDE, "-DUNBOUND"),
    "free-capped": (*WIDE, "-DUNBOUND", "-maxrregcount=64"),
    "maxnreg": (*WIDE, "-DREGISTERS=64"),
    "maxnreg-capped": (*WIDE, "-DREGISTERS=80", "-maxrregcount=64"),
    "shared-spills": (*BUILDS["both"], "-DSHARED_SPILLS"),
}
COLUMNS = ("build", "architecture", "loads", "waits", "order", "local_stores", "local_loads")


def build(nvcc: str, options: tuple[str, ...], architecture: str) -> tuple[str, list[machine_code.Instruction]]:
    """The command and everything the compiler said about it, and the loop in its machine code."""
    command = ["nvcc", "-O3", "-cubin", f"-arch={architecture}", "-Xptxas", "-v", *options, "wave.cu"]
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "wave.cubin"
        done = subprocess.run(
            [nvcc, *command[1:], "-o", str(cubin)],
            cwd=ROOT / "docs" / "kernels",
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
        [body] = machine_code.loops(machine_code.parse(machine_code.listing(cubin)))
    return f"$ {' '.join(command)}\n{done.stdout}{done.stderr}", body


def figures(body: list[machine_code.Instruction]) -> tuple[object, ...]:
    """What a pass of the loop has in flight, and what it moves to and from local memory."""
    found = machine_code.flight(body)
    return found.loads, f"{found.waits:g}", found.order, *machine_code.local_bytes(body)


def said(log: str) -> list[str]:
    """A log without what differs from run to run."""
    return [line for line in log.splitlines() if "Compile time" not in line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="build again and compare with the files")
    options = parser.parse_args()
    nvcc = compiler()
    told = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    version = f"$ nvcc --version\n{told.splitlines()[3]}\n"
    files, rows = {}, []
    for name, flags in BUILDS.items():
        for architecture in ARCHITECTURES:
            log, body = build(nvcc, flags, architecture)
            rows.append((name, architecture, *figures(body)))
            if architecture == ARCHITECTURES[0]:
                files[f"{name}.log"] = version + log
    for name, flags in BOUNDS.items():
        files[f"bounds/{name}.log"] = version + build(nvcc, flags, ARCHITECTURES[0])[0]
    text = io.StringIO()
    tools = f"nvcc -O3 {machine_code.version(nvcc)}, read by cuobjdump {machine_code.version(machine_code.tool('cuobjdump'))}"
    text.write(f"# Made by scripts/refresh/session.py from docs/kernels/wave.cu: {tools}. One pass of the loop each.\n")
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    files["flight.csv"] = text.getvalue()
    differ = []
    for name, new in files.items():
        path = DATA / name
        if options.check:
            # Which cuobjdump read the code does not matter, what it read does.
            kept = path.read_text(encoding="utf-8") if path.exists() else ""
            if said(kept)[name == "flight.csv" :] != said(new)[name == "flight.csv" :]:
                differ.append(name)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(new, encoding="utf-8")
    print(f"{len(files)} files" + (f", {len(differ)} differ: {', '.join(differ)}" if options.check else ""))
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
