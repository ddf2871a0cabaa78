"""Build logs that were read wrongly once: several architectures, rejected kernels, callees, the driver, broken lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite import occupancy
from occusite.reports import KernelReport, read

DATA = Path(__file__).parents[1] / "data" / "reports"
HANDS, LOGS, PTXAS = DATA / "hands", DATA / "ptxas" / "logs", DATA / "ptxas"
COUNTS = ("registers", "static_shared", "barriers", "spill_stores", "spill_loads", "stack_frame", "stack")


def final(reports: list[KernelReport]) -> dict[tuple[str, str], KernelReport]:
    return {(r.name, r.architecture): r for r in reports if r.final}


def test_nvlink_names_each_architecture_it_links_for() -> None:
    reports = read(HANDS / "nvcc_rdc_multi_arch.log")
    linked = final(reports)
    assert set(linked) == {(k, a) for k in ("kA", "kB") for a in ("sm_80", "sm_90a", "sm_120")}
    assert {linked["kA", a].registers for a in ("sm_80", "sm_90a", "sm_120")} == {54}
    assert {linked["kB", a].static_shared for a in ("sm_80", "sm_90a", "sm_120")} == {4000}
    assert [(r.kernel, r.final) for r in reports if r.source == "ptxas"] == [("_Z2kBPf", False), ("_Z2kAPf", False)] * 3
    percent = [
        100 * occupancy(cc, linked["kA", a].launch(128)).warps / slots
        for cc, a, slots in (("8.0", "sm_80", 64), ("9.0", "sm_90a", 64), ("12.0", "sm_120", 48))
    ]
    assert percent == [56.25, 56.25, 75]


def test_nvlink_for_three_architectures_as_it_prints_today() -> None:
    """`rdc_kernel` takes 256 bytes; the same kernels linked one by one are in the logs of `test_ptxas`."""
    linked = final(read(LOGS / "rdc_three.log"))
    for a in ("sm_80", "sm_90", "sm_120"):
        kernel, plain = linked["rdc_kernel", a], linked["rdc_plain", a]
        assert (kernel.registers, kernel.static_shared, kernel.stack, kernel.barriers) == (46, 256, 72, 1)
        assert (plain.registers, plain.static_shared) == (8, 0)


def test_the_lines_of_nvlink_may_come_in_any_order_of_targets() -> None:
    lines = (LOGS / "rdc_three.log").read_text().splitlines()[1:]
    named = sorted((line for line in lines if "Function properties" in line and "rdc_kernel" in line), reverse=True)
    used = sorted(line for line in lines if "used 46" in line)
    for reports in (read("\n".join(named + used)), read("\n".join(used[:1] + named + used[1:]))):
        assert {r.architecture for r in reports} == {"sm_80", "sm_90", "sm_120"}
        assert {r.static_shared for r in reports} == {256}


def test_nvlink_without_architecture_gives_both_sizes() -> None:
    text = (PTXAS / "sm_90" / "rdc_linked.nvlink-resource-usage.txt").read_text().split("\n", 1)[1]
    report = read(text)[0]
    assert report.static_shared is None and report.static_shared_range == (256, 1280)


def test_a_rejected_kernel_does_not_exist() -> None:
    (report,) = read(HANDS / "ptxas_rejected.log")
    assert report.problem == "the compiler rejected this kernel: uses too much shared data (60,000 bytes, 49,152 max)"
    with pytest.raises(ValueError, match="kernel: the compiler rejected this kernel"):
        report.launch(128)


def test_what_one_architecture_rejects_another_compiles() -> None:
    reports = read(LOGS / "rejected_three.log")
    assert {(r.name, r.architecture): bool(r.problem) for r in reports} == {
        ("fine", "sm_75"): False,
        ("big", "sm_75"): True,
        ("fine", "sm_90a"): False,
        ("big", "sm_90a"): False,
        ("fine", "sm_90"): False,
        ("big", "sm_90"): True,
    }


def test_an_error_without_a_record_is_a_kernel_all_the_same() -> None:
    lines = (HANDS / "ptxas_rejected.log").read_text().splitlines()
    (report,) = read(lines[0] + "\n")
    assert (report.kernel, report.registers) == ("_Z1kPf", None) and "60,000" in report.problem
    (report,) = read("\n".join(lines[1:] + lines[:1]))
    assert (report.registers, report.architecture) == (10, "sm_90") and "60,000" in report.problem


def test_an_error_that_two_architectures_could_mean_is_held_against_none() -> None:
    error, _, *record = (HANDS / "ptxas_rejected.log").read_text().splitlines()[:6]
    other = [line.replace("sm_90", "sm_90a") for line in record]
    both = read("\n".join([error, *[line for pair in zip(record, other, strict=True) for line in pair]]))
    assert [r.problem for r in both] == ["", ""]
    assert all(any("too much shared data" in note for note in r.notes) for r in both)


def test_what_a_callee_spills_stands_beside_its_kernel() -> None:
    (report,) = read(HANDS / "ptxas_callee_spills.log")
    assert report.kernel == "executor" and report.spills == 0
    assert report.callee_spills == (("helper", 116, 116),)
    assert "helper" in report.notes[0] and "116" in report.notes[0]


def test_each_kernel_has_its_own_callees() -> None:
    """The same function, compiled twice: once with each kernel, with other counts."""
    second, executor = read(LOGS / "callees_sm_75.log")
    assert second.callee_spills == (("_Z6helperPKfi", 6360, 12252),)
    assert executor.callee_spills == (("_Z6helperPKfi", 6152, 11568),)
    assert (second.spills, executor.spills) == (0, 16)


def test_a_function_of_another_file_is_no_callee() -> None:
    text = (HANDS / "ptxas_callee_spills.log").read_text()
    text = text.replace("ptxas info    : Function properties for helper", "ptxas info    : 0 bytes gmem\n\\g<0>")
    text = re.sub(r"\\g<0>", "ptxas info    : Function properties for helper", text)
    assert read(text)[0].callee_spills == ()


def test_the_drivers_log_is_one_kernel_with_its_spills() -> None:
    (report,) = read(HANDS / "driver_jit.log")
    assert (report.kernel, report.architecture, report.registers) == ("myKernel", "sm_75", 40)
    assert (report.stack_frame, report.spill_stores, report.spill_loads) == (8, 16, 24)


def test_a_bound_that_the_compiler_ignored_is_said() -> None:
    (topk,) = read(HANDS / "ptxas_minnctapersm_ignored.log")
    assert topk.notes == ("Value of threads per SM is out of range. .minnctapersm will be ignored",)
    kernels = {r.name: r.notes for r in read(LOGS / "minnctapersm.log")}
    assert kernels == {"topk": topk.notes, "fine": ()}


MULTI = [line for line in (PTXAS / "sm_90" / "multi.v.txt").read_text().splitlines()[1:] if line]
ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
NAMES = ("multi", "spill", "softmax", "nbody", "template_long")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.sampled_from(ARCHITECTURES), min_size=2, max_size=3, unique=True), st.data())
def test_architectures_mixed_line_by_line_never_swap_their_counts(
    name: str, architectures: list[str], data: st.DataObject
) -> None:
    logs = [(PTXAS / a / f"{name}.v.txt").read_text().splitlines()[1:] for a in architectures]
    order = data.draw(st.permutations([i for i, log in enumerate(logs) for _ in log]))
    rest = [iter(log) for log in logs]
    mixed = read("\n".join(next(rest[i]) for i in order))
    right = {(r.kernel, r.architecture): r for log in logs for r in read("\n".join(log))}
    for report in mixed:
        if report.kernel:
            alone = right[report.kernel, report.architecture]
            for field in COUNTS:
                assert getattr(report, field) in (None, getattr(alone, field)), field
            assert report.registers is not None or report.notes


def wrapped(lines: list[str], width: int) -> str:
    return "\n".join(line[at : at + width] for line in lines for at in range(0, max(1, len(line)), width))


def without_place(reports: list[KernelReport]) -> list[tuple[object, ...]]:
    return [(r.kernel, r.architecture, *(getattr(r, f) for f in COUNTS), dict(r.constant)) for r in reports]


@pytest.mark.parametrize("width", [72, 76, 80, 100, 132])
@pytest.mark.parametrize(
    "log", ["sm_90/multi.v.txt", "sm_80/template_long.v.txt", "sm_86/spill.v.txt", "logs/callees_sm_75.log",
            "sm_90/rdc_linked.nvlink-resource-usage.txt", "logs/rdc_three.log", "logs/rejected_three.log",
            "fat/multi.all-archs.v.txt"],
)  # fmt: skip
def test_lines_that_a_terminal_broke(log: str, width: int) -> None:
    lines = (PTXAS / log).read_text().splitlines()[1:]
    assert without_place(read(wrapped(lines, width))) == without_place(read("\n".join(lines)))


def test_lines_that_a_mailer_broke_between_words() -> None:
    name = "_Z45a_kernel_with_a_name_that_leaves_no_room_for_itPKfPfi"
    text = f"""\
ptxas info    : Compiling entry function
'{name}' for 'sm_80'
ptxas info    : Function properties for
{name}
    10696 bytes stack frame, 11420 bytes spill stores, 21888 bytes
spill loads
ptxas info    : Used 63 registers, used 1 barriers, 4096 bytes smem, 372 bytes
cmem[0], 8 bytes cmem[2]
"""
    (report,) = read(text)
    assert (report.kernel, report.architecture, report.registers, report.static_shared) == (name, "sm_80", 63, 4096)
    assert (report.spill_stores, report.spill_loads, report.barriers) == (11420, 21888, 1)
    assert report.constant == {0: 372, 2: 8}
