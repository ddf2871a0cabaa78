"""The working of Intel launches: a line a budget, with its numbers."""

from __future__ import annotations

from occusite import intel


def test_lines() -> None:
    answer = intel.device("pvc").occupancy(intel.Launch(256, 32, 40 * 1024, barrier=True))
    assert [(step.budget, step.text(), step.value) for step in answer.steps] == [
        ("", "⌈256 work-items ÷ 32⌉", 8),
        ("threads", "⌊64 threads ÷ 8⌋", 8),
        ("slm", "40,960 → 49,152", 49_152),
        ("slm", "⌊131,072 B ÷ 49,152 B⌋", 2),
        ("barriers", "64 registers", 64),
        ("", "2 work-groups × 8 threads, of 64: 25 %", 16),
    ]
