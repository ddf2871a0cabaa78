"""The error CUDA gives for a launch that cannot run: its number, its name, its words, and Triton's.

Sources: CUDA Runtime API, `cudaError` (driver_types.h): 701 where threads × registers are too many, 9 where a block has
more threads than any may, 1 where a launch asks for more dynamic shared memory than the kernel's attribute allows, 912
for a cluster that cannot be; `cuLaunchKernel` says 1, "invalid argument", where the runtime says 9. The compiler refuses
too many registers a thread and too much static shared memory. Triton 3.9 checks shared memory and threads before the
launch (runtime/errors.py, OutOfResources).
"""

from __future__ import annotations

from typing import NamedTuple

from occusite.model.answer import Occupancy
from occusite.nvidia import limits
from occusite.nvidia.clusters import cluster_cause
from occusite.nvidia.properties import Properties


class LaunchError(NamedTuple):
    """`code` and `name` of the CUDA runtime's error, None and "" where no launch comes to be; `text`: its words, or
    the compiler's; `triton`: what Triton says, "" where it leaves the error to CUDA."""

    code: int | None
    name: str
    text: str
    triton: str = ""


RESOURCES = LaunchError(701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch")
CONFIGURATION = LaunchError(
    *(9, "cudaErrorInvalidConfiguration", "invalid configuration argument"), "out of resource: threads"
)
ARGUMENT = LaunchError(1, "cudaErrorInvalidValue", "invalid argument", "out of resource: shared memory")
CLUSTER = LaunchError(912, "cudaErrorInvalidClusterSize", "cluster misconfiguration")
TOO_MUCH_STATIC = LaunchError(None, "", "ptxas error: entry function uses too much shared data")
TOO_MANY_REGISTERS = LaunchError(None, "", "the compiler gives no kernel so many registers per thread")


def launch_error(answer: Occupancy) -> LaunchError | None:
    """The error of a launch that cannot run; None where it runs, or where another vendor's driver would speak.

    Of several faults the one is given that is found first: the compiler's, then threads, shared memory, registers.
    """
    device, launch = answer.device, answer.launch
    if answer.runs or not isinstance(device, Properties):
        return None
    if cluster_cause(device, launch):
        # Where there are no clusters no code with them is compiled.
        return CLUSTER if device.major >= 9 else None
    if limits.too_much_static(device, launch.static_shared) or launch.static_shared > max(
        device.shared_memory_per_block_opt_in, device.shared_memory_per_block
    ):
        return TOO_MUCH_STATIC
    if launch.registers > device.allocation.max_registers:
        return TOO_MANY_REGISTERS
    if launch.threads > device.max_threads_per_block:
        return CONFIGURATION
    return ARGUMENT if answer.limits["shared_memory"].blocks == 0 else RESOURCES
