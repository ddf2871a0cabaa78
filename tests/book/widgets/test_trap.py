"""The trap: what each register cap costs and brings, against rows of the compiler's own figures typed here."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from occusite.book import widgets
from occusite.book.content import spills
from tests.book.by_hand import resident
from tests.book.seen import controls, parsed, slots, words

TRAP = widgets.load("trap")

# kernel, architecture, cap: the sentence. On sm_86 the SGEMM takes 129 registers without a cap: 4 × ⌊16,384 ÷ 4,352⌋ ÷ 8
# = 1 block of 8 warps. 80 registers leave 3 blocks, 128 leave 2; its 16 KiB, and 1 of reserve, 5.
TABLE = [
    ("sgemm8x8", "sm_86", 80, "24 warps, 1236 bytes of spill code 80 registers per thread; what binds: registers. 16 warps more than without a cap. The spill code moves 1236 bytes for each thread, every time it runs."),
    ("sgemm8x8", "sm_86", 128, "16 warps, no bytes of spill code 128 registers per thread; what binds: registers. 8 warps more than without a cap, and nothing spilled. What else it gave up, the log does not say."),
    ("sgemm8x8", "sm_86", 24, "40 warps, 7128 bytes of spill code 24 registers per thread; what binds: shared memory. 32 warps more than without a cap. The spill code moves 7128 bytes for each thread, every time it runs."),
    ("sgemm8x8", "sm_86", 255, "8 warps, no bytes of spill code 131 registers per thread; what binds: registers. Without a cap the compiler takes 129: this cap changes no block."),
    # On Hopper a warp of 81 registers takes 2,816, of 128 takes 4,096: 4 × 5 ÷ 8 = 2 and 4 × 4 ÷ 8 = 2 blocks.
    ("sgemm8x8", "sm_90", 81, "16 warps, 840 bytes of spill code 81 registers per thread; what binds: registers. Without a cap the compiler takes 128, as many warps are resident, and nothing is spilled."),
    ("sgemm8x8", "sm_90", 193, "8 warps, no bytes of spill code 131 registers per thread; what binds: registers. Without a cap the compiler takes 128 and 8 warps more are resident: this cap costs warps."),
    # 128 threads: four warps a block; 40 registers leave 12 blocks, 56 nine, 64 eight.
    ("nbody", "sm_86", 40, "48 warps, no bytes of spill code 40 registers per thread; what binds: registers + warp slots. 12 warps more than without a cap, and nothing spilled. What else it gave up, the log does not say."),
    ("nbody", "sm_86", 64, "32 warps, no bytes of spill code 64 registers per thread; what binds: registers. Without a cap the compiler takes 56 and 4 warps more are resident: this cap costs warps."),
    ("stencil", "sm_86", 32, "48 warps, 12 bytes of spill code 32 registers per thread; what binds: warp slots. 16 warps more than without a cap. The spill code moves 12 bytes for each thread, every time it runs."),
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
    assert view.parts["spills"].alt.startswith(
        f"Bytes of the spill instructions against the register cap, {name} on {architecture}: "
    )


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
        capability = f"{architecture[3:-1]}.{architecture[-1]}"

        def warps(row: dict[str, int]) -> int:
            return resident(capability, row["threads"], row["registers"], row["shared"]) * row["threads"] // 32  # noqa: B023

        without, taken = warps(rows[0]), rows[0]["registers"]
        for cap in [c for c in rows if c >= 24]:
            said = words(TRAP.view(kernel, architecture, cap).status)
            spilled, here = rows[cap]["spill_stores"] + rows[cap]["spill_loads"], warps(rows[cap])
            head = (
                f"{here} warps, {spilled or 'no'} bytes of spill code {rows[cap]['registers']} registers per thread; "
            )
            assert said.startswith(head)
            if here > without:
                assert f"{here - without} warps more than without a cap" in said
                assert (f"The spill code moves {spilled} bytes" in said) == bool(spilled)
                assert ("and nothing spilled" in said) == (not spilled)
            elif here < without:
                assert said.endswith(
                    f"takes {taken} and {without - here} warps more are resident: this cap costs warps."
                )
            else:
                same = (
                    "as many warps are resident, and nothing is spilled." if spilled else "this cap changes no block."
                )
                assert f"Without a cap the compiler takes {taken}" in said and said.endswith(same)


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
