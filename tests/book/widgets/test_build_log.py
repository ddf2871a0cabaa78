"""The paste box: one row a kernel, each cell worked out by hand; what is unknown, refused or cut is told so."""

from __future__ import annotations

from typing import Any

import pytest

from occusite.book import widgets
from occusite.book.widgets import build_log
from occusite.reports import KernelReport
from tests.book.seen import caption, cells, controls, headings, parsed, slots, words

BUILD_LOG = widgets.load("build_log")
YOURS = "A report does not know the block size or the dynamic shared memory: these are yours,"
TWO = """\
ptxas info    : Compiling entry function '_Z1afi' for 'sm_89'
ptxas info    : Function properties for _Z1afi
    0 bytes stack frame, 12000 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 19456 bytes smem
ptxas info    : Compiling entry function '_Z1bfi' for 'sm_89'
ptxas info    : Function properties for _Z1bfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers
"""
A, B = ["asm_89", "64", "19 456", "12 008"], ["bsm_89", "255", "0", "0"]
FULL = "one block does not fit: it is checked as 262 144 registers (32 warps rounded up to a multiple of 4), a block may have 65 536"
REFUSED = ["–", "code for sm_89 does not run on compute capability 8.6 (Ampere)", ""]

# What is set, and the last three cells of each kernel: warps, what binds, the next step up.
TABLE: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    # 64 registers: 4 × 8 ÷ 8 = 4 blocks; 20 KiB each leave five. 48 registers: 4 × 10 ÷ 8 = 5.
    # 255 registers take 8,192 a warp: 4 × 2 ÷ 8 = 1; 128 take 4,096.
    "as they are": (
        {},
        ["32 (67 %)", "registers", "16 registers fewer: 40 warps"],
        ["8 (17 %)", "registers", "127 registers fewer: 16 warps"],
    ),
    # 32 warps of 2,048 fill the file, and 48 slots hold one such block; 32 of 8,192 do not fit.
    "larger blocks": (
        {"threads": 1024},
        ["32 (67 %)", "registers + warp slots", "–"],
        ["0", f"cannot launch: {FULL}", ""],
    ),
    # 19 and 90 KiB are more than 99; 91 leave one block, and two want 50 each, 49 without the reserve.
    "dynamic shared memory": (
        {"dynamic": 90},
        ["0", "cannot launch: one block does not fit: it asks for 92 160 bytes of dynamic shared memory, the device leaves 81 920", ""],
        ["8 (17 %)", "registers + shared memory", "registers 255 → 128 and dynamic shared 92 160 → 50 176: 16 warps"],
    ),
    "another GPU": ({"device": "8.6"}, REFUSED, REFUSED),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_two_kernels(case: str) -> None:
    given, first, second = TABLE[case]
    view = BUILD_LOG.view(**BUILD_LOG.parse({"log": TWO} | given))
    assert cells(view.parts["kernels"]) == [[*A, *first], [*B, *second]]
    assert caption(view.parts["kernels"]) == "What each kernel gets"
    columns = "kernel, registers, static shared, bytes, spills, bytes, warps, what binds, next step up"
    assert ", ".join(headings(view.parts["kernels"])) == columns
    assert view.parts["notes"] == ""
    threads, dynamic = given.get("threads", 256), given.get("dynamic", 0)
    assert words(view.status) == f"2 kernels read {YOURS} {threads} threads and {dynamic} KiB."
    assert words(parsed(view.status).strong) == "2 kernels read"


def test_the_limiters_have_their_colours_and_the_architecture_is_small() -> None:
    table = BUILD_LOG.view(**BUILD_LOG.parse({"log": TWO, "dynamic": 90})).parts["kernels"]
    assert slots(table.html()) == ["registers", "memory"]
    first = parsed(table.html()).select_one("tbody th")
    assert first is not None and str(first.decode_contents()) == "a<br/><small>sm_89</small>"


def test_the_books_sample() -> None:
    view = BUILD_LOG.view(**BUILD_LOG.parse({}))
    assert [row[:1] + row[4:] for row in cells(view.parts["kernels"])] == [
        # 32 registers: 4 × 16 ÷ 8 = 8 blocks, as the slots; 24: 4 × 21 ÷ 8 = 10; 128: 4 × 4 ÷ 8 = 2, 80: 4 × 6 ÷ 8 = 3.
        ["matmul_tiledsm_90", "64 (100 %)", "registers + warp slots", "all 64 warp slots are taken"],
        ["softmax_rowssm_90", "64 (100 %)", "warp slots", "all 64 warp slots are taken"],
        ["sgemm8x8sm_90", "16 (25 %)", "registers", "48 registers fewer: 24 warps"],
        ["gather_localsm_90", "64 (100 %)", "registers + warp slots", "all 64 warp slots are taken"],
        ["solve16_spillsm_90", "32 (50 %)", "registers", "16 registers fewer: 40 warps"],
    ]
    assert words(view.status) == f"5 kernels read {YOURS} 256 threads and 0 KiB."


def test_nothing_pasted() -> None:
    view = BUILD_LOG.view(**BUILD_LOG.parse({"log": " \n"}))
    assert words(view.status) == "Nothing pasted yet Paste a build log made with -Xptxas -v."
    assert [words(e) for e in parsed(view.status).select("strong, code")] == ["Nothing pasted yet", "-Xptxas -v"]
    assert view.parts == {"kernels": "", "notes": ""}


def shown(monkeypatch: pytest.MonkeyPatch, *reports: KernelReport, **given: object) -> Any:
    """The view of a log that reads as these reports."""
    monkeypatch.setattr(build_log, "read", lambda lines: list(reports))
    return BUILD_LOG.view(**BUILD_LOG.parse({"log": "a log"} | given))


def test_what_a_report_does_not_say_is_no_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    view = shown(monkeypatch, KernelReport(kernel="k<1>", architecture="sm_89"))
    [row] = cells(view.parts["kernels"])
    assert row == ["k<1>sm_89", "?", "?", "?", "–", "static_shared: this report does not say; give static_shared=…", ""]
    assert words(view.status).startswith("1 kernel read A report")


def test_a_report_without_an_architecture_asks_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    report = KernelReport(
        kernel="k", registers=40, static_shared=0, spill_stores=0, spill_loads=0, notes=("a note & more",)
    )
    view = shown(monkeypatch, report)
    [row] = cells(view.parts["kernels"])
    assert view.parts["notes"] == '<p class="occ-note">a note &amp; more</p>'
    assert row[4:] == ["–", "architecture: the report names none; say for which GPU", ""]
    [row] = cells(shown(monkeypatch, report, device="8.9").parts["kernels"])
    assert row[4:] == ["48 (100 %)", "registers + warp slots", "all 48 warp slots are taken"]


def test_only_the_first_kernels_and_notes_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [
        KernelReport(kernel=f"k{i}", architecture="sm_89", registers=40, notes=(f"note <{i // 2}>",))
        for i in range(201)
    ]
    all_shown = shown(monkeypatch, *made[:200])
    assert len(cells(all_shown.parts["kernels"])) == 200 and "are shown" not in all_shown.status
    view = shown(monkeypatch, *made)
    assert len(cells(view.parts["kernels"])) == 200
    assert words(view.status) == f"201 kernels read {YOURS} 256 threads and 0 KiB. The first 200 are shown."
    notes = parsed(str(view.parts["notes"])).select("p.occ-note")
    assert [words(note) for note in notes] == [f"note <{i}>" for i in range(5)]


def test_the_controls() -> None:
    assert BUILD_LOG.title == "Read a build log"
    log, device, *sliders = controls(BUILD_LOG)
    assert log[:2] == ("log", "Build log") and log[2].startswith("$ nvcc -arch=sm_90 -O3")
    assert device[:2] == ("device", "GPU") and device[3] == "reported"
    assert device[2]["reported"] == "the one compiled for"
    assert device[2]["8.9"] == "8.9 · Ada · GeForce RTX 4090 (AD102)"
    assert sliders == [
        ("threads", "Threads per block", 32, 1024, 32, 256, "", "warps"),
        ("dynamic", "Dynamic shared memory", 0, 227, 1, 0, "KiB", "memory"),
    ]
