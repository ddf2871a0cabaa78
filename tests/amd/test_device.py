"""AMD devices: names of targets, rule sets, refusals with their reasons."""

from __future__ import annotations

import pytest

from occusite import amd


@pytest.mark.parametrize(
    ("written", "target"),
    [("gfx942", "gfx942"), ("GFX90A", "gfx90a"), ("gfx90a:sramecc+:xnack-", "gfx90a"), ("gfx1100", "gfx1100")],
)
def test_names_of_targets(written: str, target: str) -> None:
    device = amd.from_architecture(written)
    assert device is not None
    assert device.architecture == target
    assert device.runs(written)
    assert not device.runs("gfx803")


@pytest.mark.parametrize("written", ["", "942", "gfx", "sm_90", "MI300X"])
def test_no_names_of_targets(written: str) -> None:
    assert amd.from_architecture(written) is None


def test_an_unknown_target_is_never_guessed() -> None:
    with pytest.raises(ValueError, match="target: 'gfx943' is not known; give one of gfx600"):
        amd.from_architecture("gfx943")


def test_rule_sets() -> None:
    device = amd.device("gfx942")
    assert device.rules.name == "hardware"
    assert [device.by_rules(name).rules.whole_blocks for name in amd.RULES] == [False, False, True, True]
    with pytest.raises(ValueError, match=r"rules: '13\.5' is not allowed; give one of llvm-22"):
        device.by_rules("13.5")


def test_a_core_is_a_cu_or_a_wgp() -> None:
    assert amd.Device("gfx942", "mine", 304).cores == 304
    assert amd.Device("gfx1100", "mine", 96).cores == 48
    assert (amd.device("gfx942").terms.core, amd.device("gfx1100").terms.core) == ("CU", "WGP")
    with pytest.raises(ValueError, match="cus: 97 is not allowed; give a multiple of 2"):
        amd.Device("gfx1100", "mine", 97)


@pytest.mark.parametrize("rules", amd.RULES)
@pytest.mark.parametrize(
    ("target", "launch", "reason", "limiters"),
    [
        ("gfx942", amd.Launch(64, 513), "513 VGPRs per work-item, the limit is 512", ("vgprs",)),
        ("gfx942", amd.Launch(64, 255, agprs=257), "513 VGPRs per work-item, the limit is 512", ("vgprs",)),
        ("gfx1100", amd.Launch(64, 32, agprs=8), "8 AGPRs, the target has none", ("vgprs",)),
        ("gfx1100", amd.Launch(64, 32, 129), "129 SGPRs per wave, the limit is 128", ("sgprs",)),
        ("gfx942", amd.Launch(64, 32, 113), "113 SGPRs per wave, the limit is 112", ("sgprs",)),
        (
            "gfx1100",
            amd.Launch(64, 32, lds=65_537),
            "65,537 bytes of LDS, a work-group may take 65,536",
            ("lds",),
        ),
        ("gfx942", amd.Launch(1025, 32), "1,025 work-items, a work-group may have 1,024", ("waves",)),
        ("gfx942", amd.Launch(64, 32, wave_size=32), "the target has no waves of 32 work-items", ()),
        ("gfx1250", amd.Launch(64, 32, wave_size=64), "the target has no waves of 64 work-items", ()),
    ],
)
def test_what_cannot_run_says_why(
    rules: str, target: str, launch: amd.Launch, reason: str, limiters: tuple[str, ...]
) -> None:
    answer = amd.device(target, rules).occupancy(launch)
    assert (answer.runs, answer.percent, answer.reason, answer.limiters) == (False, None, reason, limiters)
    assert answer.steps[-1].text() == reason


def test_a_work_group_whose_registers_do_not_fit_a_cu() -> None:
    answer = amd.device("gfx942").occupancy(amd.Launch(1024, 256))
    assert not answer.runs
    assert answer.reason == "one work-group does not fit: its 16 waves are more than the VGPRs allow"
