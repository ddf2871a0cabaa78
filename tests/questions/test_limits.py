"""Rules from TOML: what they hold for, what breaks them, and what may get worse."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from occusite.questions.changes import compare
from occusite.questions.limits import Rule, judged, rules_from, worse
from tests.questions.builds import Kernel, answered

RULES = rules_from(
    tomllib.loads("""
[[rule]]
max_registers = 72
max_spills = 0
max_shared_memory = "16KiB"
max_stack = 0

[[rule]]
kernel = "matmul*"
architecture = "sm_89"
min_occupancy = 60
grow_registers = 4
lose_occupancy = 20
""")
)


def said(*kernels: Kernel, threads: int = 256) -> list[tuple[str, str, str]]:
    return [(f.row.report.name, f.measure, f.text) for f in judged(answered(*kernels, threads=threads), RULES)]


def test_rules_are_read() -> None:
    assert RULES[0] == Rule(most={"registers": 72, "spills": 0, "shared_memory": 16_384, "stack": 0})
    assert RULES[1] == Rule("matmul*", "sm_89", {}, 60.0, {"registers": 4}, 20.0)


def test_limits() -> None:
    assert said(Kernel()) == []
    assert said(Kernel(registers=74, spills=20, stack=8)) == [
        ("matmul", "registers", "74 registers, the limit is 72"),
        ("matmul", "spills", "spills of 20 bytes, the limit is 0"),
        ("matmul", "stack", "stack of 8 bytes, the limit is 0"),
        ("matmul", "occupancy", "occupancy 50 %, the limit is 60 %"),
    ]
    assert said(Kernel(shared=16_385)) == [
        ("matmul", "shared_memory", "shared memory of 16,385 bytes, the limit is 16,384")
    ]
    assert said(Kernel("_Z5otherPf", registers=74)) == [("other", "registers", "74 registers, the limit is 72")]
    assert said(Kernel(registers=66, architecture="sm_80")) == []


def test_a_launch_that_cannot_run_has_no_share() -> None:
    ((_, measure, text),) = said(Kernel(registers=72), threads=1024)
    assert measure == "occupancy"
    assert text.startswith("cannot run: one block does not fit")
    assert "%" not in text


def test_what_the_report_does_not_say_breaks_a_rule_too() -> None:
    assert said(Kernel(spills=None)) == [
        ("matmul", "spills", "spills: the report does not say, the limit is 0"),
        ("matmul", "stack", "stack: the report does not say, the limit is 0"),
    ]


def test_worse_than_the_baseline() -> None:
    def found(old: Kernel, new: Kernel, rules: tuple[Rule, ...] = ()) -> list[str]:
        return [finding.text for finding in worse(compare(answered(old), answered(new)), rules)]

    assert found(Kernel(), Kernel()) == []
    assert found(Kernel(registers=74), Kernel()) == []
    assert found(Kernel(), Kernel(registers=74, spills=20)) == [
        *("registers 64 → 74", "spills 0 → 20 bytes", "occupancy 66.67 → 50 %"),
    ]
    # 66.67 − 50 is within 20 points; 10 registers more are not within 4.
    assert found(Kernel(), Kernel(registers=74), RULES) == ["registers 64 → 74"]
    assert found(Kernel(), Kernel(registers=68), RULES) == []
    assert found(Kernel(), Kernel(spills=None)) == [
        *("spills: the report does not say any more, it was 0", "stack: the report does not say any more, it was 0"),
    ]
    assert worse(compare([], answered(Kernel())), ()) == []


def test_findings_say_measure_rule_and_kernel() -> None:
    old, new = answered(Kernel(shared=8192)), answered(Kernel(registers=74, shared=8200))
    found = worse(compare(old, new))
    assert [(f.row, f.measure, f.rule, f.text) for f in found] == [
        (new[0], "registers", "baseline", "registers 64 → 74"),
        (new[0], "shared_memory", "baseline", "shared memory 8,192 → 8,200 bytes"),
        (new[0], "occupancy", "baseline", "occupancy 66.67 → 50 %"),
    ]
    limits = [(f.row, f.measure, f.rule) for f in judged(new, RULES)]
    assert limits == [(new[0], "registers", "limit"), (new[0], "occupancy", "limit")]
    silent = answered(Kernel(spills=None))
    assert {(f.measure, f.rule) for f in judged(silent, RULES)} == {("spills", "limit"), ("stack", "limit")}
    # New and gone kernels have no baseline to fall behind.
    assert worse(compare([], new)) == worse(compare(old, [])) == []
    assert [f.text for f in worse(compare(answered(Kernel(spills=None)), answered(Kernel(spills=8))))] == []


def test_by_one_and_to_the_limit() -> None:
    old = answered(Kernel(registers=20))
    assert [f.text for f in worse(compare(old, answered(Kernel(registers=21))))] == ["registers 20 → 21"]
    rules = rules_from({"rule": [{"kernel": "*", "grow_registers": 1}, {"grow_registers": 0, "lose_occupancy": 100}]})
    assert worse(compare(old, answered(Kernel(registers=21))), rules) == []
    assert [f.text for f in worse(compare(old, answered(Kernel(registers=22))), rules)] == ["registers 20 → 22"]
    # 66.67 % is not below 66.6 %, and 50 % not below 50 %; from 66.67 to 50 % are 16.67 points.
    for least, kernel, broken in ((66.6, Kernel(), 0), (66.7, Kernel(), 1), (50, Kernel(registers=74), 0)):
        assert len(judged(answered(kernel), rules_from({"rule": [{"min_occupancy": least}]}))) == broken
    for lose, broken in ((16.6, 1), (16.7, 0)):
        texts = [
            f.text
            for f in worse(
                compare(answered(Kernel()), answered(Kernel(registers=74))),
                rules_from({"rule": [{"lose_occupancy": lose, "grow_registers": 10}]}),
            )
        ]
        assert texts == ["occupancy 66.67 → 50 %"][:broken]
    for key in ("min_occupancy", "lose_occupancy"):
        assert rules_from({"rule": [{key: 100}, {key: 0.5}]})
        with pytest.raises(
            ValueError, match=rf"^rule 1: {key}: 100.5 is not allowed; give above 0 and at most 100 perce"
        ):
            rules_from({"rule": [{key: 100.5}]})


def test_without_an_answer_a_rule_of_occupancy_is_broken() -> None:
    (row,) = answered(Kernel(architecture="sm_10"))
    assert row.answer is None
    rules = rules_from({"rule": [{"min_occupancy": 50}]})
    ((_, measure, rule, text),) = judged([row], rules)
    assert (measure, rule) == ("occupancy", "limit")
    assert text == f"occupancy: no answer ({row.problem}), the limit is 50 %"
    (finding,) = worse(compare(answered(Kernel()), [row._replace(report=answered(Kernel())[0].report)]))
    assert (finding.measure, finding.text) == ("occupancy", "occupancy: the report does not say any more, it was 32")


def test_a_launch_that_cannot_run_any_more() -> None:
    old, new = answered(Kernel(), threads=1024), answered(Kernel(registers=72), threads=1024)
    texts = [finding.text for finding in worse(compare(old, new))]
    assert texts[0] == "registers 64 → 72"
    assert texts[1].startswith("cannot run any more: one block does not fit")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "limits: 'rule' is not allowed; give tables"),
        ({"rules": []}, "limits: 'rules' is not allowed"),
        ({"rule": {}}, "limits: 'rule' is not allowed"),
        ({"rule": [3]}, "rule 1: 3 is not allowed"),
        ({"rule": [{"max_registers": 3}, {"max_register": 3}]}, "rule 2: max_register: not a key; the keys are kernel"),
        ({"rule": [{"kernel": "x"}]}, "rule 1: no limit; give one of max_registers"),
        ({"rule": [{"kernel": 3, "max_spills": 0}]}, "rule 1: kernel: 3 is not allowed; give text"),
        ({"rule": [{"max_registers": -1}]}, "rule 1: max_registers: -1 is not allowed"),
        ({"rule": [{"max_registers": True}]}, "rule 1: max_registers: True is not allowed"),
        ({"rule": [{"max_shared_memory": "3Q"}]}, "rule 1: max_shared_memory: '3Q' is not allowed; give bytes"),
        ({"rule": [{"min_occupancy": 101}]}, "rule 1: min_occupancy: 101 is not allowed; give above 0 and at most 100"),
        ({"rule": [{"lose_occupancy": "x"}]}, "rule 1: lose_occupancy: 'x' is not allowed"),
    ],
)
def test_mistakes_name_the_rule_and_the_key(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        rules_from(table)
    assert str(error.value).startswith(message)
