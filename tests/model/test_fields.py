"""A launch's fields: what they let through, what they read from text, and launches built from mappings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import nvidia, paper
from occusite.model.fields import MOST_BYTES, REQUIRED, Field, build, changed, checker, size

KINDS = (nvidia.Launch, paper.Launch)
NVIDIA = {field.name: field for field in nvidia.Launch.FIELDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_are_those_of_the_dataclass_with_their_defaults(kind: Any) -> None:
    own = {f.name: f.default for f in fields(kind)}
    assert list(own) == [field.name for field in kind.FIELDS]
    for field in kind.FIELDS:
        if field.default is REQUIRED:
            assert repr(own[field.name]).startswith("<dataclasses._MISSING_TYPE")
        else:
            assert own[field.name] == field.default


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: Any) -> None:
    for field in kind.FIELDS:
        assert field.label and field.help.endswith(".")
        assert field.kind in ("count", "bytes", "percent", "flag", "choice")
        assert bool(field.unit) == field.whole
        assert bool(field.choices) == (field.kind == "choice")


@pytest.mark.parametrize("device", [nvidia.device("9.0"), paper.SM()])
def test_what_a_field_eases_is_a_budget_and_its_range_is_legal(device: Any) -> None:
    for field in device.launch_type.FIELDS:
        assert field.eases in ("", *(budget.key for budget in device.budgets))
        if field.whole:
            low, high = device.range(field)
            assert field.low <= low <= high
            assert field.high is None or high <= field.high


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("threads", "256", 256),
        ("threads", " 32 ", 32),
        ("static_shared", "48KiB", 49_152),
        ("static_shared", "1m", 1_048_576),
        ("dynamic_shared", "7 b", 7),
        ("max_dynamic_shared", "none", None),
        ("carveout", "default", None),
        ("carveout", "-1", -1),
        ("opt_in", "no", False),
        ("opt_in", "True", True),
        ("partitioned_caching", "strict", "strict"),
    ],
)
def test_text_is_read_as_the_field_means_it(name: str, text: str, value: object) -> None:
    assert NVIDIA[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("threads", "x", "threads: 'x' is not allowed; give a whole number of threads"),
        ("threads", "1.5", "threads: '1.5' is not allowed"),
        ("threads", "", "threads: '' is not allowed"),
        ("static_shared", "4 kB", "static_shared: '4 kB' is not allowed; give bytes"),
        ("opt_in", "maybe", "opt_in: 'maybe' is not allowed; give yes or no"),
        ("cache_preference", "L2", "cache_preference: 'L2' is not allowed; give one of none, shared, l1, equal"),
    ],
)
def test_text_that_means_nothing_names_the_field(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        NVIDIA[name].parse(text)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("text", ["yes", "true", "on", "1", " YES "])
def test_words_for_yes(text: str) -> None:
    assert NVIDIA["opt_in"].parse(text) is True


@pytest.mark.parametrize("text", ["no", "false", "off", "0", "Off"])
def test_words_for_no(text: str) -> None:
    assert NVIDIA["opt_in"].parse(text) is False


@pytest.mark.parametrize(
    ("text", "size_in_bytes"),
    [("3", 3), ("3b", 3), ("3 K", 3072), ("3kib", 3072), ("3m", 3_145_728), ("3 MiB", 3_145_728)],
)
def test_units_of_size(text: str, size_in_bytes: int) -> None:
    assert size("any", text) == size_in_bytes


def test_a_size_that_is_none_shows_how_one_is_written() -> None:
    with pytest.raises(ValueError) as error:
        size("shared", "4 GB")
    assert str(error.value) == "shared: '4 GB' is not allowed; give bytes, like 4096, or KiB, like \"48KiB\""


def test_what_a_field_is_unless_it_says_otherwise() -> None:
    field = Field("n", "N", "things", "count")
    assert (field.low, field.high, field.default, field.choices, field.eases, field.since) == (
        0,
        2_147_483_647,
        REQUIRED,
        (),
        "",
        "",
    )
    assert field.rare is False and field.help == ""
    assert MOST_BYTES == 18_446_744_073_709_551_615
    # A field without `rare` is one that people set.
    assert not NVIDIA["registers"].rare and NVIDIA["virtual"].rare


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("opt_in", 1, "opt_in: 1 is not allowed; give True or False"),
        ("opt_in", None, "opt_in: None is not allowed; give True or False"),
        (
            "partitioned_caching",
            "maybe",
            "partitioned_caching: 'maybe' is not allowed; give one of off, on, strict",
        ),
        (
            "max_dynamic_shared",
            -1,
            f"max_dynamic_shared: -1 is not allowed; give a whole number, 0–{2**64 - 1} bytes, or None for the default",
        ),
        ("dynamic_shared", -1, f"dynamic_shared: -1 is not allowed; give a whole number, 0–{2**64 - 1} bytes"),
    ],
)
def test_a_value_that_is_not_allowed_names_what_is(name: str, value: object, said: str) -> None:
    for ask in (lambda: NVIDIA[name].check(value), lambda: nvidia.Launch(32, 32, **{name: value})):
        with pytest.raises(ValueError) as error:
            ask()
        assert str(error.value) == said


@pytest.mark.parametrize(
    ("name", "value"),
    [("opt_in", False), ("partitioned_caching", "on"), ("max_dynamic_shared", None), ("threads", 1)],
)
def test_what_is_allowed_is_kept(name: str, value: object) -> None:
    assert NVIDIA[name].check(value) == value
    assert getattr(nvidia.Launch(**{"threads": 32, "registers": 32, name: value}), name) == value


@dataclass(frozen=True)
class Two:
    """A launch of two fields, the last without an upper bound."""

    a: int
    b: int

    FIELDS: ClassVar = (Field("a", "A", "things", "count", 2, 5), Field("b", "B", "things", "count", 1, None))

    def __post_init__(self) -> None:
        _check_two(self)


_check_two = checker(Two.FIELDS)


@given(st.integers(0, 8), st.integers(-1, 3) | st.just(10**40))
def test_every_field_of_a_launch_is_checked_up_to_its_bounds(a: int, b: int) -> None:
    if 2 <= a <= 5 and b >= 1:
        assert Two(a, b) == Two(a, b)
    else:
        with pytest.raises(ValueError, match=r"^a: " if not 2 <= a <= 5 else r"^b: .* 1 or more things$"):
            Two(a, b)


@given(st.integers(0, 10**6))
def test_sizes_in_kib_are_1024_bytes(number: int) -> None:
    assert size("any", f"{number}KiB") == size("any", f"{number}k") == 1024 * size("any", str(number))


@pytest.mark.parametrize("kind", [np.int16, np.int64, np.uint8])
def test_whole_numbers_of_other_types_become_int(kind: Any) -> None:
    launch = nvidia.Launch(kind(64), kind(32), dynamic_shared=kind(16))
    assert launch == nvidia.Launch(64, 32, dynamic_shared=16)
    assert type(launch.threads) is type(launch.dynamic_shared) is int


@pytest.mark.parametrize("value", [np.float64(64), np.bool_(True), True, 64.0, "64", None])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^threads: .* is not allowed; give a whole number, 1–2147483647 threads"):
        nvidia.Launch(value, 32)


def test_a_count_beyond_what_a_launch_holds_is_refused_everywhere_alike() -> None:
    for ask in (lambda: nvidia.Launch(2**31, 32), lambda: build(nvidia.Launch, {"threads": 2**31, "registers": 32})):
        with pytest.raises(ValueError, match=r"^threads: 2147483648 is not allowed; give a whole number, 1–2147483647"):
            ask()


def test_build_reads_text_and_names_what_is_missing_or_unknown() -> None:
    assert build(nvidia.Launch, {"threads": "64", "registers": 32, "static_shared": "1KiB"}) == nvidia.Launch(
        64, 32, 1024
    )
    with pytest.raises(ValueError, match=r"^threads, registers: missing; give whole numbers"):
        build(nvidia.Launch, {})
    with pytest.raises(ValueError, match=r"^registers: missing; give a whole number"):
        build(nvidia.Launch, {"threads": 1})
    with pytest.raises(ValueError, match=r"^vgprs: not a field; the fields are threads, registers, static_shared"):
        build(nvidia.Launch, {"vgprs": 1})


def test_changed_leaves_defaults_out() -> None:
    assert changed(nvidia.Launch(64, 0, carveout=0)) == {"threads": 64, "registers": 0, "carveout": 0}
    assert list(changed(paper.Launch(64, 32, 5))) == ["threads", "registers", "shared_memory"]


def test_a_field_without_an_upper_bound() -> None:
    field = Field("n", "N", "things", "count", high=None, default=0)
    assert field.check(10**40) == 10**40
