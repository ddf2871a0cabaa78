"""Live objects, by stand-ins with the names of the real libraries' sources; each stand-in says which."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import occusite
from occusite import amd, devices, nvidia, objects, paper
from occusite.nvidia import Launch


def triton(**changes: Any) -> SimpleNamespace:
    """Triton 3.9, triton/compiler/compiler.py, class CompiledKernel; `target` is backends/compiler.py, GPUTarget."""
    target = SimpleNamespace(backend="cuda", arch=90, warp_size=32)
    metadata = SimpleNamespace(name="matmul", num_warps=8, num_ctas=1, num_stages=3, shared=98_304, target=target)
    made = {"metadata": metadata, "n_regs": 168, "n_spills": 0, "n_max_threads": 1024}
    return SimpleNamespace(**(made | changes))


# CuPy 14.2, cupy/_core/raw.pyx, RawKernel.attributes; cuda.core 1.2, KernelAttributes, has the same names.
CUPY = {
    "max_threads_per_block": 512,
    "shared_size_bytes": 2048,
    "const_size_bytes": 0,
    "local_size_bytes": 0,
    "num_regs": 41,
    "ptx_version": 89,
    "binary_version": 89,
    "cache_mode_ca": 0,
    "max_dynamic_shared_size_bytes": 49_152,
    "preferred_shared_memory_carveout": -1,
}
# CUDA 13, driver_types.h, struct cudaFuncAttributes.
CUDA = {
    "binaryVersion": 90,
    "cacheModeCA": 0,
    "clusterDimMustBeSet": 1,
    "constSizeBytes": 0,
    "localSizeBytes": 0,
    "maxDynamicSharedSizeBytes": 100_000,
    "maxThreadsPerBlock": 1024,
    "numRegs": 64,
    "preferredShmemCarveout": 50,
    "ptxVersion": 90,
    "requiredClusterDepth": 1,
    "requiredClusterHeight": 1,
    "requiredClusterWidth": 2,
    "sharedSizeBytes": 1024,
}
# PyTorch 2.9, torch/csrc/cuda/Module.cpp, registerCudaDeviceProperties; an H100 SXM's values.
TORCH = {
    "name": "NVIDIA H100 80GB HBM3",
    "major": 9,
    "minor": 0,
    "is_multi_gpu_board": 0,
    "is_integrated": 0,
    "multi_processor_count": 132,
    "total_memory": 85_029_158_912,
    "max_threads_per_multi_processor": 2048,
    "warp_size": 32,
    "regs_per_multiprocessor": 65_536,
    "shared_memory_per_block": 49_152,
    "shared_memory_per_block_optin": 232_448,
    "shared_memory_per_multiprocessor": 233_472,
    "gcnArchName": "NVIDIA H100 80GB HBM3",
    "L2_cache_size": 52_428_800,
}
# CuPy 14.2, cupy_backends/cuda/api/runtime.pyx, getDeviceProperties: cudaDeviceProp's names in a dict; an RTX 3090's.
PROPERTIES = {
    "name": b"NVIDIA GeForce RTX 3090",
    "major": 8,
    "minor": 6,
    "multiProcessorCount": 82,
    "maxThreadsPerMultiProcessor": 1536,
    "maxThreadsPerBlock": 1024,
    "maxThreadsDim": (1024, 1024, 64),
    "regsPerBlock": 65_536,
    "regsPerMultiprocessor": 65_536,
    "sharedMemPerBlock": 49_152,
    "sharedMemPerBlockOptin": 101_376,
    "sharedMemPerMultiprocessor": 102_400,
    "reservedSharedMemPerBlock": 1024,
    "maxBlocksPerMultiProcessor": 16,
    "warpSize": 32,
}


class Dispatcher:
    """Numba-CUDA 0.30, numba/cuda/dispatcher.py, class CUDADispatcher: without a signature a dict, if not specialized."""

    def __init__(self, *overloads: tuple[int, int, int], specialized: bool = False) -> None:
        self.overloads = {
            (f"args {i}",): SimpleNamespace(regs_per_thread=r, shared_mem_per_block=s, max_threads_per_block=t)
            for i, (r, s, t) in enumerate(overloads)
        }
        self.specialized = specialized

    def _said(self, name: str) -> Any:
        values = {key: getattr(kernel, name) for key, kernel in self.overloads.items()}
        return next(iter(values.values())) if self.specialized else values

    def get_regs_per_thread(self, signature: Any = None) -> Any:
        return self._said("regs_per_thread")

    def get_shared_mem_per_block(self, signature: Any = None) -> Any:
        return self._said("shared_mem_per_block")

    def get_max_threads_per_block(self, signature: Any = None) -> Any:
        return self._said("max_threads_per_block")


def test_a_compiled_triton_kernel_is_a_whole_launch() -> None:
    answer = occusite.occupancy("H100 SXM", triton())
    assert answer.launch == Launch(256, 168, dynamic_shared=98_304)
    # ⌊65,536 ÷ (8 × 168 × 32)⌋ = 1, and ⌊233,472 ÷ 99,328⌋ = 2.
    assert (answer.blocks, answer.limiters) == (1, ("registers",))
    metadata = triton().metadata
    metadata.num_ctas = 2
    assert objects.launch(triton(metadata=metadata)).cluster == 2
    with pytest.raises(
        ValueError, match=r"^launch: .* is not allowed; code for sm_90 does not run on GeForce RTX 4090"
    ):
        occusite.occupancy("rtx 4090", triton())
    with pytest.raises(ValueError, match=r"^registers: the Triton kernel is not loaded yet"):
        objects.launch(triton(n_regs=None))


def test_a_triton_kernel_for_amd() -> None:
    kernel = triton(n_regs=128)
    kernel.metadata.target = SimpleNamespace(backend="hip", arch="gfx942", warp_size=64)
    kernel.metadata.num_warps, kernel.metadata.shared = 4, 32_768
    answer = occusite.occupancy("MI300X", kernel)
    assert answer.launch == amd.Launch(256, 128, lds=32_768, wave_size=64)
    assert (answer.blocks, answer.warps) == (2, 8)  # 65,536 ÷ 32,768
    with pytest.raises(ValueError, match=r"^launch: .* is not allowed; it was compiled for another vendor than"):
        occusite.occupancy("8.9", kernel)


def test_cupys_kernel_and_its_attributes() -> None:
    kernel = SimpleNamespace(**CUPY, attributes=CUPY, name="my_add")
    wanted = Launch(256, 41, 2048, 100, max_dynamic_shared=49_152)
    for thing in (kernel, CUPY, SimpleNamespace(attributes=SimpleNamespace(**CUPY))):
        assert objects.launch(thing, threads=256, dynamic_shared=100) == wanted
        assert occusite.occupancy((8, 9), thing, threads=(32, 8), dynamic_shared=100).launch == wanted
    with pytest.raises(ValueError, match=r"^threads: 1024 is not allowed; this kernel runs with 1–512 threads"):
        objects.launch(CUPY, threads=1024)
    with pytest.raises(ValueError, match=r"^threads: missing; the kernel does not say, give threads=…"):
        objects.launch(CUPY)
    # The kernel's own cap: cudaFuncSetAttribute has not raised it.
    refused = occusite.occupancy("8.9", CUPY, threads=256, dynamic_shared=60_000)
    assert "its own maximum is 49,152" in refused.reason


def test_older_methods_are_called() -> None:
    kernel = SimpleNamespace(attributes=SimpleNamespace(**{name: (lambda v=v: v) for name, v in CUPY.items()}))
    assert objects.launch(kernel, threads=256) == objects.launch(CUPY, threads=256)


def test_cudas_own_names() -> None:
    for thing in (CUDA, SimpleNamespace(**CUDA)):
        made = objects.launch(thing, threads=128)
        assert made == Launch(128, 64, 1024, max_dynamic_shared=100_000, carveout=50, cluster=2)
    assert objects.launch(CUDA, threads=128, registers=32, carveout=-1).carveout is None


def test_numbas_kernel() -> None:
    one = Dispatcher((40, 512, 1024))
    for thing in (one, Dispatcher((40, 512, 1024), specialized=True), one.overloads["args 0",]):
        assert objects.launch(thing, threads=numpy.int64(256)) == Launch(256, 40, 512)
    two = Dispatcher((40, 512, 1024), (48, 0, 1024))
    with pytest.raises(ValueError, match=r"^launch: the Numba kernel has 2 compiled overloads; give one of its"):
        objects.launch(two, threads=256)
    assert objects.launch(two.overloads["args 1",], threads=256).registers == 48
    with pytest.raises(ValueError, match=r"^launch: the Numba kernel has 0 compiled overloads"):
        objects.launch(Dispatcher(), threads=256)


def test_pytorchs_device_properties() -> None:
    made: Any = objects.device(SimpleNamespace(**TORCH))
    board = devices.find("H100 SXM")
    assert (made.name, made.sm_count, made.architecture) == ("NVIDIA H100 80GB HBM3", 132, "sm_90")
    launch = Launch(256, 41, dynamic_shared=30_000)
    assert made.occupancy(launch).limits == board.occupancy(launch).limits
    assert occusite.occupancy(SimpleNamespace(**TORCH), launch).device == made


def test_pytorch_of_an_amd_gpu() -> None:
    # The same class in a ROCm build: gcnArchName is the target; RX 7900 XTX has 96 CUs, which HIP counts as 48.
    mi300x = SimpleNamespace(
        name="AMD Instinct MI300X", gcnArchName="gfx942:sramecc+:xnack-", multi_processor_count=304
    )
    made: Any = objects.device(mi300x)
    assert (made.architecture, made.cus, made.cores, made.name) == ("gfx942", 304, 304, "AMD Instinct MI300X")
    rdna: Any = objects.device(SimpleNamespace(name="", gcnArchName="gfx1100", multi_processor_count=48))
    assert (rdna.cus, rdna.cores) == (96, 48) == (devices.gpu("RX 7900 XTX").device.cus, 48)


def test_cudas_device_properties_as_object_and_dict() -> None:
    for thing in (PROPERTIES, SimpleNamespace(**PROPERTIES)):
        made: Any = objects.device(thing)
        assert made.name == "NVIDIA GeForce RTX 3090"
        assert made.sm_count == 82
        assert made.occupancy(Launch(256, 41)).limits == nvidia.device("8.6").occupancy(Launch(256, 41)).limits
    halved: Any = objects.device({**PROPERTIES, "regsPerMultiprocessor": numpy.int32(32_768)})
    assert halved.occupancy(Launch(256, 64)).blocks == 2


def test_a_compute_capability_and_what_else_names_a_device() -> None:
    assert objects.device((8, 9)) == objects.device([numpy.int64(8), 9]) == nvidia.device("8.9")
    assert objects.device("rtx 4090") == objects.device(devices.gpu("rtx 4090")) == devices.find("rtx 4090")
    assert objects.device(paper.SM()) == paper.SM()
    # Numba-CUDA 0.30, numba/cuda/cudadrv/driver.py, class Device: the pair, and attributes in capitals.
    numba: Any = objects.device(SimpleNamespace(compute_capability=(8, 6), name=b"RTX", MULTIPROCESSOR_COUNT=82))
    assert (numba.compute_capability, numba.sm_count) == ("8.6", 82)
    # cuda.core 1.2, Device.properties.
    core: Any = objects.device(
        SimpleNamespace(
            name="L4",
            properties=SimpleNamespace(compute_capability_major=8, compute_capability_minor=9, multiprocessor_count=58),
        )
    )
    assert (core.name, core.compute_capability, core.sm_count) == ("L4", "8.9", 58)


def test_without_a_count_of_sms_there_is_none() -> None:
    made: Any = objects.device({"major": 8, "minor": 9})
    assert made.sm_count is None
    assert "the properties do not say" in made.note


def test_what_has_no_known_names_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^device: builtins.object is not allowed; give a name, a compute capability"):
        objects.device(object())
    with pytest.raises(ValueError, match=r"^compute_capability: '4.2' is not known"):
        objects.device((4, 2))
    with pytest.raises(ValueError, match=r"^major: 'eight' is not allowed"):
        objects.device(("eight", 9))
    with pytest.raises(ValueError, match=r"^launch: builtins.dict is not allowed; give a launch, a compiled kernel"):
        objects.launch({})
    with pytest.raises(ValueError, match=r"^registers: '41' is not allowed"):
        objects.launch({"numRegs": "41"}, threads=256)


def test_fields_change_a_launch() -> None:
    answer = occusite.occupancy("8.9", Launch(256, 41), registers=40)
    assert answer.launch == Launch(256, 40)
    assert answer.warps == 48


# Values that no compute capability has, so that each must come from the object.
ODD = {
    "sm_count": 7,
    "threads_per_sm": 1984,
    "registers_per_sm": 60_000,
    "registers_per_block": 50_000,
    "shared_memory_per_sm": 90_000,
    "shared_memory_per_block": 40_000,
    "shared_memory_per_block_opt_in": 80_000,
    "reserved_shared_memory": 512,
    "max_threads_per_block": 992,
    "warp_size": 31,
}
VOCABULARIES: dict[str, dict[str, str]] = {
    # CUDA 13, driver_types.h, struct cudaDeviceProp.
    "cudaDeviceProp": {
        "multiProcessorCount": "sm_count",
        "maxThreadsPerMultiProcessor": "threads_per_sm",
        "regsPerMultiprocessor": "registers_per_sm",
        "regsPerBlock": "registers_per_block",
        "sharedMemPerMultiprocessor": "shared_memory_per_sm",
        "sharedMemPerBlock": "shared_memory_per_block",
        "sharedMemPerBlockOptin": "shared_memory_per_block_opt_in",
        "reservedSharedMemPerBlock": "reserved_shared_memory",
        "maxThreadsPerBlock": "max_threads_per_block",
        "warpSize": "warp_size",
    },
    # PyTorch 2.9, torch/csrc/cuda/Module.cpp.
    "torch": {
        "multi_processor_count": "sm_count",
        "max_threads_per_multi_processor": "threads_per_sm",
        "regs_per_multiprocessor": "registers_per_sm",
        "shared_memory_per_multiprocessor": "shared_memory_per_sm",
        "shared_memory_per_block": "shared_memory_per_block",
        "shared_memory_per_block_optin": "shared_memory_per_block_opt_in",
        "max_threads_per_block": "max_threads_per_block",
        "warp_size": "warp_size",
    },
    # cuda.core 1.2, _device.pyx, class DeviceProperties.
    "cuda.core": {
        "multiprocessor_count": "sm_count",
        "max_threads_per_multiprocessor": "threads_per_sm",
        "max_registers_per_multiprocessor": "registers_per_sm",
        "max_registers_per_block": "registers_per_block",
        "max_shared_memory_per_multiprocessor": "shared_memory_per_sm",
        "max_shared_memory_per_block": "shared_memory_per_block",
        "max_shared_memory_per_block_optin": "shared_memory_per_block_opt_in",
        "reserved_shared_memory_per_block": "reserved_shared_memory",
    },
    # Numba-CUDA 0.30, cudadrv/driver.py, Device.__getattr__: what follows CU_DEVICE_ATTRIBUTE_ in CUDA 13's cuda.h.
    "numba": {
        "MULTIPROCESSOR_COUNT": "sm_count",
        "MAX_THREADS_PER_MULTIPROCESSOR": "threads_per_sm",
        "MAX_REGISTERS_PER_MULTIPROCESSOR": "registers_per_sm",
        "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": "shared_memory_per_sm",
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": "shared_memory_per_block_opt_in",
        "RESERVED_SHARED_MEMORY_PER_BLOCK": "reserved_shared_memory",
        "MAX_REGISTERS_PER_BLOCK": "registers_per_block",
        "MAX_SHARED_MEMORY_PER_BLOCK": "shared_memory_per_block",
        "MAX_THREADS_PER_BLOCK": "max_threads_per_block",
        "WARP_SIZE": "warp_size",
    },
    # Numba 0.68, numba/cuda/cudadrv/enums.py, spells one of them otherwise.
    "older numba": {"MAX_THREADS_PER_MULTI_PROCESSOR": "threads_per_sm", "MULTIPROCESSOR_COUNT": "sm_count"},
}
CAPABILITY = {
    "cudaDeviceProp": ("major", "minor"),
    "torch": ("major", "minor"),
    "cuda.core": ("compute_capability_major", "compute_capability_minor"),
    "numba": ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR"),
    "older numba": ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR"),
}


@pytest.mark.parametrize("library", VOCABULARIES)
def test_every_property_is_taken_from_the_object(library: str) -> None:
    names, (major, minor) = VOCABULARIES[library], CAPABILITY[library]
    stated = {name: ODD[field] for name, field in names.items()} | {major: 8, minor: 0, "name": "odd\0"}
    plain = nvidia.device("8.0")
    for thing in (stated, SimpleNamespace(**stated)):
        made = objects.device(thing)
        for field, value in ODD.items():
            wanted = value if field in names.values() else getattr(plain, field)
            assert getattr(made, field) == wanted, (library, field)
        assert (made.name, made.architecture) == ("odd", "sm_80")


def test_half_a_compute_capability_is_none() -> None:
    for thing in ({"major": 8}, {"minor": 9}, {"compute_capability": (8,)}, {"compute_capability": "89"}):
        with pytest.raises(ValueError, match=r"such as \(8, 9\), or device properties with major, minor and"):
            objects.device(thing)
    with pytest.raises(ValueError, match=r"^major: 0 is not allowed; give a whole number, 1 or more"):
        objects.device((0, 9))
    with pytest.raises(ValueError, match=r"^minor: -1 is not allowed; give a whole number, 0 or more"):
        objects.device((8, -1))
    assert objects.device((8, 0)).architecture == "sm_80"
    with pytest.raises(ValueError, match=r"^cus: 0 is not allowed; give a whole number, 1 or more"):
        objects.device({"gcnArchName": "gfx942", "multi_processor_count": 0})
    one: Any = objects.device({"gcnArchName": "gfx942", "multi_processor_count": 1})
    assert (one.cus, one.name) == (1, amd.device("gfx942").name)
    with pytest.raises(ValueError, match=r"^sm_count: -1 is not allowed"):
        objects.device({"major": 8, "minor": 9, "multiProcessorCount": -1})


def test_the_edges_of_what_a_kernel_says() -> None:
    assert objects.launch(CUPY, threads=512).threads == 512
    zero = {**CUPY, "num_regs": 0, "max_dynamic_shared_size_bytes": 0, "preferred_shared_memory_carveout": 0}
    assert objects.launch(zero, threads=32) == Launch(32, 0, 2048, max_dynamic_shared=0, carveout=0)
    assert objects.launch({**CUDA, "requiredClusterWidth": 0}, threads=32).cluster == 1
    assert objects.launch({**CUDA, "requiredClusterDepth": 3}, threads=32).cluster == 6
    assert objects.launch({**CUDA, "requiredClusterDepth": None}, threads=32).cluster == 1
    assert objects.launch(CUPY, threads=(1, 1, 7)).threads == 7
    with pytest.raises(ValueError, match=r"^threads: 0 is not allowed; give a whole number, 1 or more"):
        objects.launch(CUPY, threads=(32, 0))
    with pytest.raises(
        ValueError, match=r"^threads: 513 is not allowed; this kernel runs with 1–512 threads per block$"
    ):
        objects.launch(CUPY, threads=513)
    older = triton()
    del older.metadata.num_ctas
    assert objects.launch(older) == Launch(256, 168, dynamic_shared=98_304)
    # An object whose metadata is another library's is told by its own names.
    assert objects.launch(SimpleNamespace(metadata={}, **CUPY), threads=32).registers == 41
