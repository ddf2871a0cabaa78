"""Memory that the driver reserves for stacks: every thread that could be resident has one, whether it runs or not."""

from __future__ import annotations

from typing import NamedTuple

from occusite.model.checks import integer
from occusite.nvidia.properties import Properties

# `cudaLimitStackSize` of a fresh context, bytes (CUDA Runtime API, cudaDeviceSetLimit).
DEFAULT = 1024


class Stack(NamedTuple):
    """`per_thread`: bytes of stack and spills; `threads` that one SM holds; `sms`; `at_least`: bytes of device memory."""

    per_thread: int
    threads: int
    sms: int
    at_least: int


def stack_memory(device: Properties, per_thread: int) -> Stack:
    """Device memory reserved for `per_thread` bytes of stack and spills: stack × threads an SM holds × SMs, at least.

    The driver rounds the stack up (to 128 or 256 bytes) and adds some hundred bytes of its own, so it takes a little
    more. Source: NVIDIA developer forums, "Memory required for kernel launch" (the driver's formula, by an NVIDIA
    engineer). Occupancy does not matter: the reserve holds for any launch.
    Raises `ValueError` for a negative size, and for a device whose number of SMs is not known.
    """
    size = integer("per_thread", per_thread, 0, None, "bytes")
    threads = device.warps_per_sm * device.warp_size
    return Stack(size, threads, device.sms, size * threads * device.sms)
