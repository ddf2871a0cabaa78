"""Chapter 8's shares and workings, against counts made by the tests' own arithmetic, which the header's rows judge."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from occusite import nvidia
from occusite.book.content import silicon
from tests.book.by_hand import CHIPS, resident
from tests.book.seen import caption, cells, headings, marked, slots

KIB = 1024
REGISTER_LAUNCHES = list(product(range(32, 1025, 32), range(16, 256)))
RULES = {
    "register unit": {"unit": 1},
    "partitions": {"parts": 1},
    "both": {"unit": 1, "parts": 1},
    "shared memory’s reserve and unit": {"reserve": 0, "shared_unit": 1},
    "block slots": {"blocks": 32},
}


@cache
def counted(capability: str, rule: str) -> float:
    """The share of launches on which the arithmetic without a rule differs from that with it, in per cent."""
    without = RULES[rule]
    if "reserve" in without:
        sizes = range(512, CHIPS[capability].most * KIB + 1, 512)
        launches = [(threads, 32, size) for threads in range(32, 1025, 32) for size in sizes]
    else:
        launches = [(threads, registers, 0) for threads, registers in REGISTER_LAUNCHES]
    wrong = [x for x in launches if resident(capability, *x) != resident(capability, *x, **without)]
    return 100 * len(wrong) / len(launches)


@pytest.mark.parametrize("capability", ["6.0", "7.5", "8.0", "8.9"])
@pytest.mark.parametrize("rule", RULES)
def test_a_share_is_counted(capability: str, rule: str) -> None:
    assert silicon.ignored(capability)[rule] == pytest.approx(counted(capability, rule), abs=1e-9)


def test_the_shares_come_in_the_tables_order() -> None:
    assert list(silicon.ignored("8.9")) == list(RULES)


def test_a_share_in_a_sentence() -> None:
    assert silicon.share("8.9", "both") == f"{counted('8.9', 'both'):.0f}\u202f%"
    assert silicon.share("8.9", "register unit") == f"{counted('8.9', 'register unit'):.0f}\u202f%"
    assert silicon.share("8.9", "register unit") != silicon.share("8.9", "both")


def test_the_table_of_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row for each architecture from Maxwell on; a rule that never matters is 0, without a sign."""
    monkeypatch.setattr(silicon, "ignored", lambda capability: shares[capability])
    shares = {
        capability: {"a": 0.0, "b": 12.345, "c": 100.0, "d": 0.04, "e": float(i)}
        for i, capability in enumerate(nvidia.CHIPS)
    }
    table = silicon.rules_ignored()
    rows = cells(table)
    assert [row[0] for row in rows] == [c for c in nvidia.CHIPS if not c.startswith("3.")]
    assert rows[0][:6] == ["5.0", "Maxwell", "0", "12.3 %", "100.0 %", "0.0 %"]
    assert [row[1] for row in rows if row[0] in ("8.9", "9.0")] == ["Ada", "Hopper"]
    assert [row[6] for row in rows] == [f"{list(nvidia.CHIPS).index(row[0])}.0 %" for row in rows]
    assert caption(table) == "Launches answered wrongly when a rule is ignored"
    assert headings(table) == [
        *("CC", "family", "register unit", "partitions", "both of these"),
        *("shared memory’s reserve and unit", "block slots (32 for all)"),
    ]


def test_a_device_without_a_rule_keeps_the_others() -> None:
    ada = nvidia.device("8.9")
    bare = silicon.without(ada, reserve=True, register_unit=1)
    assert bare.reserved_shared_memory == 0 and ada.reserved_shared_memory == KIB
    assert bare.allocation == ada.allocation._replace(register_unit=1)
    assert ada.allocation.register_unit == 256
    # 41 registers, taken as they are: 4 × ⌊16,384 ÷ 1,312⌋ ÷ 8 = 6 blocks; as the chip takes them five.
    launch = nvidia.Launch(256, 41)
    assert (bare.occupancy(launch).blocks, ada.occupancy(launch).blocks) == (6, 5)
    assert silicon.without(ada).reserved_shared_memory == KIB


def test_the_working_of_a_launch() -> None:
    table = silicon.on_chip("8.6", 200, 42, 16)
    assert cells(table) == [
        ["", "⌈200 threads ÷ 32⌉", "7 warps per block", "a block is made of whole warps"],
        ["registers", "42 × 32 threads = 1344; ⌈1344 ÷ 256⌉ × 256", "1536 registers per warp", "registers are allocated per warp, in units of 256"],
        ["registers", "⌈7 ÷ 4⌉ × 4 = 8 warps × 1536 = 12 288 ≤ 65 536", "12 288 registers checked per block", "the launch check counts a block’s warps rounded up to 4 partitions, against registers per block"],
        ["registers", "⌊65 536 ÷ 4 partitions = 16 384, ÷ 1536⌋ = 10 × 4 partitions", "40 warps", "a warp’s registers lie in one partition of the register file"],
        ["registers", "⌊40 warps ÷ 7⌋", "5 blocks", "blocks are resident whole"],
        ["shared memory", "0 static + 16 384 dynamic + 1024 reserved = 17 408; ⌈17 408 ÷ 128⌉ × 128", "17 408 bytes per block", "allocated in units of 128 bytes, with the part the system reserves in every block"],
        ["shared memory", "driver’s default: 102 400 bytes", "102 400 bytes per SM", "the SM’s shared memory is set to one of 0, 8, 16, 32, 64, 100 KiB, and to what one block needs"],
        ["shared memory", "⌊102 400 B ÷ 17 408 B⌋", "5 blocks", "each block keeps its shared memory while it is resident"],
        ["warp slots", "⌊48 slots ÷ 7⌋", "6 blocks", "a warp needs a slot"],
        ["block slots", "16 slots", "16 blocks", "a block needs a slot"],
        ["", "min(5, 5, 6, 16)", "5 resident blocks", "blocks are resident whole"],
        ["", "5 blocks × 7 warps, of 48 slots: 72.92 %", "35 resident warps", "occupancy is resident warps ÷ warp slots"],
    ]  # fmt: skip
    assert marked(table) == [4, 7]
    assert caption(table) == "The working, step by step"
    assert headings(table) == ["budget", "arithmetic", "comes to", "why"]
    assert slots(table.html()) == ["registers"] * 4 + ["memory"] * 3 + ["warps", "blocks"]


def test_no_limit_is_no_number() -> None:
    rows = cells(silicon.on_chip("7.5", 256, 32))
    assert ["shared memory", "none used: no limit", "no limit (blocks)", "no shared memory, no limit"] in rows
    assert silicon.on_chip("7.5", 256, 32).html() == silicon.on_chip("7.5", 256, 32, 0).html()


def test_what_one_sm_has() -> None:
    table = silicon.limits_by_architecture()
    rows = {row[0]: row[1:] for row in cells(table)}
    assert list(rows) == [c for c in nvidia.CHIPS if not c.startswith("3.")]
    for capability, chip in CHIPS.items():
        found = [*map(str, (chip.warps, chip.blocks)), "65 536", *map(str, (chip.shared, chip.most, chip.reserve))]
        assert rows[capability][1:] == found
    assert [rows[c][0] for c in ("5.0", "6.0", "7.0", "7.5", "8.0", "8.9", "9.0")] == [
        *("Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Ada", "Hopper")
    ]
    assert caption(table) == "What one SM has"
    assert headings(table) == [
        *("CC", "family", "warp slots", "block slots", "registers"),
        *("shared (KiB)", "most per block (KiB)", "reserve (bytes)"),
    ]
