"""The working of AMD launches: a line a budget, with its numbers."""

from __future__ import annotations

from occusite import amd


def lines(rules: str, launch: amd.Launch, target: str = "gfx90a") -> list[tuple[str, str, int | None]]:
    answer = amd.device(target, rules).occupancy(launch)
    return [(step.budget, step.text(), step.value) for step in answer.steps]


def test_hardware() -> None:
    assert lines("hardware", amd.Launch(512, 150, 32, 1000, agprs=10)) == [
        ("", "⌈512 work-items ÷ 64⌉", 8),
        ("vgprs", "⌈150 ÷ 4⌉ × 4 + 10", 162),
        ("vgprs", "⌊512 ÷ (⌈162 ÷ 8⌉ × 8)⌋", 3),
        ("vgprs", "⌊3 × 4 SIMDs ÷ 8⌋", 1),
        ("sgprs", "⌊800 ÷ (⌈32 ÷ 16⌉ × 16 + 16)⌋", 16),
        ("sgprs", "⌊16 × 4 SIMDs ÷ 8⌋", 8),
        ("lds", "⌊65,536 B ÷ (⌈1,000 ÷ 512⌉ × 512)⌋", 64),
        ("waves", "⌊32 slots ÷ 8⌋", 4),
        ("groups", "16 barriers", 16),
        ("", "8 waves, of 32 slots: 25 %", 8),
    ]


def test_cu_mode_counts_both_cus() -> None:
    found = lines("hardware", amd.Launch(256, 32, lds=40 * 1024, cu_mode=True), "gfx1030")
    assert ("lds", "2 CUs × ⌊65,536 B ÷ (⌈40,960 ÷ 1,024⌉ × 1,024)⌋", 2) in found
    assert ("waves", "2 CUs × ⌊32 slots ÷ 8⌋", 8) in found


def test_compiler_raises_registers() -> None:
    found = lines("llvm-24", amd.Launch(384, 4), "gfx906")
    assert ("vgprs", "4 → 25", 25) in found
    assert ("sgprs", "65 SGPRs", 8) in found
    assert ("waves", "384 to 384 work-items", 9) in found
    assert found[-1] == ("", "32 waves, of 40 slots: 80 %", 32)
