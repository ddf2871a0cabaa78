"""Answers as data: the written line is the record, and what a page copies asks the same question again."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from click.testing import CliRunner

from occusite import nvidia, occupancy, paper
from occusite.cli.app import app
from occusite.questions import records

QUESTIONS: list[tuple[str, Any]] = [
    ("rtx 4090", nvidia.Launch(256, 41)),
    ("5.2", nvidia.Launch(96, 40, 1024, 2048, 3000, False, 50, 3, "strict", 1, 2, "l1")),
    ("9.0", nvidia.Launch(288, 224, cluster=2)),
    ("paper", paper.Launch(256, 64, 12_288)),
]


@pytest.mark.parametrize(("device", "launch"), QUESTIONS)
def test_a_record_names_vendor_architecture_and_rules(device: str, launch: Any) -> None:
    answer = occupancy(device, launch)
    made = {**records.question(answer), **records.record(answer)}
    assert made["schema"] == 1
    assert made["vendor"] == ("paper" if device == "paper" else "nvidia")
    assert made["rules"] == ("paper" if device == "paper" else nvidia.HEADER)
    assert type(launch)(**made["launch"]) == launch
    assert list(made["limits"]) == [budget.key for budget in answer.device.budgets]
    assert (made["occupancy"] is None) == (made["blocks"] == 0) == ("reason" in made)
    assert json.loads(json.dumps(made)) == made
    assert records.Lines().line(answer) == json.dumps(records.record(answer)) + "\n"


@pytest.mark.parametrize(("device", "launch"), QUESTIONS)
def test_the_copied_command_asks_the_same(device: str, launch: Any) -> None:
    answer = occupancy(device, launch)
    program, *arguments = shlex.split(records.as_command(answer, device))
    assert program == "occusite"
    made = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert {key: made[key] for key in records.record(answer)} == json.loads(json.dumps(records.record(answer)))
    assert made["launch"] == records.question(answer)["launch"]


@pytest.mark.parametrize(("device", "launch"), QUESTIONS)
def test_the_copied_program_asks_the_same(device: str, launch: Any) -> None:
    answer = occupancy(device, launch)
    printed: list[Any] = []
    exec(records.as_python(answer, device), {"print": printed.append})
    assert printed == [answer]
