"""Build logs for the tests that compare two builds, written as `ptxas -v` prints them."""

from __future__ import annotations

from typing import NamedTuple

from occusite import reports
from occusite.questions.kernels import Answers, KernelAnswer


class Kernel(NamedTuple):
    """What one kernel's lines say; None leaves the spill line out."""

    name: str = "_Z6matmulPKfS0_Pf"
    registers: int = 64
    spills: int | None = 0
    shared: int = 16_384
    stack: int = 0
    architecture: str = "sm_89"

    def lines(self) -> str:
        properties = (
            f"ptxas info    : Function properties for {self.name}\n"
            f"    {self.stack} bytes stack frame, {self.spills} bytes spill stores, 0 bytes spill loads\n"
        )
        return (
            f"ptxas info    : Compiling entry function '{self.name}' for '{self.architecture}'\n"
            f"{'' if self.spills is None else properties}"
            f"ptxas info    : Used {self.registers} registers, used 1 barriers, {self.shared} bytes smem\n"
        )


def log(*kernels: Kernel) -> str:
    return "".join(kernel.lines() for kernel in kernels)


def answered(*kernels: Kernel, threads: int = 256) -> list[KernelAnswer]:
    answers = Answers(None, threads)
    return [answers.row(report) for report in reports.read(log(*kernels))]
