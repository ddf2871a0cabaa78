"""Run when docs/kernels/wave.cu or the compiler changes: builds the kernel of chapter 12 each way its session tries.

Needs `nvcc` on the PATH, or the wheels that spills.py names. Writes occusite/data/session/*.log, the compiler's
own words below the command. Option: --check (compares with the files, writes nothing).
"""

import argparse
import subprocess
import sys
import tempfile

from spills import ROOT, compiler

LOGS = ROOT / "occusite" / "data" / "session"
BUILDS = {
    "as-found": (),
    "smaller-tile": ("-DTY=8",),
    "launch-bounds": ("-DTY=8", "-DBLOCKS=8"),
    "more-columns": ("-DTY=8", "-DCOLUMNS=4"),
    "both": ("-DTY=8", "-DCOLUMNS=4", "-DBLOCKS=8"),
}


def build(nvcc: str, options: tuple[str, ...]) -> str:
    """The command and everything the compiler said about it."""
    command = ["nvcc", "-O3", "-cubin", "-arch=sm_90", "-Xptxas", "-v", *options, "wave.cu"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [nvcc, *command[1:], "-o", f"{folder}/wave.cubin"],
            cwd=ROOT / "docs" / "kernels",
            capture_output=True,
            text=True,
        )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return f"$ {' '.join(command)}\n{done.stdout}{done.stderr}"


def said(log: str) -> list[str]:
    """A log without what differs from run to run."""
    return [line for line in log.splitlines() if "Compile time" not in line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="build again and compare with the logs")
    options = parser.parse_args()
    nvcc = compiler()
    told = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    version = f"$ nvcc --version\n{told.splitlines()[3]}\n"
    differ = []
    LOGS.mkdir(exist_ok=True)
    for name, flags in BUILDS.items():
        path, log = LOGS / f"{name}.log", version + build(nvcc, flags)
        if options.check:
            if not path.exists() or said(path.read_text(encoding="utf-8")) != said(log):
                differ.append(name)
        else:
            path.write_text(log, encoding="utf-8")
    print(f"{len(BUILDS)} built" + (f", {len(differ)} differ: {', '.join(differ)}" if options.check else ""))
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
