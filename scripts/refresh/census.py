"""Run when the wheels below, or the readers, change: counts the kernels that published wheels ship, for Measured.

Each wheel is fetched by name, version and hash into a temporary folder, read with `occusite.reports`, and deleted
before the next; each is read in a process of its own with bounded memory. Writes to occusite/data/measurements:
census.csv.gz, one row for all kernels that take the same; census-wheels.csv, what was read; census-ceilings.csv, how
full these kernels can make an SM by `occusite.book.content.census`. Needs occusite's extra `elf`, and room for one wheel and its largest library.

    census.py                   all wheels
    census.py cuSPARSE cuRAND   these alone; the other rows stay
    census.py --ceilings        the last table anew, from the first: after a change of occusite's rules
    census.py --pin name==1.2   what to write below for a wheel: its hash, and its files that hold kernels

Counted: linked kernels for the architectures of GENERATIONS; where a file holds a kernel for sm_90 and for sm_90a, the
one for sm_90a, which is what such a GPU runs. An empty shell (`shell`) is counted apart. In census.csv.gz registers are rounded up to 8,
shared memory to 128 bytes and threads to whole warps, as every GPU since compute capability 7.5 allocates them or
coarser: the residency of each row is that of its kernels.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from occusite import reports

KEPT = Path(__file__).resolve().parents[2] / "occusite" / "data" / "measurements"
GENERATIONS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_24_x86_64", "manylinux2014_x86_64")
PYTHON = "3.12"
MEMORY = 12 << 30


class Wheel(NamedTuple):
    """What a library is called here, what it is on the index, its hash, and which of its files are read."""

    library: str
    name: str
    version: str
    sha256: str
    files: str = r"\.so(\.\d+)*$"


WHEELS = (
    Wheel("cuRAND", "nvidia-curand", "10.4.5.25", "22bb226a857e5888fe6b54ae465fc4371296bcff13a35f79e19691bcf454f529"),
    Wheel("cuFFT", "nvidia-cufft", "12.5.0.14", "b8be26837a5abad2b5b74f3e92dd29f622a42934b355be0961a48712cbba23ad"),
    Wheel(
        "cuSPARSE", "nvidia-cusparse", "12.9.4.2", "072667e58c851a318738f5527a12eb225cbf058803f2ea451c722d8cf8edddec"
    ),
    Wheel(
        "cuSOLVER", "nvidia-cusolver", "12.4.1.2", "b3b8e02fd2f2df869369af075dc3a179d43f6f7b85e94632a7dce556697be044"
    ),
    Wheel("cuBLAS", "nvidia-cublas", "13.10.0.20", "dcc6d63884c53d07e267ce7e6feac17b2538cebaafec5db865736c3e28e4dc84"),
    Wheel("cuDNN", "nvidia-cudnn-cu13", "9.28.1.4", "a54f205b1db1f2895d99f398754db1369816f0569dd459731f925635cf7b65ec"),
    Wheel("CuPy", "cupy-cuda13x", "14.2.0", "9aafadbe29db3d4285026044aafeb28f2a3de4bd0df70718ec6892b7d27a4ded"),
    Wheel(
        "JAX plugin",
        "jax-cuda13-plugin",
        "0.12.0.1",
        "6028faf179e7aa7cc64100ed3c7c7b1b11346f5aa05d5e9e33e8fe60c5289fa1",
    ),
    Wheel(
        "FAISS", "faiss-gpu-cu12", "1.14.1.post1", "d997b9a4d9c7697e3ce39576edb91733c20ac2e81b455b4c08afea9d69e894cf"
    ),
    Wheel(
        "ONNX Runtime", "onnxruntime-gpu", "1.31.1", "05d548956197b9d01f59b625de740e0d6be3593f874e241a12dc0362650ecdf7"
    ),
    Wheel("NPP", "nvidia-npp", "13.2.0.93", "31e52de156799efed7da0654899c16e7732fb16a5ff9c4a3769894fb6c9d11bc"),
    Wheel("NCCL", "nvidia-nccl-cu13", "2.32.3", "1459723080ac889d73a26edfa3e04383a7928ab31ac8f0ec43b3ea9548b04ff3"),
    Wheel("cuDF", "libcudf-cu13", "26.10.2", "c57c3f5141a40244fcee1882cdc3c76204bc2b8e60008bf9c1c27d13fe53d431"),
    Wheel("cuVS", "libcuvs-cu13", "26.10.0", "c414ff2981066f924f274eb874204d161558394362cc9a05beed49fea7096b3a"),
    # One build of several in the wheel, and of two copies of the common kernels one.
    Wheel(
        "bitsandbytes",
        "bitsandbytes",
        "0.50.2",
        "55348a9a4a21bfd99cf8c7b32fe67b4030ae5c2a05738e03c1747f65fa6ec283",
        r"cuda130\.so$",
    ),
    Wheel(
        "sgl-kernel",
        "sgl-kernel",
        "0.3.21",
        "57dfb3a2a3cd759f499c32e2bad5f6489b7c58f7f9a84ee00c53ec92d303aaab",
        r"sgl_kernel/(sm90/common_ops|flash_ops|flashmla_ops)\.abi3\.so$",
    ),
    Wheel("PyTorch", "torch", "2.14.1", "23011fe29a99b591eabb3a31a25080c62e2c2f0690a3c798744e5489dae50451"),
    Wheel("vLLM", "vllm", "0.33.0", "4b6bdec4ab269990bf70d45a3c1e94c3760a27064513760193b26d6f0da883aa"),
)


class Row(NamedTuple):
    """What decides a kernel's residency, rounded as the chips allocate: registers, threads (0: no bound), bytes."""

    registers: int
    threads: int
    shared: int
    stack: int


def up(value: int, unit: int) -> int:
    """`value` rounded up to whole units."""
    return -(-value // unit) * unit


def shell(report: reports.KernelReport) -> bool:
    """Whether a kernel is empty: compiled for an architecture whose code it does not hold, or empty by design.

    With nvcc 13.0 a kernel that returns at once takes four registers, one that stores a constant six or more (four on
    sm_75); earlier compilers gave an empty one two.
    """
    return (report.registers or 0) <= 4 and not report.static_shared


def row(report: reports.KernelReport) -> Row:
    """A kernel's row. `stack` is 1 where its frame is not empty: it keeps something in local memory."""
    threads = report.threads or report.max_threads or 0
    return Row(
        up(report.registers or 0, 8), up(threads, 32), up(report.static_shared or 0, 128), int(bool(report.stack_frame))
    )


def preferred(found: list[reports.KernelReport]) -> list[reports.KernelReport]:
    """The kernels of one generation without those for which the same code holds a version for it alone (sm_90a)."""
    special = {report.kernel for report in found if report.architecture.endswith("a")}
    return [report for report in found if report.architecture.endswith("a") or report.kernel not in special]


def counted(found: Iterable[reports.KernelReport]) -> dict[str, dict[str, object]]:
    """By architecture: kernels and shells, the median of the exact register counts, those with a bound, the rows."""
    made: dict[str, dict[str, object]] = {}
    groups: dict[str, list[reports.KernelReport]] = {}
    for report in found:
        if report.final and report.registers is not None:
            groups.setdefault(report.architecture.rstrip("af"), []).append(report)
    for architecture in GENERATIONS:
        kernels = preferred(groups.get(architecture, []))
        whole = [report for report in kernels if not shell(report)]
        if not whole:
            continue
        rows = Counter(row(report) for report in whole)
        made[architecture] = {
            "kernels": len(whole),
            "shells": len(kernels) - len(whole),
            "median": statistics.median_low([report.registers or 0 for report in whole]),
            "bounded": sum(bool(report.threads or report.max_threads) for report in whole),
            "framed": sum(bool(report.stack_frame) for report in whole),
            "rows": [[*key, count] for key, count in sorted(rows.items())],
        }
    return made


def fetch(wheel: Wheel, folder: Path) -> Path:
    """The wheel's file in `folder`, checked against its hash by the installer."""
    wanted = folder / "wanted.txt"
    pin = f" --hash=sha256:{wheel.sha256}" if wheel.sha256 else ""
    wanted.write_text(f"{wheel.name}=={wheel.version}{pin}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command += [word for platform in PLATFORMS for word in ("--platform", platform)]
    command += ["--python-version", PYTHON, "--dest", str(folder), "--requirement", str(wanted)]
    subprocess.run([*command, *(["--require-hashes"] if pin else [])], check=True)
    [found] = folder.glob("*.whl")
    return found


def kernels(file: Path, files: str, told: bool = False) -> list[reports.KernelReport]:
    """The kernels of a wheel's files whose names match, each file unpacked alone."""
    found: list[reports.KernelReport] = []
    with zipfile.ZipFile(file) as archive, tempfile.TemporaryDirectory(dir=file.parent) as folder:
        for entry in archive.infolist():
            if not re.search(files, entry.filename):
                continue
            path = Path(archive.extract(entry, folder))
            try:
                here = reports.read(path)
            except reports.ReportError as error:
                if "without GPU code" not in error.problem:
                    print(f"  {entry.filename}: {error}", file=sys.stderr)
                here = []
            if told or here:
                architectures = sorted({report.architecture for report in here})
                print(f"  {entry.filename}: {len(here)} kernels, {' '.join(architectures)}", file=sys.stderr)
            found += here
            path.unlink()
    return found


def one(wheel: Wheel) -> dict[str, dict[str, object]]:
    """A wheel fetched, read and deleted."""
    with tempfile.TemporaryDirectory() as folder:
        file = fetch(wheel, Path(folder))
        if not wheel.sha256:
            digest = hashlib.file_digest(file.open("rb"), "sha256").hexdigest()
            print(f"  {file.name} sha256 {digest}", file=sys.stderr)
        return counted(kernels(file, wheel.files, told=not wheel.sha256))


def in_a_process(wheel: Wheel) -> dict[str, dict[str, object]]:
    """`one`, in a process that may take `MEMORY` bytes of memory."""

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    command = [sys.executable, __file__, "--one", json.dumps(wheel)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, preexec_fn=bounded)
    if done.returncode:
        sys.exit(f"{wheel.library}: could not be read; nothing was written for it")
    return json.loads(done.stdout)


HEAD = """\
# Kernels that published wheels ship, counted by scripts/refresh/census.py, which says what is counted and how numbers
# are rounded. The wheels with their hashes: census-wheels.csv. stack: 1 for kernels with a stack frame. threads: the launch bound, 0 where there is none.
"""
COLUMNS = ("library", "architecture", "registers", "threads", "shared", "stack", "kernels")
WHEEL_HEAD = """\
# The wheels of census.csv.gz. kernels: without empty shells, which are counted apart; median: of their registers, exact;
# bounded: kernels that were compiled with a bound on their block; framed: kernels with a stack frame.
# Made by scripts/refresh/census.py.
"""
WHEEL_COLUMNS = (
    "library",
    "name",
    "version",
    "sha256",
    "architecture",
    "kernels",
    "shells",
    "median",
    "bounded",
    "framed",
)
CEILING_HEAD = """\
# How full the kernels of census.csv.gz can make an SM, were each block launched with `dynamic` KiB of dynamic shared memory.
# cells: class of occupancy (percent, its upper edge):what limits it:kernels. Made by scripts/refresh/census.py.
"""
CEILING_COLUMNS = ("library", "architecture", "dynamic", "cells")
DYNAMIC = (0, 16, 48, 96)


def written(head: str, columns: tuple[str, ...], rows: Iterable[Iterable[object]]) -> str:
    """A table as it is kept."""
    text = io.StringIO()
    text.write(head)
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    return text.getvalue()


def table(name: str) -> list[list[str]]:
    """The rows kept so far, without comment and heading."""
    path = KEPT / name
    data = path.read_bytes() if path.exists() else b""
    text = (gzip.decompress(data) if name.endswith(".gz") and data else data).decode("utf-8")
    return list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))[1:]


def keep(name: str, text: str) -> None:
    """Write a table; a packed one is the same for the same rows, whenever it is made."""
    data = text.encode("utf-8")
    (KEPT / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)


def ceilings(rows: Iterable[list[str]]) -> list[list[object]]:
    """The rows of census-ceilings.csv for rows of census.csv.gz."""
    from occusite.book.content.census import ceiling

    found: dict[tuple[str, str, int], Counter[tuple[float, str]]] = {}
    for library, architecture, *numbers in rows:
        registers, threads, shared, _, count = map(int, numbers)
        for dynamic in DYNAMIC:
            at = ceiling(architecture, registers, threads, shared, 1024 * dynamic)
            found.setdefault((library, architecture, dynamic), Counter())[at.edge, at.limiter] += count
    return [
        [*key, " ".join(f"{edge:g}:{limiter}:{count}" for (edge, limiter), count in sorted(cells.items()))]
        for key, cells in found.items()
    ]


def merged(old: list[list[str]], new: list[list[str]]) -> list[list[str]]:
    """`new` in the place of all rows of the libraries it is about, libraries in the order of WHEELS."""
    order = [wheel.library for wheel in WHEELS]
    renewed = {row[0] for row in new}
    rows = [row for row in old if row[0] not in renewed and row[0] in order] + new
    return sorted(rows, key=lambda row: order.index(row[0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY")
    parser.add_argument("--ceilings", action="store_true", help="fetch nothing: compute the ceilings anew")
    parser.add_argument("--pin", metavar="NAME==VERSION")
    parser.add_argument("--files", default=Wheel.__new__.__defaults__[0], help="with --pin: which files to read")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        json.dump(one(Wheel(*json.loads(options.one))), sys.stdout)
        return
    if options.pin:
        name, _, version = options.pin.partition("==")
        made = in_a_process(Wheel(name, name, version, "", options.files))
        for architecture, found in made.items():
            print(architecture, {k: v for k, v in found.items() if k != "rows"}, len(found["rows"]), "rows")
        return
    unknown = set(options.libraries) - {wheel.library for wheel in WHEELS}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: not among {', '.join(wheel.library for wheel in WHEELS)}")
    for wheel in () if options.ceilings else WHEELS:
        if options.libraries and wheel.library not in options.libraries:
            continue
        print(wheel.library, file=sys.stderr)
        made = in_a_process(wheel)
        rows = [[wheel.library, a, *map(str, r)] for a, found in made.items() for r in found["rows"]]
        facts = [[*map(str, wheel[:4]), a, *(str(found[k]) for k in WHEEL_COLUMNS[5:])] for a, found in made.items()]
        # After each wheel: a run that ends early keeps what it has read.
        keep("census.csv.gz", written(HEAD, COLUMNS, merged(table("census.csv.gz"), rows)))
        keep("census-wheels.csv", written(WHEEL_HEAD, WHEEL_COLUMNS, merged(table("census-wheels.csv"), facts)))
    keep("census-ceilings.csv", written(CEILING_HEAD, CEILING_COLUMNS, ceilings(table("census.csv.gz"))))


if __name__ == "__main__":
    main()
