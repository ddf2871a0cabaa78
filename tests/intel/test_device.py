"""Intel devices: names of architectures, and refusals with their reasons."""

from __future__ import annotations

import pytest

from occusite import intel


@pytest.mark.parametrize(("written", "key"), [("PVC", "xe_hpc_pvc"), ("dg2", "xe_hpg_dg2_arc"), ("xe2-hpg", "xe2_hpg")])
def test_names_of_architectures(written: str, key: str) -> None:
    device = intel.from_architecture(written)
    assert device is not None
    assert device.architecture == key
    assert device.runs(written)
    assert not device.runs("tgl")


def test_unknown_names() -> None:
    assert intel.from_architecture("sm_90") is None
    with pytest.raises(ValueError, match="architecture: 'xe9' is not known; give one of gen9"):
        intel.device("xe9")
    with pytest.raises(ValueError, match="rules: 'llvm-22' is not allowed; give one of calculator"):
        intel.device("pvc").by_rules("llvm-22")
    with pytest.raises(ValueError, match="xe_cores: 0 is not allowed"):
        intel.Device("xe_hpc_pvc", "mine", 0)


@pytest.mark.parametrize(
    ("name", "launch", "reason", "limiters"),
    [
        ("dg2", intel.Launch(64, 16, 65_537), "65,537 bytes of SLM, a work-group may take 65,536", ("slm",)),
        ("pvc", intel.Launch(1025, 32), "1,025 work-items, a work-group may have 1,024", ("threads",)),
        (
            "pvc",
            intel.Launch(1024, 16, large_grf=True),
            "a work-group of 64 threads, the core has 32 with large GRF",
            ("threads",),
        ),
        ("pvc", intel.Launch(64, 8), "sub-groups of 8 work-items, the device has 16 and 32", ()),
        ("dg2", intel.Launch(64, 16, large_grf=True), "large GRF, the device has none", ()),
    ],
)
def test_what_cannot_run_says_why(name: str, launch: intel.Launch, reason: str, limiters: tuple[str, ...]) -> None:
    answer = intel.device(name).occupancy(launch)
    assert (answer.runs, answer.percent, answer.reason, answer.limiters) == (False, None, reason, limiters)
    assert answer.steps[-1].text() == reason


def test_a_core_by_its_age() -> None:
    assert intel.device("gen9").terms.core == intel.device("tgl").terms.core == "subslice"
    assert intel.device("dg2").terms.core == intel.device("pvc").terms.core == "Xe-core"
