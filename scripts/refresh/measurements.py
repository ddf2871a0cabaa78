"""Run when measurements of other people's GPUs are added: thins the long tables into occusite/data/measurements.

Two tables go in, as CSV (a name that ends in .gz is unpacked):

    measurements.py --streaming FILE   columns gpu, block_size, kernel, gb_per_s: two blocks on every SM
    measurements.py --tuning FILE      columns kernel, gpu, compute_capability, threads, registers, static_shared,
                                       spill_stores, time_ms: one row a configuration

Kept: of the streaming table every point of the boards in BOARDS and of the kernels measured on all of them; of the
tuning table every configuration, without the names of its parameters, its times to four digits. Nothing is averaged.
"""

import argparse
import csv
import gzip
import io
from collections.abc import Iterable
from pathlib import Path

KEPT = Path(__file__).resolve().parents[2] / "occusite" / "data" / "measurements"

# Boards of the streaming table that the package has exact rules for: architecture, SMs.
BOARDS = {
    "V100": ("sm_70", 80),
    "A100 40GB": ("sm_80", 108),
    "A100 80GB": ("sm_80", 108),
    "A40": ("sm_86", 84),
    "L40": ("sm_89", 142),
    "H100 PCIe": ("sm_90", 114),
    "H200": ("sm_90", 132),
}
KERNELS = ("read", "init", "scale", "triad", "3pt")
BLOCKS, STEP = 2, 32

STREAMING = """\
# Bandwidth of streaming kernels on doubles, GB/s (10^9 bytes), the median of nine timings of two runs each.
# Source: gpu-stream in te42kyfo/gpu-benches, commit 1c36d50; its results, taken as figures. Arrays of 1 GiB.
# One row a board and kernel. Values are for `step`, 2 `step`, 3 `step` … threads a block, `blocks` blocks on every SM.
# Made by scripts/refresh/measurements.py.
"""
TUNING = """\
# Times of every configuration of two kernels, µs to four digits, the mean of 32 runs; – where a board has none.
# Times: AutoTuningAssociation/benchmark_hub, commit 8eeb99e, DOI 10.5281/zenodo.15364124, licence MIT. Registers, static
# shared memory (bytes) and spills: the same sources compiled for sm_80 and sm_86 by nvcc 13.0, later than the times were
# taken. convolution: 15 × 15 on 4096 × 4096 floats, every configuration with shared memory and without the read-only
# cache. dedispersion: a random sample of 1,800 of 11,130. Made by scripts/refresh/measurements.py.
"""


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, packed or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def streaming(rows: Iterable[dict[str, str]]) -> str:
    """The kept form of the streaming table. Raises `ValueError` where a board lacks a block size below its largest."""
    found: dict[tuple[str, str], dict[int, str]] = {}
    for row in rows:
        if row["gpu"] in BOARDS and row["kernel"] in KERNELS:
            found.setdefault((row["gpu"], row["kernel"]), {})[int(row["block_size"])] = row["gb_per_s"]
    text = io.StringIO()
    text.write(STREAMING)
    out = csv.writer(text, lineterminator="\n")
    out.writerow(("gpu", "architecture", "sms", "kernel", "blocks", "step", "gb_per_s"))
    for gpu, (architecture, sms) in BOARDS.items():
        for kernel in KERNELS:
            points = found.get((gpu, kernel), {})
            sizes = range(STEP, STEP * (len(points) + 1), STEP)
            if sorted(points) != list(sizes) or not points:
                raise ValueError(f"{gpu}, {kernel}: block sizes {sorted(points)} are not 32, 64, 96 …")
            out.writerow((gpu, architecture, sms, kernel, BLOCKS, STEP, " ".join(points[size] for size in sizes)))
    return text.getvalue()


def four_digits(milliseconds: str) -> str:
    """Microseconds, rounded to four significant digits, without an exponent."""
    rounded = float(f"{1000 * float(milliseconds):.4g}")
    return f"{rounded:g}" if rounded < 10_000 else str(int(rounded))


def tuning(rows: Iterable[dict[str, str]]) -> str:
    """The kept form of the tuning table: one row a configuration, a column of registers and one of spills for each
    architecture, a column of times for each board."""
    rows = list(rows)
    identity = ("block_x", "block_y", "tile_x", "tile_y", "padding", "stride_x", "stride_y")
    boards = {row["gpu"]: f"sm_{row['compute_capability'].replace('.', '')}" for row in rows}
    architectures = sorted(set(boards.values()))
    made: dict[tuple[str, ...], dict[str, object]] = {}
    for row in rows:
        target = boards[row["gpu"]]
        config = made.setdefault((row["kernel"], *(row[name] for name in identity)), {})
        here = {
            "kernel": row["kernel"],
            "threads": int(row["threads"]),
            "shared": int(row["static_shared"]),
            f"registers {target}": int(row["registers"]),
            f"spills {target}": int(row["spill_stores"]),
            row["gpu"]: four_digits(row["time_ms"]),
        }
        for name, value in here.items():
            if config.setdefault(name, value) != value:
                raise ValueError(f"{row}: {name} was {config[name]} in another row of the same configuration")
    text = io.StringIO()
    text.write(TUNING)
    columns = ["kernel", "threads", "shared"]
    columns += [f"{what} {target}" for what in ("registers", "spills") for target in architectures]
    columns += [f"{gpu}|{target}" for gpu, target in boards.items()]
    out = csv.writer(text, lineterminator="\n")
    out.writerow(columns)
    lines = [[config.get(name.partition("|")[0], "–") for name in columns] for config in made.values()]
    # By launch, then by time: equal neighbours pack well.
    out.writerows(sorted(lines, key=lambda line: (line[0], *line[1:3], *map(str, line[3:]))))
    return text.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streaming", type=Path)
    parser.add_argument("--tuning", type=Path)
    options = parser.parse_args()
    if not (options.streaming or options.tuning):
        parser.error("give --streaming FILE, --tuning FILE, or both")
    KEPT.mkdir(exist_ok=True)
    for name, path, make in (("streaming", options.streaming, streaming), ("tuning", options.tuning, tuning)):
        if path:
            (KEPT / f"{name}.csv").write_text(make(rows_of(path)), encoding="utf-8")


if __name__ == "__main__":
    main()
