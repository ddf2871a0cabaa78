"""NVIDIA's occupancy rules and limits as data, one row per compute capability, each with its source."""

from __future__ import annotations

from typing import NamedTuple

KIB = 1024

# The rule sets known, by the CUDA version whose `cuda_occupancy.h` states them; the tables follow the newest.
HEADERS = ("13.0", "13.1", "13.2", "13.3", "13.4", "13.5")
HEADER = HEADERS[-1]

SOURCES = {
    "header": "cuda_occupancy.h of CUDA 13.5 (PyPI nvidia-cuda-runtime 13.5.37), its per-architecture constants",
    "guide": "CUDA Programming Guide, appendix Compute Capabilities, tables 29–32",
    "cccl": "NVIDIA CCCL, cuda/__device/arch_traits.h (PyPI nvidia-cuda-cccl 13.3.5.0.6)",
    "nsight": "Nsight Compute Occupancy Calculator, GPU Data, as transcribed in tmcdonell/cuda@6fbd7de Device.chs",
    "ptxas": "ptxas 13.5 probed: the largest values it accepts for this target",
}


class Allocation(NamedTuple):
    """How one architecture hands out its resources (`header` in `SOURCES`).

    `max_blocks`: block slots per SM. `max_registers`: per thread. `shared_unit`: bytes. `shared_steps`: the sizes in
    bytes the SM's shared memory can be set to, () where it is fixed. `barriers`, `virtual`: per SM, None where they
    never limit. `partitions`: register-file parts, a warp lives in one. `register_unit`: registers, allocated per
    warp. `partitioned_caching`: whether partitioned global caching exists. `kepler_split`: whether L1 takes part of
    the shared memory by the older cache preference. `must_fit_partitions`: those of a sibling chip, to fit as well.
    """

    max_blocks: int
    max_registers: int = 256
    shared_unit: int = 128
    shared_steps: tuple[int, ...] = ()
    barriers: int | None = None
    virtual: int | None = None
    partitions: int = 4
    register_unit: int = 256
    partitioned_caching: bool = False
    kepler_split: bool = False
    must_fit_partitions: int | None = None


def _kib(*sizes: int) -> tuple[int, ...]:
    return tuple(size * KIB for size in sizes)


_VOLTA = _kib(0, 8, 16, 32, 64, 96)
_TURING = _kib(32, 64)
_SMALL = _kib(0, 8, 16, 32, 64, 100)
_A100 = _kib(0, 8, 16, 32, 64, 100, 132, 164)
_H100 = _kib(0, 8, 16, 32, 64, 100, 132, 164, 196, 228)
_RUBIN = (*_H100, 328 * KIB)

# (major, minor); minor None covers the minors the header does not single out.
ALLOCATIONS: dict[tuple[int, int | None], Allocation] = {
    (3, None): Allocation(16, 255, 256, kepler_split=True),
    (5, None): Allocation(32, 255, 256),
    (5, 2): Allocation(32, 255, 256, partitioned_caching=True),
    (5, 3): Allocation(32, 255, 256, partitioned_caching=True),
    (6, None): Allocation(32, 255, 256, partitioned_caching=True),
    (6, 0): Allocation(32, 255, 256, partitions=2, must_fit_partitions=4),
    (7, None): Allocation(32, 256, 256, _VOLTA),
    (7, 5): Allocation(16, 256, 256, _TURING),
    (8, None): Allocation(16, 256, 128, _SMALL),
    (8, 0): Allocation(32, 256, 128, _A100),
    (8, 7): Allocation(16, 256, 128, _A100),
    (8, 9): Allocation(24, 256, 128, _SMALL),
    (9, None): Allocation(32, 256, 128, _H100, barriers=64),
    (10, 0): Allocation(32, 256, 128, _H100, barriers=64, virtual=128),
    (10, 1): Allocation(24, 256, 128, _H100, barriers=24, virtual=128),
    (10, 3): Allocation(32, 256, 128, _H100, barriers=32, virtual=128),
    (10, 7): Allocation(16, 256, 128, _RUBIN, barriers=16, virtual=128),
    (11, 0): Allocation(24, 256, 128, _H100, barriers=24, virtual=128),
    (11, 1): Allocation(32, 256, 128, _H100, barriers=64, virtual=128),
    (11, 3): Allocation(32, 256, 128, _H100, barriers=64, virtual=128),
    (11, 7): Allocation(32, 256, 128, _RUBIN, barriers=64, virtual=128),
    (12, 0): Allocation(24, 256, 128, _SMALL, barriers=24, virtual=128),
    (12, 1): Allocation(24, 256, 128, _SMALL, barriers=24, virtual=128),
}


# What other headers say, where they differ: first and last such header, compute capability, and the rules that are
# different; None: they do not know it. Read off the headers of the wheels nvidia-cuda-runtime
# 13.0.96, 13.1.80, 13.2.86, 13.3.29, 13.4.92 and 13.5.37.
OTHER_HEADERS: tuple[tuple[str, str, int, int, dict[str, int] | None], ...] = (
    ("13.0", "13.2", 10, 3, {"barriers": 64}),
    ("13.0", "13.3", 10, 7, None),
    ("13.0", "13.3", 11, 7, None),
)

# From this header on, the free dynamic shared memory leaves the reserve of each block out.
ROOM_LEAVES_RESERVE_OUT = "13.1"


def allocation_for(major: int, minor: int, header: str = HEADER) -> Allocation | None:
    """How one compute capability allocates by one header; None where that header knows none."""
    if minor < 0:
        return None
    allocation = ALLOCATIONS.get((major, minor)) or ALLOCATIONS.get((major, None))
    for first, last, other_major, other_minor, changes in OTHER_HEADERS:
        if allocation and first <= header <= last and (major, minor) == (other_major, other_minor):
            allocation = allocation._replace(**changes) if changes is not None else None  # type: ignore[arg-type]
    return allocation


class Chip(NamedTuple):
    """What a chip of one compute capability has: counts per SM unless named otherwise, shared memory in bytes.

    `sms`: of the `example`. `unconfirmed`: fields no public device dump or table confirms. `note`: where sources
    disagree, and which one is followed.
    """

    family: str
    example: str
    sms: int
    threads: int
    shared: int
    opt_in: int
    reserved: int = KIB
    registers_per_block: int = 65_536
    registers: int = 65_536
    sources: tuple[str, ...] = ("header", "cccl", "ptxas")
    unconfirmed: tuple[str, ...] = ()
    note: str = ""


_OLD = ("header", "nsight")
_MAIN = ("header", "cccl", "nsight", "ptxas")
_NEW = ("header", "guide", "cccl", "nsight", "ptxas")
_NEWEST = ("header", "guide", "cccl", "ptxas")

CHIPS: dict[str, Chip] = {
    "3.0": Chip(
        "Kepler",
        "GeForce GTX 680 (GK104)",
        8,
        2048,
        48 * KIB,
        48 * KIB,
        0,
        sources=_OLD,
        unconfirmed=("shared_memory_per_block_opt_in",),
        note="The header allows 255 registers per thread on every 3.x; the hardware's limit on 3.0 is 63 (Nsight).",
    ),
    "3.2": Chip(
        "Kepler",
        "Jetson TK1 (GK20A)",
        1,
        2048,
        48 * KIB,
        48 * KIB,
        0,
        32_768,
        sources=_OLD,
        unconfirmed=("shared_memory_per_block_opt_in",),
    ),
    "3.5": Chip(
        "Kepler",
        "Tesla K40 (GK110B)",
        15,
        2048,
        48 * KIB,
        48 * KIB,
        0,
        sources=_OLD,
        unconfirmed=("shared_memory_per_block_opt_in",),
    ),
    "3.7": Chip(
        "Kepler",
        "Tesla K80 (GK210, per GPU)",
        13,
        2048,
        112 * KIB,
        48 * KIB,
        0,
        65_536,
        131_072,
        sources=_OLD,
        unconfirmed=("shared_memory_per_block_opt_in",),
        note="112, 96 or 80 KiB per SM beside 16, 32 or 48 KiB of L1; a block still gets at most 48 KiB.",
    ),
    "5.0": Chip("Maxwell", "GeForce GTX 750 Ti (GM107)", 5, 2048, 64 * KIB, 48 * KIB, 0, sources=_MAIN),
    "5.2": Chip(
        "Maxwell",
        "GeForce GTX TITAN X (GM200)",
        24,
        2048,
        96 * KIB,
        48 * KIB,
        0,
        sources=_MAIN,
        note="Nsight and the old spreadsheet list 32,768 registers per block, which models partitioned caching; "
        "deviceQuery, CCCL and ptxas say 65,536.",
    ),
    "5.3": Chip("Maxwell", "Jetson TX1 (GM20B)", 2, 2048, 64 * KIB, 48 * KIB, 0, 32_768, sources=_MAIN),
    "6.0": Chip(
        "Pascal",
        "Tesla P100 (GP100)",
        56,
        2048,
        64 * KIB,
        48 * KIB,
        0,
        sources=_MAIN,
        note="Two register partitions, but a kernel must also fit the four of 6.1.",
    ),
    "6.1": Chip("Pascal", "GeForce GTX 1080 Ti (GP102)", 28, 2048, 96 * KIB, 48 * KIB, 0, sources=_MAIN),
    "6.2": Chip(
        "Pascal",
        "Jetson TX2 (GP10B)",
        2,
        2048,
        64 * KIB,
        48 * KIB,
        0,
        32_768,
        sources=_MAIN,
        note="Nsight lists 65,536 registers per block; deviceQuery, CCCL and ptxas say 32,768.",
    ),
    "7.0": Chip("Volta", "Tesla V100 SXM2 (GV100)", 80, 2048, 96 * KIB, 96 * KIB, 0, sources=_MAIN),
    "7.2": Chip(
        "Volta",
        "Jetson AGX Xavier (GV10B)",
        8,
        2048,
        96 * KIB,
        96 * KIB,
        0,
        sources=("header", "nsight", "ptxas"),
        unconfirmed=("shared_memory_per_block_opt_in",),
        note="The 96 KiB opt-in is from the guide and Nsight; no device dump was found.",
    ),
    "7.5": Chip("Turing", "Tesla T4 (TU104)", 40, 1024, 64 * KIB, 64 * KIB, 0, sources=_NEW),
    "8.0": Chip("Ampere", "A100 (GA100)", 108, 2048, 164 * KIB, 163 * KIB, sources=_NEW),
    "8.6": Chip("Ampere", "GeForce RTX 3090 (GA102)", 82, 1536, 100 * KIB, 99 * KIB, sources=_NEW),
    "8.7": Chip("Ampere", "Jetson AGX Orin 64 GB (GA10B)", 16, 1536, 164 * KIB, 163 * KIB, sources=_NEW),
    "8.8": Chip(
        "Ampere",
        "no public device",
        12,
        1536,
        100 * KIB,
        99 * KIB,
        unconfirmed=("sm_count",),
        note="CCCL defines 8.8 as a copy of 8.6; the SM count is a placeholder.",
    ),
    "8.9": Chip("Ada", "GeForce RTX 4090 (AD102)", 128, 1536, 100 * KIB, 99 * KIB, sources=_NEW),
    "9.0": Chip("Hopper", "H100 SXM5 (GH100)", 132, 2048, 228 * KIB, 227 * KIB, sources=_NEW),
    "10.0": Chip("Blackwell", "B200 (GB100)", 148, 2048, 228 * KIB, 227 * KIB, sources=_NEW),
    "10.1": Chip(
        "Blackwell",
        "Jetson Thor under CUDA 12.8 and 12.9",
        20,
        1536,
        228 * KIB,
        227 * KIB,
        note="The same silicon as 11.0, renamed in CUDA 13.",
    ),
    "10.3": Chip(
        "Blackwell Ultra",
        "B300 SXM6 (GB110)",
        148,
        2048,
        228 * KIB,
        227 * KIB,
        sources=_NEWEST,
        note="Header 13.3 and later counts 32 barriers per SM, earlier ones 64.",
    ),
    "10.7": Chip(
        "Rubin",
        "Rubin R200 (VR200)",
        212,
        1024,
        228 * KIB,
        227 * KIB,
        unconfirmed=("shared_memory_per_sm",),
        note="Known to headers from 13.4 on. The header has a step of 328 KiB for the oversized mode; CCCL says 228.",
    ),
    "11.0": Chip("Blackwell", "Jetson AGX Thor T5000 (GB10B)", 20, 1536, 228 * KIB, 227 * KIB, sources=_NEWEST),
    "12.0": Chip(
        "Blackwell",
        "GeForce RTX 5090 (GB202)",
        170,
        1536,
        100 * KIB,
        99 * KIB,
        sources=_NEW,
        note="The Blackwell tuning guide says 128 KiB and 32 blocks per SM; the programming guide, CCCL, ptxas and "
        "device dumps say 100 KiB and 24.",
    ),
    "12.1": Chip("Blackwell", "DGX Spark (GB20B)", 48, 1536, 100 * KIB, 99 * KIB, sources=_NEWEST),
}
