"""Objects that a program holds, told by the names their libraries give: kernels as launches, properties as devices.

No library is imported: what an object has decides. Names were read in the sources of Triton 3.9 (`CompiledKernel`),
CuPy 14.2 and cuda.core 1.2 (`attributes` of a kernel), Numba-CUDA 0.30 (`CUDADispatcher` and its overloads), PyTorch 2
(`_CudaDeviceProperties`), and CUDA's `cudaFuncAttributes` and `cudaDeviceProp`, as cuda.bindings and CuPy pass them on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from occusite import amd, devices, nvidia
from occusite.model import Device
from occusite.model.checks import as_int, integer
from occusite.model.fields import REQUIRED

# What a kernel takes: our field, and the names for it in CUDA's own structure, in CuPy and cuda.core, in Numba.
_KERNEL = {
    "registers": ("numRegs", "num_regs", "regs_per_thread"),
    "static_shared": ("sharedSizeBytes", "shared_size_bytes", "shared_mem_per_block"),
    "max_dynamic_shared": ("maxDynamicSharedSizeBytes", "max_dynamic_shared_size_bytes"),
    "carveout": ("preferredShmemCarveout", "preferred_shared_memory_carveout"),
}
_MAX_THREADS = ("maxThreadsPerBlock", "max_threads_per_block")
_CLUSTER = tuple(
    (f"requiredCluster{side}", f"required_cluster_{side.lower()}") for side in ("Width", "Height", "Depth")
)
# The same for Numba's dispatcher, which answers by methods.
_NUMBA = {
    "regs_per_thread": "get_regs_per_thread",
    "shared_mem_per_block": "get_shared_mem_per_block",
    "max_threads_per_block": "get_max_threads_per_block",
}
# What a device has: our property, and the names for it in `cudaDeviceProp`, in PyTorch, in cuda.core, in Numba.
_DEVICE = {
    "sm_count": (*("multiProcessorCount", "multi_processor_count", "multiprocessor_count", "MULTIPROCESSOR_COUNT"),),
    "threads_per_sm": (
        *("maxThreadsPerMultiProcessor", "max_threads_per_multi_processor", "max_threads_per_multiprocessor"),
        *("MAX_THREADS_PER_MULTIPROCESSOR", "MAX_THREADS_PER_MULTI_PROCESSOR"),
    ),
    "registers_per_sm": (
        *("regsPerMultiprocessor", "regs_per_multiprocessor", "max_registers_per_multiprocessor"),
        "MAX_REGISTERS_PER_MULTIPROCESSOR",
    ),
    "registers_per_block": ("regsPerBlock", "max_registers_per_block", "MAX_REGISTERS_PER_BLOCK"),
    "shared_memory_per_sm": (
        *("sharedMemPerMultiprocessor", "shared_memory_per_multiprocessor", "max_shared_memory_per_multiprocessor"),
        "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    ),
    "shared_memory_per_block": (
        *("sharedMemPerBlock", "shared_memory_per_block", "max_shared_memory_per_block"),
        "MAX_SHARED_MEMORY_PER_BLOCK",
    ),
    "shared_memory_per_block_opt_in": (
        *("sharedMemPerBlockOptin", "shared_memory_per_block_optin", "max_shared_memory_per_block_optin"),
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    ),
    "reserved_shared_memory": (
        *("reservedSharedMemPerBlock", "reserved_shared_memory_per_block", "RESERVED_SHARED_MEMORY_PER_BLOCK"),
    ),
    "max_threads_per_block": ("maxThreadsPerBlock", "max_threads_per_block", "MAX_THREADS_PER_BLOCK"),
    "warp_size": ("warpSize", "warp_size", "WARP_SIZE"),
}
_MAJOR = ("major", "compute_capability_major", "COMPUTE_CAPABILITY_MAJOR")
_MINOR = ("minor", "compute_capability_minor", "COMPUTE_CAPABILITY_MINOR")


def device(thing: Any) -> Device:
    """The device that `thing` is, names or describes.

    A device or a GPU of this package; a name for `devices.find`; a compute capability as a pair, (8, 9); PyTorch's
    `torch.cuda.get_device_properties()`, also of an AMD GPU; a `cudaDeviceProp` or CuPy's dict of its names; the
    devices of cuda.core and Numba. What the object states is taken from it, the rest from its compute capability; an
    object that has no count of SMs gives a device without one.

    Raises `ValueError` for an object that is none of these, or whose compute capability is not known.
    """
    if isinstance(thing, str):
        return devices.find(thing)
    if isinstance(thing, devices.GPU):
        named: Device = thing.device
        return named
    if hasattr(thing, "launch_type"):
        known: Device = thing
        return known
    if isinstance(thing, tuple | list) and len(thing) == 2:
        return nvidia.device(_capability(*thing))
    target = _text(_first(thing, ("gcnArchName",))).partition(":")[0]
    if target.startswith("gfx"):
        return _amd(thing, target)
    properties = getattr(thing, "properties", thing)
    major, minor = _first(properties, _MAJOR), _first(properties, _MINOR)
    if major is None or minor is None:
        pair = _first(thing, ("compute_capability",))
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(
                f"device: {_kind(thing)} is not allowed; give a name, a compute capability such as (8, 9), or device "
                "properties with major, minor and multiProcessorCount or multi_processor_count"
            )
        major, minor = pair
    stated = {field: integer(field, v, 0) for field, n in _DEVICE.items() if (v := _first(properties, n)) is not None}
    stated.setdefault("sm_count", None)  # type: ignore[arg-type]
    name = _text(_first(thing, ("name",)))
    made = nvidia.device(_capability(major, minor))
    note = "" if stated["sm_count"] is not None else "the properties do not say"
    return replace(made, **stated, name=name or made.name, note=note)  # type: ignore[arg-type]


def launch(thing: Any, device: Device | None = None, **fields: Any) -> Any:
    """The launch of the kernel `thing`, completed by `fields`, which win over what the kernel says.

    A launch of this package; a compiled Triton kernel, which knows its threads and its shared memory; CuPy's
    `RawKernel` or its `attributes`; a kernel of cuda.core, PyCUDA or Numba (a dispatcher with one overload, or one of
    its `overloads`); anything with the names of `cudaFuncAttributes`, also as a mapping. `threads` may be a block's
    shape, (32, 8). `device`: what the launch is for; None: an NVIDIA GPU, or what a Triton kernel was compiled for.

    Raises `ValueError` for an object that is none of these, a field that is missing, more threads than the kernel
    allows, or code that does not run on `device`.
    """
    shape = fields.get("threads")
    if isinstance(shape, tuple):
        fields["threads"] = math.prod(integer("threads", side, 1) for side in shape)
    if hasattr(type(thing), "FIELDS"):
        return replace(thing, **fields) if fields else thing
    metadata = getattr(thing, "metadata", None)
    if metadata is not None and hasattr(metadata, "num_warps"):
        kind, found = _triton(thing, metadata)
    elif hasattr(thing, "get_regs_per_thread"):
        kind, found = nvidia.Launch, _cuda(_numba(thing), fields)
    else:
        named = thing if _first(thing, _KERNEL["registers"]) is not None else getattr(thing, "attributes", thing)
        if _first(named, _KERNEL["registers"]) is None:
            raise ValueError(
                f"launch: {_kind(thing)} is not allowed; give a launch, a compiled kernel, or attributes with numRegs, "
                "num_regs or regs_per_thread"
            )
        kind, found = nvidia.Launch, _cuda(named, fields)
    if device is not None and device.launch_type is not kind:
        raise ValueError(
            f"launch: {_kind(thing)} is not allowed; it was compiled for another vendor than {device.name}"
        )
    if device is not None and (code := _target(thing)) and not device.runs(code):
        raise ValueError(f"launch: {_kind(thing)} is not allowed; code for {code} does not run on {device.name}")
    values = found | fields
    missing = [f.name for f in kind.FIELDS if f.default is REQUIRED and f.name not in values]
    if missing:
        raise ValueError(f"{', '.join(missing)}: missing; the kernel does not say, give {missing[0]}=…")
    return kind(**values)


def _cuda(named: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What attributes with CUDA's or a library's names say. A value below 0 stands for none."""
    found = {}
    for field, names in _KERNEL.items():
        value = _first(named, names)
        if value is not None and (as_int(value) is None or value >= 0):
            found[field] = value
    sides = [_first(named, names) or 0 for names in _CLUSTER]
    if all(sides):
        found["cluster"] = math.prod(sides)
    most, threads = _first(named, _MAX_THREADS), as_int(fields.get("threads"))
    if most is not None and threads is not None and threads > most:
        raise ValueError(f"threads: {threads} is not allowed; this kernel runs with 1–{most} threads per block")
    return found


def _triton(kernel: Any, metadata: Any) -> tuple[Any, dict[str, Any]]:
    """The launch type and what a compiled Triton kernel says: its shared memory is all dynamic.

    On AMD the driver's register count holds the AGPRs too (LLVM, AMDGPU Usage, `.vgpr_count`).
    """
    registers = getattr(kernel, "n_regs", None)
    if registers is None:
        raise ValueError("registers: the Triton kernel is not loaded yet; launch it once, then ask")
    target = metadata.target
    threads = metadata.num_warps * target.warp_size
    if target.backend == "hip":
        return amd.Launch, {
            "work_items": threads,
            "vgprs": registers,
            "lds": metadata.shared,
            "wave_size": target.warp_size,
        }
    found = {"threads": threads, "registers": registers, "dynamic_shared": metadata.shared}
    ctas = getattr(metadata, "num_ctas", 1)
    return nvidia.Launch, found | ({"cluster": ctas} if ctas > 1 else {})


def _target(kernel: Any) -> str:
    """The architecture a Triton kernel was compiled for: "sm_90", "gfx942"; "" for another object."""
    arch = getattr(getattr(getattr(kernel, "metadata", None), "target", None), "arch", "")
    return f"sm_{arch}" if isinstance(arch, int) else str(arch)


def _numba(dispatcher: Any) -> dict[str, Any]:
    """What a Numba dispatcher says of its only overload. Raises `ValueError` where it has several, or none."""
    found = {}
    for name, method in _NUMBA.items():
        value = getattr(dispatcher, method)()
        if isinstance(value, Mapping):
            if len(value) != 1:
                raise ValueError(
                    f"launch: the Numba kernel has {len(value)} compiled overloads; give one of its .overloads"
                )
            (value,) = value.values()
        found[name] = value
    return found


def _amd(properties: Any, target: str) -> Device:
    """HIP counts one processor per core: a CU, on RDNA a WGP of two (ROCm's clr, rocdevice.cpp, `maxComputeUnits_`)."""
    made = amd.device(target)
    count = _first(properties, _DEVICE["sm_count"])
    cus = None if count is None else integer("cus", count, 1) * made.target.cus
    return replace(made, name=_text(_first(properties, ("name",))) or made.name, cus=cus)


def _capability(major: object, minor: object) -> str:
    return f"{integer('major', major, 1)}.{integer('minor', minor, 0)}"


def _first(thing: Any, names: tuple[str, ...]) -> Any:
    """The value under the first of the names that the object has; a method's is what it returns; None: it has none."""
    for name in names:
        value = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
        if value is not None:
            return value() if callable(value) else value
    return None


def _text(value: object) -> str:
    text = value.decode(errors="replace") if isinstance(value, bytes) else value
    return text.rstrip("\0") if isinstance(text, str) else ""


def _kind(thing: object) -> str:
    return f"{type(thing).__module__}.{type(thing).__qualname__}"
