"""`occupancy --jsonl`: one answer a line, in order, whatever the line holds."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import devices, nvidia
from occusite.cli import jsonl
from occusite.questions import records

ADA = {"device": "8.9", "threads": 256, "registers": 64}


def answer(line: object) -> dict[str, Any]:
    text = line if isinstance(line, bytes) else json.dumps(line).encode()
    found = jsonl.Answers().line(text)
    assert found.endswith("\n")
    assert found.count("\n") == 1
    made = json.loads(found)
    assert isinstance(made, dict)
    return made


def answers(data: bytes) -> list[dict[str, Any]]:
    sink = io.BytesIO()
    jsonl.run(io.BytesIO(data), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def test_an_answer_has_every_field() -> None:
    assert answer(ADA) == {
        "blocks": 4,
        "warps": 32,
        "slots": 48,
        "occupancy": 32 / 48,
        "limits": {
            "registers": {"blocks": 4, "warps": 32},
            "shared_memory": {"blocks": 100, "warps": 800},
            "warps": {"blocks": 6, "warps": 48},
            "blocks": {"blocks": 24, "warps": 192},
            "barriers": {"blocks": None, "warps": None},
            "virtual": {"blocks": None, "warps": None},
        },
        "limiters": ["registers"],
        "allocated": {"registers_per_block": 16384, "shared_memory_per_block": 1024, "partitioned_caching": 0},
    }


def test_a_launch_with_zero_blocks_has_a_reason_and_no_error() -> None:
    made = answer({"device": "9.0", "threads": 288, "registers": 224})
    assert made["blocks"] == 0
    assert "86,016 registers" in made["reason"]
    assert "error" not in made


def test_several_budgets_bind() -> None:
    made = answer({**ADA, "registers": 40})
    assert made["limiters"] == ["registers", "warps"]


@pytest.mark.parametrize(
    ("change", "blocks"),
    [
        ({"device": "9.0", "threads": 128, "registers": 32, "dynamic_shared": 232448}, 1),
        ({"device": "9.0", "threads": 128, "registers": 32, "dynamic_shared": 232448, "opt_in": False}, 0),
        ({"device": "9.0", "threads": 128, "registers": 32, "dynamic_shared": 4096}, 16),
        ({"device": "9.0", "threads": 128, "registers": 32, "dynamic_shared": 4096, "carveout": 0}, 1),
        ({"device": "9.0", "threads": 128, "registers": 32, "dynamic_shared": 4096, "carveout": -1}, 16),
        ({"device": "9.0", "threads": 128, "registers": 32, "dynamic_shared": 4096, "carveout": None}, 16),
        ({"device": "8.9", "threads": 128, "registers": 32, "dynamic_shared": 4096, "max_dynamic_shared": 4095}, 0),
        ({"device": "5.2", "threads": 128, "registers": 85}, 5),
        ({"device": "5.2", "threads": 128, "registers": 85, "partitioned_caching": "on"}, 4),
        ({"device": "12.0", "threads": 64, "registers": 32, "barriers": 2}, 12),
        ({"device": "rtx 4090", "threads": 64, "registers": 32, "static_shared": 49152}, 2),
        ({"device": "sm_90a", "threads": 1000, "registers": 64}, 1),
    ],
)
def test_every_field_counts(change: dict[str, Any], blocks: int) -> None:
    assert answer(change)["blocks"] == blocks


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "line: not JSON"),
        (b"{", "line: not JSON"),
        (b"[1, 2]", "line: not an object with a launch's fields but an array"),
        (b"7", "line: not an object with a launch's fields but a number"),
        (b"null", "line: not an object with a launch's fields but null"),
        (b'"x"', "line: not an object with a launch's fields but a string"),
        (b"\xff\xfe", "line: not UTF-8 at byte 0"),
        (b"[" * 100_000, "line: not a launch: nested too deeply"),
        (b"1" * 5000, "line: not an object with a launch's fields but a number"),
        ({"threads": 32, "registers": 32}, "device: missing"),
        ({"device": "8.9", "registers": 32}, "threads: missing"),
        ({"device": "8.9", "threads": 32}, "registers: missing"),
        ({**ADA, "device": "rtx 9999"}, "device: 'rtx 9999' is not known"),
        ({**ADA, "device": "x" * 10_000}, "device: 'xxxxxxxxxxxxxxxxxxxx'… is not known"),
        ({**ADA, "device": 8.9}, "device: 8.9 is not allowed; give a name as text"),
        ({**ADA, "device": None}, "device: None is not allowed"),
        ({**ADA, "device": "/etc/passwd.toml"}, "device: '/etc/passwd.toml' is not known"),
        ({**ADA, "device": "sm_20"}, "device: 'sm_20': compute_capability: '2.0' is not known"),
        (
            {**ADA, "device": "paper", "cluster": 2},
            "cluster: not a field; the fields are threads, registers, shared_memory",
        ),
        ({**ADA, "threads": 0}, "threads: 0 is not allowed"),
        ({**ADA, "threads": -1}, "threads: -1 is not allowed"),
        ({**ADA, "threads": "25.6"}, "threads: '25.6' is not allowed; give a whole number of threads"),
        ({**ADA, "static_shared": "12 kB"}, "static_shared: '12 kB' is not allowed; give bytes"),
        ({**ADA, "grid": 0}, "grid: 0 is not allowed"),
        ({**ADA, "grid": "many"}, "grid: 'many' is not allowed"),
        ({**ADA, "rules": "12.0"}, "rules: '12.0' is not allowed; give one of 13.0"),
        ({**ADA, "rules": 13.5}, "rules: 13.5 is not allowed"),
        ({**ADA, "threads": 256.0}, "threads: 256.0 is not allowed"),
        ({**ADA, "threads": True}, "threads: True is not allowed"),
        ({**ADA, "threads": 2**31}, "threads: 2147483648 is not allowed"),
        ({**ADA, "registers": None}, "registers: None is not allowed"),
        ({**ADA, "registers": [64]}, "registers: [64] is not allowed"),
        ({**ADA, "registers": 10**4000}, "registers: a number of more than 77 digits is not allowed"),
        ({**ADA, "static_shared": -1}, "static_shared: -1 is not allowed"),
        ({**ADA, "dynamic_shared": 2**64}, "dynamic_shared: 18446744073709551616 is not allowed"),
        ({**ADA, "max_dynamic_shared": 2**65}, "max_dynamic_shared: "),
        ({**ADA, "opt_in": 1}, "opt_in: 1 is not allowed"),
        ({**ADA, "carveout": 101}, "carveout: 101 is not allowed"),
        ({**ADA, "carveout": -2}, "carveout: -2 is not allowed"),
        ({**ADA, "barriers": -1}, "barriers: -1 is not allowed"),
        ({**ADA, "partitioned_caching": "yes"}, "partitioned_caching: 'yes' is not allowed"),
        ({**ADA, "thread": 5}, "thread: not a field; the fields are threads, registers"),
        (b'{"device": "8.9", "threads": ' + b"9" * 9000 + b', "registers": 1}', "threads: 9999999999… (9000 digits)"),
        (b'{"device": "8.9", "threads": 1e999, "registers": 1}', "threads: inf is not allowed"),
        (b'{"device": "8.9", "threads": NaN, "registers": 1}', "threads: nan is not allowed"),
    ],
)
def test_a_bad_line_is_an_error_naming_its_field(line: object, said: str) -> None:
    made = answer(line)
    assert list(made) == ["error"]
    assert made["error"].startswith(said)
    assert len(made["error"]) < 600


def test_sizes_may_have_units_and_a_grid_adds_waves() -> None:
    assert answer({**ADA, "static_shared": "12KiB"}) == answer({**ADA, "static_shared": 12_288})
    made = answer({**ADA, "grid": 1000})
    assert (made["waves"]["per_wave"], made["waves"]["full"], made["waves"]["tail"]) == (4 * 128, 1, 488)
    assert "waves" not in answer({**ADA, "threads": 2000, "grid": 10})
    older = answer({"device": "10.3", "threads": 64, "registers": 32, "barriers": 2, "rules": "13.2"})
    assert older["limits"]["barriers"]["blocks"] == 32


def test_a_huge_but_legal_launch_is_answered() -> None:
    made = answer({**ADA, "threads": 2**31 - 1, "registers": 2**31 - 1, "static_shared": 2**63})
    assert made["blocks"] == 0
    assert "2,147,483,647 threads" in made["reason"]


def test_bad_lines_stop_nothing_and_keep_their_place() -> None:
    good = json.dumps(ADA).encode()
    found = answers(b"\n".join([good, b"{", good, b"", b"\xff", good]))
    assert ["error" in made for made in found] == [False, True, False, True, True, False]
    assert found[0] == found[2] == found[5]


def test_line_ends_and_a_byte_order_mark() -> None:
    good = json.dumps(ADA).encode()
    assert answers(b"") == []
    assert answers(good) == answers(good + b"\n") == answers(good + b"\r\n") == answers(b"\xef\xbb\xbf" + good)
    assert len(answers(b"\n\n")) == 2


def test_an_overlong_line_is_one_error() -> None:
    good = json.dumps(ADA).encode()
    huge = b'{"device": "' + b"x" * (3 * jsonl.LONGEST_LINE) + b'"}'
    for data in (huge + b"\n" + good, good + b"\n" + huge, huge, huge + b"\n"):
        found = answers(data)
        assert len(found) == data.count(good) + 1
        (error,) = [made["error"] for made in found if "error" in made]
        assert error.startswith("line: longer than")


def test_the_written_line_is_the_record() -> None:
    write = records.Lines().line
    for name in ("5.2", "8.6", "9.0", "12.0"):
        for threads, registers, barriers in ((32, 0, 0), (256, 64, 2), (1024, 255, 1), (2000, 300, 99)):
            device = nvidia.device(name)
            found = device.occupancy(nvidia.Launch(threads, registers, 512, 4096, barriers=barriers))
            assert write(found) == json.dumps(records.record(found)) + "\n"


def test_devices_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    find = devices.find
    monkeypatch.setattr(devices, "find", lambda name: (asked.append(name), find(name))[1])
    found = jsonl.Answers()
    for _ in range(3):
        found.line(json.dumps({**ADA, "device": "rtx 3090"}).encode())
        found.line(json.dumps({**ADA, "device": "rtx 9999"}).encode())
    assert asked == ["rtx 3090", "rtx 9999"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=5,
)
legal = st.fixed_dictionaries(
    {
        "device": st.sampled_from([*nvidia.CHIPS, "rtx 4090"]),
        "threads": st.integers(1, 2048),
        "registers": st.integers(0, 300),
    },
    optional={
        "static_shared": st.integers(0, 300_000),
        "dynamic_shared": st.integers(0, 300_000),
        "max_dynamic_shared": st.none() | st.integers(0, 300_000),
        "opt_in": st.booleans(),
        "carveout": st.none() | st.integers(-1, 100),
        "barriers": st.integers(0, 100),
        "partitioned_caching": st.sampled_from(["off", "on", "strict"]),
        "cluster": st.sampled_from([1, 2, 8]),
        "virtual": st.integers(0, 130),
        "cache_preference": st.sampled_from(["none", "l1"]),
    },
)
spoilt = st.builds(
    lambda launch, name, value: {**launch, name: value},
    legal,
    st.sampled_from(["device", *(field.name for field in nvidia.Launch.FIELDS), "grid", "rules", ""]),
    values,
)
lines = st.one_of(
    legal.map(lambda made: json.dumps(made).encode()),
    spoilt.map(lambda made: json.dumps(made).encode()),
    values.map(lambda made: json.dumps(made).encode()),
    st.binary(max_size=60).map(lambda noise: noise.replace(b"\n", b"")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(lines, max_size=12))
def test_one_json_object_a_line_in_order(given_lines: list[bytes]) -> None:
    data = b"".join(line + b"\n" for line in given_lines)
    found = answers(data)
    assert len(found) == len(given_lines)
    one_by_one = jsonl.Answers()
    assert found == [json.loads(one_by_one.line(line)) for line in given_lines]
    for made in found:
        assert ("error" in made) != ("blocks" in made)
        assert "error" in made or ("reason" in made) == (made["blocks"] == 0)


@settings(max_examples=150, deadline=None)
@given(legal)
def test_a_legal_line_is_what_the_package_answers(made: dict[str, Any]) -> None:
    fields = {name: value for name, value in made.items() if name != "device"}
    if fields.get("carveout") == -1:
        fields["carveout"] = None
    found = devices.find(made["device"]).occupancy(nvidia.Launch(**fields))
    known = records.clusters(found)
    more = {} if known is None else {"clusters": known}
    assert answer(made) == json.loads(json.dumps({**records.record(found), **more}))


def test_each_line_is_answered_before_the_next_is_sent() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "occusite", "occupancy", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        for threads in (128, 256):
            process.stdin.write(json.dumps({**ADA, "threads": threads}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["warps"] == 32
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 0
