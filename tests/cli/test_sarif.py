"""SARIF 2.1.0: its required properties, and where a result points."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.asked import run
from tests.questions.builds import Kernel, log

# What SARIF 2.1.0 (OASIS, sections 3.13 to 3.52) requires of the objects that are written, and nothing beside it.
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "physicalLocation": {
            "type": "object",
            "additionalProperties": False,
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {"uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~!$&'()*+,;=:@/%-]+$"}},
                },
                "region": {
                    "type": "object",
                    "required": ["startLine"],
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                },
            },
        },
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["fullyQualifiedName"],
                "properties": {"fullyQualifiedName": {"type": "string"}, "kind": {"enum": ["function"]}},
            },
        },
    },
}
RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "minItems": 1, "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
FORM = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {"id": {"type": "string"}, "shortDescription": TEXT},
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "before.log").write_text(log(Kernel()))
    (tmp_path / "a build.log").write_text("noise\n" + log(Kernel(registers=74, spills=20)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(*arguments: str, code: int, stdin: str | None = None) -> Any:
    text = run(
        "check", *arguments, "--baseline", "before.log", "-t", "256", "--format", "sarif", code=code, stdin=stdin
    )
    made = json.loads(text)
    Draft202012Validator(FORM).validate(made)
    return made["runs"][0]


def test_findings(at: Path) -> None:
    made = checked("a build.log", code=1)
    results = made["results"]
    assert [result["ruleId"] for result in results] == ["registers", "spills", "occupancy"]
    ids = [rule["id"] for rule in made["tool"]["driver"]["rules"]]
    assert all(ids[result["ruleIndex"]] == result["ruleId"] for result in results)
    assert results[0]["message"]["text"] == "matmul (sm_89): registers 64 → 74"
    place = results[0]["locations"][0]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "a%20build.log"}, "region": {"startLine": 2}}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "_Z6matmulPKfS0_Pf"
    prints = {result["partialFingerprints"]["kernel/v1"] for result in results}
    assert len(prints) == 3


def test_a_fingerprint_does_not_move_with_the_line(at: Path) -> None:
    (at / "moved.log").write_text("noise\n" * 9 + log(Kernel(registers=80)))
    one, other = (checked(path, code=1)["results"][0] for path in ("a build.log", "moved.log"))
    assert one["partialFingerprints"] == other["partialFingerprints"]
    assert one["locations"] != other["locations"]


def test_nothing_to_find_is_a_log_too(at: Path) -> None:
    assert checked("before.log", code=0)["results"] == []


def test_a_place_is_relative_where_it_can_be(at: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    def uri(path: Path | str) -> str:
        place = checked(str(path), code=1)["results"][0]["locations"][0]["physicalLocation"]
        return str(place["artifactLocation"]["uri"])

    assert uri(at / "a build.log") == uri("./a build.log") == "a%20build.log"
    elsewhere = tmp_path_factory.mktemp("other") / "x.log"
    elsewhere.write_text(log(Kernel(registers=74)))
    assert uri(elsewhere) == elsewhere.as_uri()
    (at / "deep").mkdir()
    (at / "deep" / "x.log").write_text(log(Kernel(registers=74)))
    assert uri(at / "deep" / "x.log") == "deep/x.log"


def test_the_standard_input_has_a_place(at: Path) -> None:
    (result, *_) = checked("-", code=1, stdin=log(Kernel(registers=74)))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "stdin"
