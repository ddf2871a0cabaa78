"""The trap: what each register cap costs and brings, against rows of the compiler's own figures typed here."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from occusite.book import widgets
from occusite.book.content import spills
from tests.book.seen import controls, parsed, slots, words

TRAP = widgets.load("trap")

# kernel, architecture, cap: the sentence. On sm_86 the SGEMM takes 129 registers without a cap: 4 × ⌊16,384 ÷ 4,352⌋ ÷ 8
# = 1 block of 8 warps. 80 registers leave 3 blocks, 128 leave 2; its 16 KiB, and 1 of reserve, 5.
TABLE = [
    ("sgemm8x8", "sm_86", 80, "24 warps, 1236 bytes spilled 80 registers; registers bind. 16 warps more than without a cap, each thread paying 1236 bytes of spill traffic."),
    ("sgemm8x8", "sm_86", 128, "16 warps, no bytes spilled 128 registers; registers bind. 8 warps more than without a cap, and nothing spilled: a gift."),
    ("sgemm8x8", "sm_86", 24, "40 warps, 7128 bytes spilled 24 registers; shared memory binds. 32 warps more than without a cap, each thread paying 7128 bytes of spill traffic."),
    ("sgemm8x8", "sm_86", 255, "8 warps, no bytes spilled 131 registers; registers bind. The compiler takes 129 without a cap: this one changes no block."),
    # On Hopper a warp of 81 registers takes 2,816, of 128 takes 4,096: 4 × 5 ÷ 8 = 2 and 4 × 4 ÷ 8 = 2 blocks.
    ("sgemm8x8", "sm_90", 81, "16 warps, 840 bytes spilled 81 registers; registers bind. Without a cap: the same warps with 128 registers, and nothing spilled for nothing."),
    ("sgemm8x8", "sm_90", 193, "8 warps, no bytes spilled 131 registers; registers bind. 8 warps fewer than without a cap, where the compiler takes 128: allowed more, it takes more."),
    # 128 threads: four warps a block; 40 registers leave 12 blocks, 56 nine, 64 eight.
    ("nbody", "sm_86", 40, "48 warps, no bytes spilled 40 registers; registers + warp slots bind. 12 warps more than without a cap, and nothing spilled: a gift."),
    ("nbody", "sm_86", 64, "32 warps, no bytes spilled 64 registers; registers bind. 4 warps fewer than without a cap, where the compiler takes 56: allowed more, it takes more."),
    ("stencil", "sm_86", 32, "48 warps, 12 bytes spilled 32 registers; warp slots bind. 16 warps more than without a cap, each thread paying 12 bytes of spill traffic."),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "architecture", "cap", "said"), TABLE)
def test_a_cap(kernel: str, architecture: str, cap: int, said: str) -> None:
    view = TRAP.view(kernel, architecture, cap)
    assert words(view.status) == said
    assert said.startswith(words(parsed(view.status).strong))
    assert list(view.parts) == ["stairs", "spills"]
    assert all(part.datasets["here"] == [{"x": cap}] for part in view.parts.values())
    name = {"sgemm8x8": "SGEMM, 8 × 8 results per thread", "nbody": "n-body", "stencil": "stencil"}[kernel]
    assert view.parts["stairs"].alt.startswith(f"Resident warps against the register cap, {name} on {architecture}. ")
    assert view.parts["spills"].alt.startswith(f"Spilled bytes against the register cap, {name} on {architecture}: ")


def figures() -> dict[tuple[str, str], dict[int, dict[str, int]]]:
    """The compiler's figures as the file has them."""
    path = Path(spills.__file__).parents[2] / "data" / "spills.csv"
    found: dict[tuple[str, str], dict[int, dict[str, int]]] = defaultdict(dict)
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()[1:]):
        key = row.pop("kernel"), row.pop("architecture")
        found[key][int(row["cap"])] = {name: int(value) for name, value in row.items()}
    return found


@pytest.mark.parametrize("kernel", spills.KERNELS)
def test_the_words_weigh_what_is_won_against_what_is_spilled(kernel: str) -> None:
    """Every compiled cap on two architectures: more warps or fewer, spilled or not, is told as it is."""
    for architecture in ("sm_86", "sm_90"):
        rows = figures()[kernel, architecture]
        free = words(TRAP.view(kernel, architecture, 255).status)
        assert free
        without = spills.build(0, kernel, architecture).occupancy().warps
        for cap in [c for c in rows if c >= 24]:
            said = words(TRAP.view(kernel, architecture, cap).status)
            bytes_spilled = rows[cap]["spill_stores"] + rows[cap]["spill_loads"]
            warps = int(said.split()[0])
            assert f"{bytes_spilled or 'no'} bytes spilled {rows[cap]['registers']} registers;" in said
            assert ("gift" in said) == (warps > without and not bytes_spilled)
            assert (f"paying {bytes_spilled} bytes" in said) == (warps > without and bytes_spilled > 0)
            assert (f"{without - warps} warps fewer" in said) == (warps < without)
            assert ("the same warps" in said or "changes no block" in said) == (warps == without)
            assert warps == without or f"{abs(warps - without)} warps {'more' if warps > without else 'fewer'}" in said


def test_limiters_have_their_colours() -> None:
    assert slots(TRAP.view("nbody", "sm_86", 40).status) == ["registers", "warps"]


def test_the_controls() -> None:
    assert TRAP.title == "The trap: a register cap on a real kernel"
    assert controls(TRAP) == [
        (
            *("kernel", "Kernel"),
            {"sgemm8x8": "SGEMM, 8 × 8 results per thread", "nbody": "n-body", "stencil": "stencil"},
            "sgemm8x8",
        ),
        (
            *("architecture", "Architecture"),
            {
                "sm_75": "sm_75 · Turing",
                "sm_80": "sm_80 · Ampere",
                "sm_86": "sm_86 · Ampere",
                "sm_89": "sm_89 · Ada",
                "sm_90": "sm_90 · Hopper",
                "sm_100": "sm_100 · Blackwell",
                "sm_120": "sm_120 · Blackwell",
            },
            "sm_86",
        ),
        ("cap", "Register cap", 24, 255, 1, 80, "", "registers"),
    ]
