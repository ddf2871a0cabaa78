"""The launch in AMD's words: every field checked by name."""

from __future__ import annotations

from dataclasses import fields

import pytest

from occusite.amd import Launch
from occusite.model.fields import build


def test_fields_are_the_launch() -> None:
    assert [f.name for f in Launch.FIELDS] == [f.name for f in fields(Launch)]


@pytest.mark.parametrize("name", [f.name for f in Launch.FIELDS if f.whole])
@pytest.mark.parametrize("value", [-1, 1.5, True, 2**70])
def test_nonsense_names_the_field(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name}: .* is not allowed"):
        build(Launch, {"work_items": 64, "vgprs": 8} | {name: value})


def test_wave_size_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="wave_size: 48 is not allowed; give 32, 64, or None"):
        Launch(64, 8, wave_size=48)


def test_text_is_read() -> None:
    launch = build(Launch, {"work_items": "256", "vgprs": "84", "lds": "4KiB", "cu_mode": "yes"})
    assert launch == Launch(256, 84, lds=4096, cu_mode=True)
