"""What the book claims about machines: each claim with a value, found again another way."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def machine_code(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "scripts" / "refresh")
    return importlib.import_module("machine_code")


# ---------- reading machine code (chapters 9 and 12) ----------


def line(address: int, text: str, *, holds: int = 7, waits: tuple[int, ...] = (), frees: int = 7) -> str:
    """One instruction as cuobjdump prints it; control bits from low to high: stall 4, yield 1, result 3, operands 3,
    wait mask 6, reuse 4, from bit 41 of the upper word on."""
    control = 2 | 1 << 4 | holds << 5 | frees << 8 | sum(1 << s for s in waits) << 11 | 0b0101 << 17
    upper = control << 41 | 0x1E1900
    return f"        /*{address:04x}*/                   {text} ;   /* 0x0000000000007b82 */\n   /* 0x{upper:016x} */\n"


def test_control_bits_are_read(machine_code: ModuleType) -> None:
    text = line(0x10, "@!P0 LDG.E.128 R4, desc[UR6][R2.64+0x10]", holds=3, frees=1, waits=(0, 5))
    [found] = machine_code.parse(text)
    assert found[:3] == (0x10, "!P0", "LDG.E.128") and found.holds == 3 and found.waits == (0, 5)
    assert found.width == 16 and found.target is None


def test_loads_that_fly_together_and_loads_that_follow_each_other(machine_code: ModuleType) -> None:
    together = [
        line(0x10, "LDG.E R4, desc[UR6][R2.64]", holds=0),
        line(0x20, "LDG.E R5, desc[UR6][R2.64+0x4]", holds=1),
        line(0x30, "FADD R6, R4, R5", waits=(0, 1)),
        line(0x40, "STG.E desc[UR6][R2.64], R6"),
        line(0x50, "@P0 BRA 0x10"),
    ]
    apart = [together[0], line(0x18, "FADD R6, R6, R4", waits=(0,)), *together[1:]]
    ahead = [  # a load whose data the next pass uses: one wait a pass, however the letters fall
        line(0x10, "FADD R6, R4, R4", waits=(0,)),
        line(0x20, "LDG.E R4, desc[UR6][R2.64]", holds=0),
        line(0x30, "BRA 0x10"),
    ]
    for text, wanted in ((together, (2, 1, "LLWS")), (apart, (2, 2, "LWLWS")), (ahead, (1, 1, "WL"))):
        code = machine_code.parse("".join(text))
        [body] = machine_code.loops(code)
        assert machine_code.flight(body) == wanted


def test_a_load_that_only_some_threads_issue_is_refused(machine_code: ModuleType) -> None:
    code = machine_code.parse(line(0x10, "@P1 LDG.E R4, desc[UR6][R2.64]", holds=0))
    with pytest.raises(ValueError, match="predicate"):
        machine_code.flight(code)
    with pytest.raises(ValueError, match="no load"):
        machine_code.flight(machine_code.parse(line(0x10, "FADD R1, R2, R3")))


def test_spills_in_and_out_of_a_loop(machine_code: ModuleType) -> None:
    text = (
        line(0x00, "STL.64 [R1+0x8], R4")
        + line(0x10, "LDL R4, [R1]", holds=0)
        + line(0x20, "STL.128 [R1], R8")
        + line(0x30, "@P0 BRA 0x10")
        + line(0x40, "LDL.U8 R4, [R1]", holds=0)
    )
    code = machine_code.parse(text)
    assert machine_code.local_bytes(code) == (24, 5)
    assert machine_code.local_bytes(machine_code.in_loops(code)) == (16, 4)


def test_every_load_is_waited_for_by_its_first_reader(machine_code: ModuleType, tmp_path: Path) -> None:
    """The control bits against the operands: whoever first reads a loaded register waits for its scoreboard."""
    try:
        machine_code.tool("cuobjdump")
    except SystemExit as missing:
        pytest.skip(str(missing))
    if not shutil.which("nvcc"):
        pytest.skip("nvcc is not on PATH")
    cubin = tmp_path / "wave.cubin"
    kernel = ROOT / "docs" / "kernels" / "wave.cu"
    subprocess.run(["nvcc", "-O3", "-cubin", "-arch=sm_90", "-DEARLY", "-o", cubin, kernel], check=True)
    [body] = machine_code.loops(machine_code.parse(machine_code.listing(cubin)))
    loads = [i for i in body if i.name.startswith("LDG")]
    assert len(loads) == 6
    for load in loads:
        register = re.match(r"R\d+", load.operands)
        assert register
        waited = set()
        for after in body[body.index(load) + 1 :]:
            waited |= set(after.waits)
            sources = after.operands if after.name.startswith("ST") else after.operands.partition(",")[2]
            if re.search(rf"\b{register[0]}\b", sources):
                assert load.holds in waited, f"{after.name} at {after.address:#x} reads {register[0]}"
                break
        else:
            pytest.fail(f"nobody reads {register[0]}")


# ---------- spills: space, code, traffic (chapters 9 and 10) ----------


def test_spill_bytes_are_code_and_most_of_them_stand_in_the_loop() -> None:
    from occusite.book.content import spills

    build, inside = spills.build(48), spills.inside(48)
    assert (build.stack, build.spill_stores, inside.loop_stores) == (872, 2304, 1896)
    # One store is 4 bytes or more: the code writes more than the frame has room for, so places are used again.
    assert build.spill_stores > build.stack
    assert spills.traffic(48, 4096) == 1896 * 4096 // 8 == 970_752
    assert spills.inside(0) == (0, 0) and not spills.build(0).spill_stores
    # The counts from the machine code against the compiler's own report, at every cap that both have.
    for architecture, kernel, cap in spills._loops():
        made = spills.build(cap, kernel, architecture)
        counted = spills.inside(cap, kernel, architecture)
        assert counted.loop_stores <= made.spill_stores and counted.loop_loads <= made.spill_loads


def test_spills_come_before_the_registers_run_out() -> None:
    from occusite.book.content import spills

    build = spills.build(49, "stencil", "sm_120")
    assert build.cap == 49 and build.registers == 48 and build.spill_stores


def test_spilling_to_shared_memory_takes_it_from_the_block() -> None:
    from occusite.book.content import session

    shared, local = session.bound("shared-spills"), session.report("both")
    assert "-DSHARED_SPILLS" in session._text("bounds/shared-spills.log")
    assert local.static_shared == 0 and shared.static_shared == 19 * 1024
    assert 0 < (shared.spill_stores or 0) < (local.spill_stores or 0)
    assert shared.registers == local.registers


def test_who_wins_when_two_bounds_meet() -> None:
    from occusite.book.content import session

    found = {
        name: (session.bound(name).registers, session.bound_answer(name).blocks)
        for name in ("threads", "threads-capped", "one-block", "cluster", "free", "free-capped", "maxnreg")
    }
    # By hand, 128 threads: ⌊65536 ÷ (128 × registers in units of 8)⌋ blocks, each part of the file holding whole warps.
    assert found == {
        "threads": (96, 5),
        "threads-capped": (96, 5),
        "one-block": (116, 4),
        "cluster": (116, 4),
        "free": (96, 5),
        "free-capped": (64, 8),
        "maxnreg": (64, 8),
    }
    assert session.bound("maxnreg-capped").registers == 80
    # The log of a kernel with launch bounds is silent about the cap it ignores; that of __maxnreg__ is not.
    assert "-maxrregcount=64" in session._text("bounds/threads-capped.log")
    assert "verrid" not in session._text("bounds/threads-capped.log")
    assert "entry-specific value 80 of .maxnreg" in session._text("bounds/maxnreg-capped.log")
    assert session.compiler() == "13.0, V13.0.88"


def test_the_traps_verdict_in_every_state() -> None:
    """A cap that costs warps is no gift, and no sentence counts negative warps."""
    from occusite.book.content import spills
    from occusite.book.widgets import trap

    seen = set()
    for architecture in spills.ARCHITECTURES:
        for kernel in spills.KERNELS:
            free = spills.build(0, kernel, architecture)
            for cap, capped in spills.builds(kernel, architecture).items():
                if not cap:
                    continue
                gained = capped.occupancy().warps - free.occupancy().warps
                said = trap._verdict(capped, free, gained, capped.spill_stores + capped.spill_loads)
                assert not re.search(r"[-−]\d|gift", said)
                assert ("costs warps" in said) == (gained < 0)
                assert ("warps more than without" in said) == (gained > 0)
                seen.add((gained > 0) - (gained < 0))
    assert seen == {-1, 0, 1}


# ---------- at least, ties, and whose staircase (chapters 4, 6 and 7) ----------


def test_sources_differ_about_the_h100s_chip() -> None:
    from occusite.book.content import tables

    least, most = tables.latency_range()
    assert (least.name, least.latency, most.latency) == ("H800 PCIe 80 GB", 273, 450)
    for gpu in tables.measured():
        assert gpu.least <= gpu.latency <= gpu.most
    ranges = [row[4] for row in tables.measured_latencies().rows if "H100" in str(row[0])]
    assert ranges and set(ranges) == {"273–450"}


def test_the_littles_law_widget_draws_the_boards_own_staircase() -> None:
    from occusite import devices, nvidia
    from occusite.book.parts.charts import Chart
    from occusite.book.widgets import littles_law

    for name, preset in littles_law.widget.presets().items():
        values = littles_law.widget.parse(preset)
        view = littles_law.widget.view(**values)
        stairs, roof = view.parts["stairs"], view.parts["roof"]
        assert isinstance(stairs, Chart) and isinstance(roof, Chart)
        device = devices.gpu(name).device
        assert values["chip"] == device.compute_capability
        # Every plateau of the picture against the device, asked at both ends.
        for row in stairs.datasets["stairs"]:
            for registers in (row["x"], row["x2"] - 1):
                assert device.occupancy(nvidia.Launch(256, registers)).warps == row["warps"]
        assert max(r["warps"] for r in roof.datasets["throughput"]) == device.warps_per_sm
        assert view.status.startswith("<strong>At least ")


def test_ilp_lines_begin_where_every_scheduler_has_a_warp() -> None:
    from occusite.book.content import scheduling

    for memory in scheduling.MEMORIES.values():
        chart = scheduling.concurrency(memory.latency, memory.interval, memory.slots)
        assert min(row["warps"] for row in chart.datasets["lines"]) == 4
        for k in scheduling.INDEPENDENT:
            first = next(r for r in chart.datasets["lines"] if r["k"] == k)
            assert first["share"] == pytest.approx(min(100, 100 * k * memory.interval / memory.latency))


def test_ties_are_named_where_they_begin() -> None:
    from occusite import paper
    from occusite.book.content import tables
    from occusite.book.widgets import cliffs

    rows = {str(r[0]): re.sub("<[^>]+>", "", str(r[3])) for r in tables.plateaus_on_paper(256, 12).rows}
    assert rows["1–42"] == "warp slots (37–42: + registers)" and rows["43–51"] == "registers"
    # By hand: 65,536 ÷ (256 × 37) = 6.9, and at 36 it is 7.1: from 37 on registers allow six blocks, like the slots.
    assert 65_536 // (256 * 36) == 7 and 65_536 // (256 * 37) == 6 == 48 // 8
    assert paper.SM().occupancy(paper.Launch(256, 40, 12 * 1024)).limiters == ("registers", "warps")
    status = cliffs.widget.view(**cliffs.widget.parse({"registers": 40})).status
    assert "registers" in status and "warp slots" in status
    assert not re.search(r"registers</span> binds", status)


def test_which_slots_make_the_ceiling() -> None:
    from occusite import paper

    def binding(threads: int) -> tuple[int, tuple[str, ...]]:
        answer = paper.SM().occupancy(paper.Launch(threads, 16))
        return answer.warps, answer.limiters

    assert binding(128) == (48, ("warps",))
    assert binding(64) == (32, ("blocks",))


def test_the_kernel_of_chapter_2_has_just_what_chapter_6_asks_for() -> None:
    from occusite.book.content.values import little, on_paper

    assert on_paper(256, 64, 12).warps == 32 == little(2000, 400, 100, loads=2).warps


# ---------- the small ones ----------


def test_a_chip_the_package_refuses_is_not_called_known() -> None:
    from occusite import nvidia
    from occusite.book.content import reference

    for row in reference.header_versions().rows:
        if row[0] not in nvidia.CHIPS:
            assert "refuses" in str(row[3])
            with pytest.raises(ValueError, match="is not known"):
                nvidia.device(str(row[0]))


def test_the_cell_of_paper_against_ada_shows_where_they_differ() -> None:
    from occusite.book.content.values import on_ada, on_paper

    source = (ROOT / "docs" / "05-executable.md").read_text(encoding="utf-8")
    [values] = re.findall(r"for registers in \((34[\d, ]+)\):", source)
    found = {r: (on_paper(256, r, 12).warps, on_ada(256, r, 12).warps) for r in map(int, values.split(","))}
    assert found == {34: (48, 48), 42: (48, 40), 50: (40, 32), 72: (24, 24), 84: (24, 16)}
    assert on_ada(256, 34, 12).limiters == ("registers", "warps") != on_paper(256, 34, 12).limiters


def test_a_prediction_takes_the_exact_number_as_well_as_the_rounded() -> None:
    import yaml

    from occusite.book.content import tables, values
    from occusite.book.parts import exercise

    source = (ROOT / "docs" / "01-latency-hiding.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```predict\n(.*?)^```", source, re.DOTALL | re.MULTILINE)
    quick = exercise.quick(yaml.safe_load(text), vars(values), vars(tables))
    assert isinstance(quick, exercise.Numbers)
    exact = 100 * (1 - 4 * 41 / 440)
    for given in (exact, 62.7, 62.73, 63):
        assert quick.blanks[0].judge(given).passed, given
    assert not quick.blanks[0].judge(37.3).passed and not quick.blanks[0].judge(64).passed


def test_no_generated_sentence_says_that_registers_binds() -> None:
    for file in (ROOT / "occusite" / "book").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "bind{'s'" not in text and 'bind{"s"' not in text, file


def test_how_many_schedulers() -> None:
    from occusite import nvidia

    parts = {chip: nvidia.device(chip).allocation.partitions for chip in nvidia.CHIPS if float(chip) >= 5}
    assert {chip for chip, count in parts.items() if count != 4} == {"6.0"} and parts["6.0"] == 2


# ---------- two roofs, three regimes ----------


def test_the_decision_says_what_the_function_says() -> None:
    from bs4 import BeautifulSoup

    from occusite import scheduler
    from occusite.book.parts import decision

    drawn = BeautifulSoup(decision.decision(), "html.parser")
    pictures = drawn.select("svg")
    assert len(pictures) == 2 and drawn.span is not None and drawn.span["role"] == "img"
    told = str(drawn.span["aria-label"])
    for picture in pictures:
        words = " ".join(t.get_text() for t in picture.select("text"))
        # Asked in the order of the function, each regime with its cure, in the picture and in its alternative.
        assert [words.index(name) for name in scheduler.REGIMES] == sorted(words.index(n) for n in scheduler.REGIMES)
        assert words.count("yes") == 2
        width = float(str(picture["viewbox"]).split()[2])
        for text in picture.select("text"):
            # A letter of this size is at most 8.5 wide on average: no line leaves the picture.
            assert float(str(text["x"])) + 8.5 * len(text.get_text()) <= width
    assert [told.index(name) for name in scheduler.REGIMES] == sorted(told.index(n) for n in scheduler.REGIMES)
    for box in decision.REGIMES.values():
        for line in box.lines:
            assert all(word in told for word in re.findall(r"fewer|bytes|instructions|independent", line.lower()))


@pytest.mark.parametrize("chapter", ["01-latency-hiding", "06-littles-law", "09-trap", "14-one-breath"])
def test_the_decision_stands_in_the_chapters_that_judge(chapter: str) -> None:
    source = (ROOT / "docs" / f"{chapter}.md").read_text(encoding="utf-8")
    assert source.count("`#!v decision()`") == 1


def test_enough_is_a_roof_and_never_only_a_busy_scheduler() -> None:
    """Wherever a page says when to stop, the roof stands beside the scheduler."""
    text = (ROOT / "docs" / "14-one-breath.md").read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if line.startswith("| When do I stop?")]
    assert "roof" in row and "eligible" in row
    for page in (ROOT / "docs").glob("*.md"):
        assert "no longer runs dry" not in page.read_text(encoding="utf-8"), page.name


def test_the_widget_of_chapter_1_meets_both_roofs() -> None:
    from occusite.book.widgets import scheduler as running

    def status(**given: int) -> str:
        return running.widget.view(**running.widget.parse(given)).status

    assert "Issue-bound" in status(warps=12) and "Latency-bound" in status(warps=4)
    held = status(warps=12, interval=60)
    assert "Bandwidth-bound" in held and "32\u202f% of cycles" in held and "8 warps" in held
    assert "no warp could help" in status(warps=4, interval=60)
