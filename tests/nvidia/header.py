"""The vendor's header as judge: builds `header/harness.c` against it, and puts launches and answers side by side."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from array import array
from pathlib import Path
from typing import NamedTuple

from occusite.model.answer import Occupancy
from occusite.nvidia import Device, Launch

UNLIMITED = 2**31 - 1
BITS = {"warps": 1, "registers": 2, "shared_memory": 4, "blocks": 8, "barriers": 16, "virtual": 32}
ORDER = ("registers", "shared_memory", "warps", "blocks", "barriers", "virtual")
CACHING = {0: "off", 1: "on", 2: "strict"}
CACHE = {0: "none", 1: "shared", 2: "l1", 3: "equal"}
IN, OUT = 29, 17

# Sizes the header takes without a check, in the order in which occusite checks them.
DEVICE_SIZES = (
    "shared_memory_per_block",
    "shared_memory_per_sm",
    "shared_memory_per_block_opt_in",
    "reserved_shared_memory",
)
LAUNCH_SIZES = ("static_shared", "dynamic_shared", "max_dynamic_shared", "barriers", "virtual")


class Row(NamedTuple):
    """One question to the header, in the order of the golden rows' columns."""

    major: int
    minor: int
    max_threads_per_block: int
    threads_per_sm: int
    registers_per_block: int
    registers_per_sm: int
    warp_size: int
    shared_memory_per_block: int
    shared_memory_per_sm: int
    sm_count: int
    shared_memory_per_block_opt_in: int
    reserved_shared_memory: int
    max_threads: int
    registers: int
    static_shared: int
    partitioned_caching: int
    opt_in: int
    max_dynamic_shared: int
    barriers: int
    virtual: int
    cache_preference: int
    carveout: int
    threads: int
    dynamic_shared: int

    def device(self) -> Device:
        """The device asked about; `ValueError` where occusite knows none."""
        return Device(
            f"{self.major}.{self.minor}",
            sm_count=self.sm_count,
            threads_per_sm=self.threads_per_sm,
            shared_memory_per_sm=self.shared_memory_per_sm,
            shared_memory_per_block_opt_in=self.shared_memory_per_block_opt_in,
            reserved_shared_memory=self.reserved_shared_memory,
            registers_per_block=self.registers_per_block,
            registers_per_sm=self.registers_per_sm,
            shared_memory_per_block=self.shared_memory_per_block,
            max_threads_per_block=self.max_threads_per_block,
            warp_size=self.warp_size,
        )

    def launch(self) -> Launch:
        """The launch asked about; `ValueError` where occusite refuses it."""
        return Launch(
            self.threads,
            self.registers,
            self.static_shared,
            self.dynamic_shared,
            self.max_dynamic_shared,
            {0: False, 1: True}.get(self.opt_in, self.opt_in),  # type: ignore[arg-type]
            None if self.carveout == -1 else self.carveout,
            self.barriers,
            CACHING.get(self.partitioned_caching, self.partitioned_caching),  # type: ignore[arg-type]
            virtual=self.virtual,
            cache_preference=CACHE.get(self.cache_preference, self.cache_preference),  # type: ignore[arg-type]
        )

    def refused_field(self) -> str:
        """The field occusite refuses although the header answers: it does not check it, or does not read it.

        Negative counts and sizes, and values that are not among an option's names.
        """
        if self.minor < 0:
            return "compute_capability"
        for field in DEVICE_SIZES:
            if getattr(self, field) < 0:
                return field
        for field in LAUNCH_SIZES:
            if getattr(self, field) < 0:
                return field
            if field == "max_dynamic_shared" and self.opt_in not in (0, 1):
                return "opt_in"
            if field == "max_dynamic_shared" and self.major < 7 and not -1 <= self.carveout <= 100:
                return "carveout"
            if field == "barriers" and self.partitioned_caching not in CACHING:
                return "partitioned_caching"
        if self.cache_preference not in CACHE:
            return "cache_preference"
        return ""

    def overflows(self) -> bool:
        """Whether the header's 32-bit integers cannot hold this launch's registers or bytes."""
        warps = -(-self.threads // self.warp_size)
        return (
            max(
                self.static_shared + self.dynamic_shared + self.reserved_shared_memory + 256,
                (self.registers * self.warp_size + 256) * (warps + 4),
                self.threads + self.warp_size,
            )
            > UNLIMITED
        )

    def room_underflows(self, blocks: int) -> bool:
        """Whether the header's unsigned difference wraps, so that it finds free shared memory where there is none.

        On a made-up device, which lets a block opt in to less than it has without, or whose limits are no whole
        units; and on a Kepler whose L1 preference gives way to the block's need, which this call does not notice.
        """
        limit, reserve, unit = self.shared_memory_per_block, 0, 256
        if self.major >= 7 and self.opt_in and self.shared_memory_per_sm > limit:
            limit = self.shared_memory_per_block_opt_in
        if self.major >= 8:
            reserve, unit = self.reserved_shared_memory, 128
        share = limit + reserve
        if self.major == 3 and blocks > 1 and self.cache_preference in (2, 3):
            taken = 32 * 1024 if self.cache_preference == 2 else 16 * 1024
            share = min(share, (self.shared_memory_per_sm - taken) // blocks)
        return share // unit * unit < self.static_shared + reserve

    def kepler_underflows(self) -> bool:
        """Whether a made-up Kepler has less shared memory than its L1 would take, so that the header's sum wraps."""
        return self.major == 3 and self.shared_memory_per_sm < 32 * 1024 and self.cache_preference in (2, 3)


def answer_row(found: Occupancy, caching: int) -> list[int]:
    """Occusite's answer in the header's twelve numbers."""
    limits = found.limits
    return [
        0,
        found.blocks,
        sum([BITS[b] for b in found.limiters]),
        *[UNLIMITED if (v := limits[b].blocks) is None else v for b in ORDER],
        found.allocated["registers_per_block"],
        found.allocated["shared_memory_per_block"],
        caching if found.allocated["partitioned_caching"] else 0,
    ]


def without_stale_bits(out: list[int]) -> list[int]:
    """The header's answer with its limiter bits made good.

    Where barriers alone allow the fewest blocks, the header still names the budgets that would have bound without
    them; only the barriers do.
    """
    others = min(out[3], out[4], out[5], out[6], out[8])
    return out if out[7] >= others else [*out[:2], BITS["barriers"], *out[3:]]


def compiler() -> str | None:
    """The system's C compiler."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def include_folder() -> Path | None:
    """Where the wheel nvidia-cuda-runtime keeps `cuda_occupancy.h`."""
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or ()) if found else ():
        for header in sorted(Path(folder).rglob("cuda_occupancy.h")):
            return header.parent
    return None


def why_not() -> str:
    """Why the header cannot be asked on this machine; "" when it can."""
    if compiler() is None:
        return "no C compiler: the golden rows alone judge here"
    if include_folder() is None:
        return "the wheel nvidia-cuda-runtime is not installed: the golden rows alone judge here"
    return ""


def build(folder: Path) -> Path:
    """Compile the harness into `folder`."""
    program, include = folder / "harness", include_folder()
    source = Path(__file__).parent / "harness.c"
    subprocess.run(
        [compiler() or "cc", "-O2", "-fwrapv", "-w", f"-I{include}", str(source), "-o", str(program)], check=True
    )
    return program


def ask(program: Path, questions: array[int]) -> array[int]:
    """The header's answers, `OUT` integers each, to questions of `IN` integers each."""
    answers = array("q")
    answers.frombytes(subprocess.run([str(program)], input=questions.tobytes(), capture_output=True, check=True).stdout)
    assert len(answers) * IN == len(questions) * OUT
    return answers


def run_timed(program: Path, questions: array[int], rounds: int) -> tuple[float, int]:
    """Seconds the header's occupancy call takes for all questions, and the sum of resident blocks."""
    done = subprocess.run([str(program), str(rounds)], input=questions.tobytes(), capture_output=True, check=True)
    seconds, total = done.stdout.split()
    return float(seconds), int(total)
