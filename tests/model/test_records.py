"""The versioned form of an answer: real answers keep it, and what breaks a promise does not."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from occusite import amd, intel, nvidia, occupancy, paper
from occusite.model import records

FORM = Draft202012Validator(records.schema())
ANSWERS = (
    occupancy("rtx 4090", nvidia.Launch(256, 41)),
    occupancy("9.0", nvidia.Launch(288, 224)),
    occupancy("9.0", nvidia.Launch(32, 0, cluster=64)),
    occupancy("gfx90a", amd.Launch(512, 160)).device.by_rules("llvm-24").occupancy(amd.Launch(512, 160)),
    occupancy("pvc", intel.Launch(256, 32)),
    occupancy("paper", paper.Launch(256, 64, 12_288)),
)


def test_the_form_is_a_schema_and_names_its_version() -> None:
    Draft202012Validator.check_schema(records.schema())
    assert records.schema()["properties"]["schema"]["const"] == records.SCHEMA == 1


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: a.device.name)
def test_real_answers_keep_it(answer: Any) -> None:
    made = answer.to_dict()
    FORM.validate(json.loads(json.dumps(made)))
    assert type(answer.launch)(**made["launch"]) == answer.launch


@settings(max_examples=60)
@given(st.integers(1, 2000), st.integers(0, 300), st.integers(0, 300_000), st.sampled_from(list(nvidia.CHIPS)))
def test_any_launch_keeps_it(threads: int, registers: int, shared: int, capability: str) -> None:
    answer = nvidia.device(capability).occupancy(nvidia.Launch(threads, registers, dynamic_shared=shared))
    FORM.validate(answer.to_dict())


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"occupancy": 0.0},
        {"occupancy": None},
        {"blocks": 0},
        {"reason": "none"},
        {"limits": {}},
        {"vendor": "other"},
        {"limits": {"warps": {"blocks": 1}}},
    ],
)
def test_a_broken_promise_is_seen(change: dict[str, Any]) -> None:
    made = {**ANSWERS[0].to_dict(), **change}
    assert not FORM.is_valid(made)


def test_a_share_where_nothing_runs_is_seen() -> None:
    made = ANSWERS[1].to_dict()
    assert FORM.is_valid(made)
    assert not FORM.is_valid({**made, "occupancy": 0.0})
    made = copy.deepcopy(made)
    del made["reason"]
    assert not FORM.is_valid(made)


def test_values_by_hand() -> None:
    made = ANSWERS[0].to_dict()
    assert (made["device"], made["vendor"], made["architecture"]) == ("GeForce RTX 4090", "nvidia", "sm_89")
    assert (made["blocks"], made["warps"], made["slots"], made["occupancy"]) == (5, 40, 48, 40 / 48)
    assert made["limits"]["registers"] == {"blocks": 5, "warps": 40}
    assert made["launch"]["carveout"] is None
