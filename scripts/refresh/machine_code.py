"""What a kernel's machine code says: which loads fly together, and which spills stand in a loop (chapters 9 and 12).

From compute capability 7.0 on each instruction is 128 bits and carries what the hardware must wait for: a load names the
scoreboard that it holds until its data are there, and the first instruction that needs them names it in its mask (Jia
et al., arXiv:1804.06826, section 2). `cuobjdump -sass` prints the bits beside the words. Used by session.py and
spills.py; needs `cuobjdump` and `nvdisasm` on the PATH, or from the wheels nvidia-cuda-cuobjdump and
nvidia-cuda-nvdisasm beside this Python.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

NONE = 7  # the scoreboard number that means none
_LINE = re.compile(
    r"/\*([0-9a-f]{4,})\*/\s+(?:@(!?\w+)\s+)?([A-Z][\w.]*)([^;]*);\s+/\* 0x[0-9a-f]{16} \*/\s+/\* 0x([0-9a-f]{16}) \*/"
)


class Instruction(NamedTuple):
    """One instruction: its address, predicate, name and operands; the scoreboard it holds until its result is there
    (`NONE`: none), and those it waits for."""

    address: int
    predicate: str
    name: str
    operands: str
    holds: int
    waits: tuple[int, ...]

    @property
    def width(self) -> int:
        """Bytes a load or store moves for each thread."""
        for part in self.name.split("."):
            if part in ("64", "128"):
                return int(part) // 8
            if part in ("U8", "S8", "U16", "S16"):
                return int(part[1:]) // 8
        return 4

    @property
    def target(self) -> int | None:
        """The address a branch leads to."""
        found = re.search(r"0x([0-9a-f]+)", self.operands) if self.name.startswith("BRA") else None
        return int(found[1], 16) if found else None


def tool(name: str) -> str:
    """One of the toolkit's programs: the one on the PATH, else the one that a wheel brought."""
    found = shutil.which(name)
    if found:
        return found
    for folder in sys.path:
        for path in sorted(Path(folder).glob(f"nvidia/**/bin/{name}")) if folder else []:
            return str(path)
    sys.exit(f"{name} is neither on the PATH nor in a wheel: pip install nvidia-cuda-{name}")


def version(program: str) -> str:
    """The release a program of the toolkit says it is of: "13.0, V13.0.88"."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    [release] = re.findall(r"release (\d+\.\d+, V[\d.]+)", told)
    return str(release)


def listing(cubin: str | Path) -> str:
    """What `cuobjdump -sass` prints of a cubin."""
    path = os.pathsep.join([str(Path(tool("nvdisasm")).parent), os.environ["PATH"]])
    command = [tool("cuobjdump"), "-sass", str(cubin)]
    return subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True).stdout


def parse(text: str) -> list[Instruction]:
    """The instructions of a listing of one function."""
    found = []
    for address, predicate, name, operands, bits in _LINE.findall(text):
        control = int(bits, 16) >> 41
        waits = tuple(i for i in range(6) if control >> 11 >> i & 1)
        found.append(Instruction(int(address, 16), predicate, name, operands.strip(), control >> 5 & 7, waits))
    return found


def loops(code: Sequence[Instruction]) -> list[list[Instruction]]:
    """Every stretch of code that ends in a branch back to its start, longest first."""
    found = []
    for end in code:
        start = end.target
        if start is not None and start < end.address:
            found.append([i for i in code if start <= i.address <= end.address])
    return sorted(found, key=len, reverse=True)


class Flight(NamedTuple):
    """One pass of a loop: its loads from global memory; how often in a pass the warp stands still for them, one wait
    after another; and the order of it all: L a load, W a wait for loads, S a store, l and s those of local memory."""

    loads: int
    waits: float
    order: str


def flight(body: Sequence[Instruction]) -> Flight:
    """What a warp has in flight in a loop's pass, as if nothing but loads took time.

    Every load takes one unit of time from its issue, everything else none; `waits` is the time of a pass once passes
    repeat. Raises `ValueError` for a loop without loads, and for a load that only some threads issue.
    """
    if guarded := [i for i in body if i.name.startswith("LDG") and i.predicate]:
        raise ValueError(f"body: {guarded[0].name} at {guarded[0].address:#x} is issued under a predicate")
    loads = sum(i.name.startswith("LDG") for i in body)
    if not loads:
        raise ValueError("body: there is no load from global memory in it")
    ready, now, ends, order = [0] * 6, 0, [], ""
    passes = 2 * len(body)
    for _ in range(passes):
        order = ""
        for i in body:
            if any(ready[s] > now for s in i.waits):
                now = max(ready[s] for s in i.waits)
                order += "W"
            if i.name.startswith("LDG"):
                ready[i.holds] = now + 1
            signs = {"LDG": "L", "STG": "S", "LDL": "l", "STL": "s"}
            order += signs.get(i.name[:3], "")
        ends.append(now)
    half = passes // 2
    return Flight(loads, (ends[-1] - ends[half - 1]) / (passes - half), order)


def local_bytes(code: Sequence[Instruction]) -> tuple[int, int]:
    """Bytes for each thread that the local stores and the local loads of some code move, each run once."""
    stores, loads = (sum(i.width for i in code if i.name.startswith(name)) for name in ("STL", "LDL"))
    return stores, loads


def in_loops(code: Sequence[Instruction]) -> list[Instruction]:
    """The instructions that stand in a loop."""
    inside = {i.address for body in loops(code) for i in body}
    return [i for i in code if i.address in inside]
