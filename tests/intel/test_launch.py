"""The launch in Intel's words: every field checked by name."""

from __future__ import annotations

from dataclasses import fields

import pytest

from occusite.intel import Launch
from occusite.model.fields import build


def test_fields_are_the_launch() -> None:
    assert [f.name for f in Launch.FIELDS] == [f.name for f in fields(Launch)]


@pytest.mark.parametrize("name", [f.name for f in Launch.FIELDS])
@pytest.mark.parametrize("value", [-1, 1.5, 2**70])
def test_nonsense_names_the_field(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name}: .* is not allowed"):
        build(Launch, {"work_items": 64, "sub_group": 16} | {name: value})
