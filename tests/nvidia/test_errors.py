"""The driver's error for each kind of launch that cannot run."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from occusite import amd, nvidia, occupancy
from occusite.nvidia import Launch, errors


@pytest.mark.parametrize(
    ("device", "launch", "code", "said"),
    [
        ("9.0", Launch(288, 224), 701, "too many resources requested for launch"),
        ("5.2", Launch(96, 255, partitioned_caching="strict", virtual=2), None, None),
        ("8.9", Launch(1025, 32), 9, "invalid configuration argument"),
        ("8.9", Launch(256, 40, 0, 131_072), 1, "invalid argument"),
        ("8.9", Launch(256, 40, 0, 60_000, max_dynamic_shared=49_152), 1, "invalid argument"),
        ("8.9", Launch(256, 40, 30_000, 80_000), 1, "invalid argument"),
        ("9.0", Launch(32, 40, cluster=17), 912, "cluster misconfiguration"),
        ("sm_90", Launch(128, 30, 60_000), None, "too much shared data"),
        ("8.9", Launch(256, 300), None, "registers per thread"),
    ],
)
def test_each_kind(device: str, launch: Launch, code: int | None, said: str | None) -> None:
    answer = occupancy(device, launch)
    found = errors.launch_error(answer)
    if said is None:
        assert answer.runs and found is None
        return
    assert found and found.code == code and said in found.text


def test_at_the_edges() -> None:
    """One more of each is another error, or none: the block's most threads, registers and static memory are legal."""
    most = Launch(1024, 256, 0, 0)
    assert errors.launch_error(occupancy("8.9", most)) == errors.RESOURCES
    assert errors.launch_error(occupancy("8.9", Launch(1025, 256))) == errors.CONFIGURATION
    assert errors.launch_error(occupancy("8.9", Launch(1024, 257))) == errors.TOO_MANY_REGISTERS
    full = nvidia.device("8.9").shared_memory_per_block_opt_in
    assert errors.launch_error(occupancy("8.9", Launch(32, 32, full, 1))) == errors.ARGUMENT
    assert errors.launch_error(occupancy("8.9", Launch(32, 32, full + 1))) == errors.TOO_MUCH_STATIC
    assert errors.TOO_MUCH_STATIC.text == "ptxas error: entry function uses too much shared data"
    assert errors.TOO_MANY_REGISTERS.text == "the compiler gives no kernel so many registers per thread"


def test_triton_speaks_first_of_threads_and_shared_memory() -> None:
    assert errors.CONFIGURATION.triton == "out of resource: threads"
    assert errors.ARGUMENT.triton == "out of resource: shared memory"
    assert errors.RESOURCES.triton == ""


def test_another_vendors_driver_is_not_known() -> None:
    assert errors.launch_error(occupancy("gfx942", amd.Launch(256, 600))) is None
    assert errors.launch_error(nvidia.device("8.9").occupancy(Launch(32, 32))) is None
    assert errors.launch_error(occupancy("8.9", Launch(32, 32, cluster=2))) is None


def test_numbers_and_names_are_those_of_cudas_header() -> None:
    found = importlib.util.find_spec("nvidia")
    headers = [
        h for place in (found.submodule_search_locations or ()) if found for h in Path(place).rglob("driver_types.h")
    ]  # type: ignore[union-attr]
    if not headers:
        pytest.skip("the wheel nvidia-cuda-runtime is not installed")
    text = headers[0].read_text(encoding="utf-8", errors="replace")
    for error in (errors.RESOURCES, errors.CONFIGURATION, errors.ARGUMENT, errors.CLUSTER):
        assert re.search(rf"\b{error.name}\s*=\s*{error.code},", text), error
    assert re.search(r"\bcudaErrorCooperativeLaunchTooLarge\s*=\s*720,", text)
