"""Stack memory: stack × threads an SM holds × SMs."""

from __future__ import annotations

from typing import Any

import pytest

from occusite import devices, nvidia
from occusite.nvidia.stack import DEFAULT, stack_memory


def test_by_hand() -> None:
    board: Any = devices.find("rtx 4090")
    assert stack_memory(board, 10_000) == (10_000, 1536, 128, 10_000 * 1536 * 128)
    board = devices.find("H100 SXM")
    assert stack_memory(board, DEFAULT).at_least == 264 * 1024**2  # 1 KiB × 2,048 × 132


def test_no_stack_takes_nothing() -> None:
    assert stack_memory(nvidia.device("8.9"), 0).at_least == 0


def test_refused() -> None:
    with pytest.raises(ValueError, match=r"^per_thread: -1 is not allowed; give a whole number, 0 or more bytes$"):
        stack_memory(nvidia.device("8.9"), -1)
    with pytest.raises(ValueError, match=r"^sm_count: not known"):
        stack_memory(nvidia.Device("8.9", sm_count=None), 8)
