"""The answer's own words and views; and that an answer can be kept, copied and compared."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy
import pytest

import occusite
from occusite import amd, intel, nvidia, paper, scheduler
from occusite.model import Limit
from occusite.model.answer import RuleSet, budgets_of
from occusite.model.fields import build
from occusite.model.terms import Phrase
from occusite.questions import grid, staircase, steps

ANSWERS = (
    nvidia.device("8.9").occupancy(nvidia.Launch(256, 40)),
    nvidia.device("9.0").occupancy(nvidia.Launch(288, 224)),
    paper.SM().occupancy(paper.Launch(256, 64, 24 * 1024)),
)


def test_words_come_from_the_devices_budgets() -> None:
    assert [answer.limiter for answer in ANSWERS] == [
        "registers + warp slots",
        "cannot launch",
        "registers + shared memory",
    ]
    assert [budget.slot for budget in ANSWERS[2].limiting] == ["registers", "memory"]
    assert ANSWERS[0].budget("blocks").name == "block slots"
    with pytest.raises(KeyError, match="vgprs"):
        ANSWERS[0].budget("vgprs")


def test_budgets_keep_the_devices_order() -> None:
    assert [b.key for b in budgets_of(nvidia.device("8.9"), ("warps", "registers"))] == ["registers", "warps"]


def test_a_share_is_exact_and_there_is_none_where_nothing_runs() -> None:
    assert (ANSWERS[2].occupancy, ANSWERS[2].percent) == (Fraction(2, 3), 100 * 32 / 48)
    assert (ANSWERS[1].occupancy, ANSWERS[1].percent, ANSWERS[1].runs) == (None, None, False)


def test_a_reason_lets_the_surface_set_its_numbers() -> None:
    answer = ANSWERS[1]
    assert "86,016 registers (9 warps rounded up to a multiple of 4), a block may have 65,536" in answer.reason
    assert "86016" in answer.why(str)
    assert ANSWERS[0].reason == "" == ANSWERS[0].why(str)


def test_limits_are_in_blocks_and_in_warps() -> None:
    assert ANSWERS[0].limits["registers"] == Limit(6, 48)
    assert ANSWERS[0].limits["shared_memory"] == Limit(100, 800)
    assert ANSWERS[0].limits["virtual"] == Limit(None, None)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: a.limiter)
def test_an_answer_survives_pickling_and_copying(answer: occusite.Occupancy) -> None:
    for other in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
        assert other == answer
        assert other.steps == answer.steps
        assert {other: 1}[answer] == 1


def test_public_objects_can_be_kept_copied_and_be_keys() -> None:
    answer = ANSWERS[0]
    device, launch = nvidia.device("9.0"), nvidia.Launch(256, 41, cluster=2)
    kept = (
        *(device, launch, amd.device("gfx942"), amd.Launch(256, 41), intel.device("pvc"), intel.Launch(256, 32)),
        *(paper.SM(), paper.Launch(256, 64), device.clusters(launch), device.potential_block_size(launch)),
        *(steps.advice(answer), steps.nearest(answer), grid.waves(answer, 1000), staircase.plateaus(answer)),
        *(scheduler.Kernel(loads=4), answer.steps, *device.budgets),
    )
    for thing in kept:
        for other in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
            assert other == thing
            assert {other: 1}[thing] == 1


def test_rule_sets_are_named() -> None:
    assert ANSWERS[0].rules.name == nvidia.HEADER
    assert ANSWERS[0].device.by_rules("13.0").rules.source == "cuda_occupancy.h of CUDA 13.0"
    assert ANSWERS[2].rules.name == "paper"
    with pytest.raises(ValueError, match=r"^rules: '13.5' is not allowed; give paper"):
        paper.SM().by_rules("13.5")


def test_one_call_for_every_device() -> None:
    assert occusite.occupancy("8.9", nvidia.Launch(256, 40)) == ANSWERS[0]
    assert occusite.occupancy("paper", paper.Launch(256, 64, 24 * 1024)) == ANSWERS[2]
    with pytest.raises(
        ValueError, match=r"^launch: .* is not allowed; compute capability 8.9 .Ada. takes occusite.nvidia"
    ):
        occusite.occupancy("8.9", paper.Launch(256, 40))


def test_one_block_is_a_run() -> None:
    answer = nvidia.device("9.0").occupancy(nvidia.Launch(1024, 64))
    assert (answer.blocks, answer.runs, answer.percent) == (1, True, 50.0)
    assert answer.limiter == "registers"


def test_several_reasons_stand_side_by_side() -> None:
    answer = replace(ANSWERS[1], causes=(Phrase("{} threads", (2048,)), Phrase("no luck")))
    assert answer.reason == "2,048 threads; no luck" and answer.why(str) == "2048 threads; no luck"


def test_the_first_unknown_budget_is_named() -> None:
    device = nvidia.device("8.9")
    assert [b.key for b in budgets_of(device, ("virtual",))] == ["virtual"]
    with pytest.raises(KeyError, match=r"^'agprs'$"):
        budgets_of(device, ("registers", "agprs", "vgprs"))


def test_whole_blocks_count_unless_a_rule_set_says_otherwise() -> None:
    assert RuleSet("hardware", "a document").whole_blocks
    assert all(answer.rules.whole_blocks for answer in ANSWERS)


@pytest.mark.parametrize("kind", [numpy.int8, numpy.int64, numpy.uint32])
def test_numpys_integers_are_whole_numbers(kind: Any) -> None:
    answer = nvidia.device("8.9").occupancy(
        nvidia.Launch(kind(96), kind(41), dynamic_shared=kind(100), carveout=kind(50))
    )
    assert answer == nvidia.device("8.9").occupancy(nvidia.Launch(96, 41, dynamic_shared=100, carveout=50))
    json.dumps(answer.to_dict())
    device = nvidia.Device("8.9", sm_count=kind(3), threads_per_sm=kind(64))
    assert type(device.sm_count) is int is type(device.threads_per_sm)
    assert device.warps_per_sm == 2
    made = (paper.SM(warps=kind(48)).warps, amd.Device("gfx90a", "half", cus=kind(52)).cus)
    assert {type(number) for number in made} == {int}
    waves = grid.waves(answer, kind(100))
    assert type(waves.grid) is int is type(waves.full)
    room = answer.device.available_dynamic_shared(nvidia.Launch(kind(96), kind(41)), kind(2))
    assert room == answer.device.available_dynamic_shared(nvidia.Launch(96, 41), 2)
    with pytest.raises(ValueError, match=r"^threads: .*96\.0.* is not allowed"):
        nvidia.Launch(numpy.float64(96.0), 41)  # type: ignore[arg-type]


def test_the_drivers_carveout_is_one_contract() -> None:
    for value in (None, -1, numpy.int64(-1)):
        assert nvidia.Launch(256, 41, carveout=value).carveout is None
    assert build(nvidia.Launch, {"threads": 256, "registers": 41, "carveout": "-1"}) == nvidia.Launch(256, 41)
    for value in (-2, 101, -1.0):
        with pytest.raises(ValueError, match=rf"^carveout: {value} is not allowed; give a whole number, 0–100"):
            nvidia.Launch(256, 41, carveout=value)  # type: ignore[arg-type]
