"""Devices by name: "8.9", "sm_90a", "rtx 4090", "H100 SXM", "paper"; an unknown name lists near matches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from occusite import nvidia

if TYPE_CHECKING:
    from occusite.result import Device

_ARCHITECTURE = re.compile(r"(?:(?:sm|compute|cc)[_ ]?)?(\d{1,2})(\.?)(\d)[af]?", re.IGNORECASE)


def find(name: str) -> Device:
    """The device of that name.

    Raises `ValueError` for a name nothing matches, with near matches.
    """
    text = str(name).strip()
    if text.lower() in ("paper", "paper sm"):
        from occusite import paper

        return paper.SM()
    found = _ARCHITECTURE.fullmatch(text)
    if found and (capability := f"{found[1]}.{found[3]}") in nvidia.CHIPS:
        return nvidia.device(capability)
    raise ValueError(f"device: {name!r} is not known; give one of {', '.join(nvidia.CHIPS)}")
