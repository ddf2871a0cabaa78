"""Devices by name: forgiving lookup, near matches, sources in every row, a device of one's own."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import occusite
from occusite import devices, nvidia, paper


@pytest.mark.parametrize(
    ("asked", "name", "sms"),
    [
        ("rtx 4090", "GeForce RTX 4090", 128),
        ("RTX4090", "GeForce RTX 4090", 128),
        ("NVIDIA GeForce RTX 4090", "GeForce RTX 4090", 128),
        ("4070 ti super", "GeForce RTX 4070 Ti SUPER", 66),
        ("rtx 4070", "GeForce RTX 4070", 46),
        ("RTX 3060", "GeForce RTX 3060 12 GB", 28),
        ("H100 SXM", "H100 SXM5 80 GB", 132),
        ("h100", "H100 SXM5 80 GB", 132),
        ("NVIDIA H100 80GB HBM3", "H100 SXM5 80 GB", 132),
        ("H100 PCIe", "H100 PCIe 80 GB", 114),
        ("NVIDIA A100-SXM4-40GB", "A100 SXM4 40 GB", 108),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB", 108),
        ("Tesla V100-SXM2-16GB", "Tesla V100 SXM2 16 GB", 80),
        ("tesla t4", "Tesla T4", 40),
        ("A10G", "A10G", 80),
        ("DGX Spark", "GB10", 48),
        ("jetson thor", "Jetson T5000", 20),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTX PRO 6000 Blackwell", 188),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Blackwell Server", 188),
        ("A6000", "RTX A6000", 84),
    ],
)
def test_forgiving_names(asked: str, name: str, sms: int) -> None:
    device = devices.find(asked)
    assert isinstance(device, nvidia.Device)
    assert (device.name, device.sm_count) == (name, sms)


@pytest.mark.parametrize("asked", ["8.9", "cc 8.9", "89", " 8.9 "])
def test_compute_capabilities(asked: str) -> None:
    assert devices.find(asked) == nvidia.device("8.9")


@pytest.mark.parametrize(
    ("asked", "capability", "suffix"),
    [
        *((name, "8.9", "") for name in ("sm_89", "SM_89", "compute_89", "sm89")),
        *(("sm_90", "9.0", ""), ("sm_90a", "9.0", "a"), ("compute_90a", "9.0", "a"), ("SM_90A", "9.0", "a")),
        *(("sm_100f", "10.0", "f"), ("sm_120a", "12.0", "a"), ("9.0a", "9.0", "a"), ("121", "12.1", None)),
    ],
)
def test_a_device_keeps_the_suffix_of_its_code(asked: str, capability: str, suffix: str | None) -> None:
    device = devices.find(asked)
    assert isinstance(device, nvidia.Device)
    assert (device.compute_capability, device.suffix) == (capability, suffix)
    assert device.architecture == f"sm_{capability.replace('.', '')}{suffix or ''}"


@pytest.mark.parametrize("asked", ["sm_89a", "sm_90f", "compute_80f"])
def test_a_suffix_no_code_has(asked: str) -> None:
    with pytest.raises(ValueError, match=r"suffix: '[af]' is not allowed; code for"):
        devices.find(asked)


def test_paper() -> None:
    assert devices.find("paper") == paper.SM()


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("rtx 4095", "GeForce RTX 4090"),
        ("rtx 5O90", "GeForce RTX 5090"),
        ("4070 ti sup", "GeForce RTX 4070 Ti SUPER"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "GeForce RTX 4090"),
    ],
)
def test_unknown_name_lists_near_matches(asked: str, near: str) -> None:
    with pytest.raises(ValueError, match="is not known; near matches: ") as error:
        devices.find(asked)
    assert near in str(error.value)
    assert asked in str(error.value)


@pytest.mark.parametrize("asked", ["", "foo", "geforce", "5", "\0", "é" * 1000])
def test_nothing_like_it(asked: str) -> None:
    with pytest.raises(ValueError, match="give a GPU's name or a compute capability"):
        devices.find(asked)


@pytest.mark.parametrize("asked", ["5.5", "sm_91", "compute_20", "13.0"])
def test_unknown_architecture_is_never_guessed(asked: str) -> None:
    with pytest.raises(ValueError, match=r"compute_capability: .* is not known"):
        devices.find(asked)


def test_ambiguous_name_lists_the_candidates() -> None:
    with pytest.raises(ValueError, match=r"could be .*PCIe.*SXM4") as error:
        devices.find("a100 40gb")
    assert "say which" in str(error.value)


def test_every_row() -> None:
    known = devices.gpus()
    assert len(known) >= 60
    assert len({g.name for g in known}) == len(known)
    for gpu in known:
        assert devices.gpu(gpu.name) is gpu
        assert all(devices.gpu(alias) is gpu for alias in gpu.aliases)
        assert gpu.source
        assert all(hasattr(gpu, cell) or cell == "sm_count" for cell in (*gpu.cells, *gpu.unconfirmed))
        assert all(entry.source and entry.method and entry.dram_cycles[0] > 100 for entry in gpu.latency)
        chip = nvidia.device(gpu.device.compute_capability)
        assert gpu.device.warps_per_sm == chip.warps_per_sm
        assert 1 <= gpu.device.sm_count <= 256
        for value, low, high in (
            (gpu.bandwidth_gb_s, 20, 25_000),
            (gpu.boost_mhz, 500, 3500),
            (gpu.memory_gb, 1, 512),
            (gpu.l2_mb, 0.1, 256),
        ):
            assert value is None or low <= value <= high, gpu.name


def test_every_kind_of_board_is_there() -> None:
    names = " ".join(g.name for g in devices.gpus())
    for word in ("GeForce GTX", "GeForce RTX", "RTX PRO", "Tesla", "Jetson", "GB10", "H100", "B200"):
        assert word in names
    capabilities = {g.device.compute_capability for g in devices.gpus()}
    assert {
        "5.0",
        "6.0",
        "7.0",
        "7.5",
        "8.0",
        "8.6",
        "8.7",
        "8.9",
        "9.0",
        "10.0",
        "10.3",
        "12.0",
        "12.1",
    } <= capabilities
    assert sum(1 for g in devices.gpus() if g.latency) >= 12


def test_every_architecture_names_its_sources() -> None:
    for capability, chip in nvidia.CHIPS.items():
        assert chip.sources, capability
        assert set(chip.sources) <= set(nvidia.SOURCES)


def test_device_of_ones_own() -> None:
    device = devices.from_toml('compute_capability = "9.0"\nname = "slice"\nsm_count = 16\n')
    assert (device.name, device.sm_count, device.shared_memory_per_sm) == ("slice", 16, 233_472)
    launch = nvidia.Launch(128, 32)
    assert device.occupancy(launch).blocks == nvidia.device("9.0").occupancy(launch).blocks


def test_device_of_ones_own_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("compute_capability = 8.9\nshared_memory_per_sm = 65536\n", encoding="utf-8")
    device = devices.find(str(path))
    assert isinstance(device, nvidia.Device)
    assert (device.name, device.shared_memory_per_sm) == ("custom 8.9", 65_536)
    with pytest.raises(ValueError, match="cannot be read"):
        devices.find(str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sm_count = 3", "compute_capability is missing"),
        ('compute_capability = "9.9"', "compute_capability: '9.9' is not known"),
        ('compute_capability = "9.0"\nsms = 3', "the key 'sms' is not allowed"),
        ('compute_capability = "9.0"\nrules = 3', "the key 'rules' is not allowed"),
        ('compute_capability = "9.0"\nsm_count = 0', "sm_count: 0 is not allowed"),
        ('compute_capability = "9.0"\nsm_count = "many"', "sm_count: 'many' is not allowed"),
        ('compute_capability = "9.0"\nname = 3', "name: 3 is not allowed"),
        ("compute_capability = ", "is not TOML"),
    ],
)
def test_bad_device_of_ones_own(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        devices.from_toml(text)


def test_one_call_for_every_device() -> None:
    assert occusite.occupancy("rtx 4090", nvidia.Launch(256, 40)).warps == 48
    assert occusite.occupancy("paper", paper.Launch(256, 40)).warps == 48


@pytest.mark.parametrize(
    ("asked", "name", "architecture", "cores"),
    [
        ("MI300X", "Instinct MI300X", "gfx942", 304),
        ("AMD Instinct MI250X", "Instinct MI250X", "gfx90a", 110),
        ("rx 7900 xtx", "Radeon RX 7900 XTX", "gfx1100", 48),
        ("AMD Radeon RX 9070 XT", "Radeon RX 9070 XT", "gfx1201", 32),
        ("Strix Halo", "Radeon 8060S", "gfx1151", 20),
        ("Intel(R) Arc(TM) A770 Graphics", "Arc A770", "xe_hpg_dg2_arc", 32),
        ("Intel® Data Center GPU Max 1550", "Data Center GPU Max 1550", "xe_hpc_pvc", 128),
        ("arc 750", "Arc A750", "xe_hpg_dg2_arc", 28),
        ("gtx 750", "GeForce GTX 750 Ti", "sm_50", 5),
        ("b580", "Arc B580", "xe2_hpg", 20),
        ("gfx90a:sramecc+:xnack-", "gfx90a (CDNA 2)", "gfx90a", None),
        ("pvc", "xe_hpc_pvc (Xe-HPC)", "xe_hpc_pvc", None),
    ],
)
def test_names_of_other_vendors(asked: str, name: str, architecture: str, cores: int | None) -> None:
    device = devices.find(asked)
    assert (device.name, device.architecture, device.cores) == (name, architecture, cores)


@pytest.mark.parametrize("vendor", ["amd", "intel"])
def test_every_row_of_other_vendors(vendor: str) -> None:
    known = devices.gpus(vendor)
    assert len(known) >= 12
    for gpu in known:
        assert gpu.device.vendor == vendor
        assert devices.gpu(gpu.name) is gpu
        assert all(devices.gpu(alias) is gpu for alias in gpu.aliases)
        assert gpu.source
        assert 1 <= gpu.device.cores <= 304


def test_all_vendors_together() -> None:
    assert len(devices.all_gpus()) == sum(len(devices.gpus(vendor)) for vendor in devices.VENDORS)
    with pytest.raises(ValueError, match="vendor: 'via' is not allowed; give one of nvidia, amd, intel"):
        devices.gpus("via")


def test_a_device_of_ones_own_of_other_vendors() -> None:
    mine = devices.from_toml('target = "gfx942"\nname = "a partition"\ncus = 38')
    assert (mine.name, mine.vendor, mine.cores) == ("a partition", "amd", 38)
    theirs = devices.from_toml('architecture = "pvc"\nxe_cores = 64')
    assert (theirs.name, theirs.vendor, theirs.cores) == ("custom pvc", "intel", 64)
    with pytest.raises(ValueError, match="the key 'sm_count' is not allowed; give some of cus, name, target"):
        devices.from_toml('target = "gfx942"\nsm_count = 38')


def test_a_board_survives_copying_and_counts_in_a_set() -> None:
    board = devices.gpu("H200")
    assert pickle.loads(pickle.dumps(board)) == board
    assert {board, copy.deepcopy(board)} == {board}
