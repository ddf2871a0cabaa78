"""Build logs: every real log against a plain second reading of it, and real logs with everything that surrounds them."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occusite.reports import KernelReport, ReportError, ptxas, read

DATA = Path(__file__).parents[1] / "data" / "reports" / "ptxas"
LOGS = sorted(DATA.rglob("*.txt"))
MULTI = (DATA / "sm_90" / "multi.v.txt").read_text()


def named(path: Path) -> str:
    return path.relative_to(DATA).as_posix()


def plain_reading(text: str) -> list[dict[str, object]]:
    """The kernels of a log as the compiler printed it, by reading its lines in order and believing them."""
    found: list[dict[str, object]] = []
    function = ""
    for line in text.splitlines():
        if m := re.match(r"ptxas info    : Compiling entry function '(.+)' for '(\w+)'$", line):
            found.append({"kernel": m[1], "architecture": m[2]})
        elif m := re.match(r"(?:ptxas|nvlink) info    : Function properties for '?(.+?)'?:?$", line):
            function = m[1]
            if line.startswith("nvlink"):
                found.append({"kernel": function})
        elif m := re.match(r"    (\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads$", line):
            if found and found[-1]["kernel"] == function:
                found[-1] |= {"stack_frame": int(m[1]), "spill_stores": int(m[2]), "spill_loads": int(m[3])}
        elif m := re.match(r"(?:ptxas|nvlink) info    : [Uu]sed (\d+) registers(.*)", line):
            found[-1]["registers"] = int(m[1])
            found[-1]["static_shared"] = 0
            for item in m[2].split(", ")[1:]:
                number, _, what = item.removeprefix("used ").partition(" ")
                if what == "barriers":
                    found[-1]["barriers"] = int(number)
                elif what in ("stack", "bytes cumulative stack size"):
                    found[-1]["stack"] = int(number)
                elif what == "bytes smem":
                    found[-1]["static_shared"] = int(number)
                elif bank := re.fullmatch(r"bytes cmem\[(\d)\]", what):
                    found[-1].setdefault("constant", {})[int(bank[1])] = int(number)  # type: ignore[attr-defined]
    return found


def bare(reports: list[KernelReport]) -> list[KernelReport]:
    """Reports without the place of their lines."""
    return [replace(report, where="") for report in reports]


@pytest.mark.parametrize("path", LOGS, ids=named)
def test_every_real_log_says_what_the_compiler_printed(path: Path) -> None:
    text = path.read_text()
    expected = plain_reading(text)
    if not expected:  # a file of device functions alone
        with pytest.raises(ReportError, match="no kernel found"):
            read(path)
        return
    reports = read(path)
    assert len(reports) == len(expected)
    for report, printed in zip(reports, expected, strict=True):
        linked_sm_90 = report.source == "nvlink" and report.architecture == "sm_90"
        for name, value in printed.items():
            if name == "static_shared" and linked_sm_90 and value:
                value -= 1024  # type: ignore[operator]
            assert getattr(report, name) == value, (report.kernel, name)
        for name in ("barriers", "stack", "spill_stores"):
            assert name in printed or getattr(report, name) is None


def test_the_logs_are_many_enough() -> None:
    assert len(LOGS) > 230
    assert sum(len(plain_reading(path.read_text())) for path in LOGS) > 600


def test_numbers_known_from_the_kernels_source() -> None:
    kernels = {report.name: report for report in read(DATA / "sm_90" / "multi.v.txt")}
    assert kernels["k_lb96_static"].static_shared == 12345
    assert kernels["k_lb512_3"].static_shared == 1500 * 8
    assert kernels["k_barriers"].static_shared == 6 * 32 * 4
    assert kernels["k_barriers"].barriers == 6
    assert kernels["k_barriers_dyn"].barriers == 16
    assert kernels["k_maxnreg40"].registers == 40
    assert kernels["k_maxnreg40"].spills == 912 + 928
    assert kernels["k_empty"].unknown == ("threads", "dynamic_shared")


def test_a_log_of_seven_architectures() -> None:
    reports = read(DATA / "fat" / "multi.all-archs.v.txt")
    assert len(reports) == 63
    assert {r.architecture for r in reports} == {f"sm_{n}" for n in (75, 80, 86, 89, 90, 100, 120)}


def test_cuda_11_prints_no_barriers() -> None:
    reports = read(DATA / "11.8" / "sm_90_multi.v.txt")
    assert all(r.barriers is None and "barriers" in r.unknown for r in reports)


def test_rdc_is_not_final() -> None:
    reports = read(DATA / "sm_86" / "rdc_a.rdc.v.txt")
    assert [r.final for r in reports] == [False, False]
    assert all(ptxas.NOT_FINAL in r.notes for r in reports)
    assert all(r.final for r in read(DATA / "sm_86" / "multi.v.txt"))


def test_a_device_link_in_the_log_overrules_the_compilation() -> None:
    compiled = (DATA / "sm_90" / "rdc_a.rdc.v.txt").read_text().split("\n", 1)[1]
    linked = (DATA / "sm_90" / "rdc_linked.nvlink-resource-usage.txt").read_text().split("\n", 1)[1]
    before, after = [], []
    for report in read(compiled + linked):
        (after if report.source == "nvlink" else before).append(report)
    assert [r.final for r in before] == [False, False]
    assert {r.name: (r.registers, r.static_shared, r.architecture, r.final) for r in after} == {
        "rdc_kernel": (46, 256, "sm_90", True),
        "rdc_plain": (8, 0, "sm_90", True),
    }


def test_nvlink_without_architecture_leaves_shared_memory_open() -> None:
    text = (DATA / "sm_90" / "rdc_linked.nvlink-resource-usage.txt").read_text().split("\n", 1)[1]
    kernel, plain = read(text)
    assert kernel.static_shared is None and "static_shared" in kernel.unknown and "1280" in kernel.notes[0]
    assert plain.static_shared == 0
    assert read(text, architecture="sm_90")[0].static_shared == 256
    assert read(text, architecture="sm_100")[0].static_shared == 1280


OLD = """\
ptxas info    : 0 bytes gmem, 24 bytes cmem[3]
ptxas info    : Compiling entry function '_Z3addPf' for 'sm_35'
ptxas info    : Function properties for _Z3addPf
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 63 registers, 4096+16 bytes smem, 8+0 bytes lmem, 324 bytes cmem[0], 4 bytes cmem[2], 1 textures
"""


def test_older_wording() -> None:
    (report,) = read(OLD)
    assert (report.registers, report.static_shared, report.spills) == (63, 4112, 16)
    assert report.constant == {0: 324, 2: 4}


def test_the_drivers_log_has_no_tool_name() -> None:
    assert bare(read(OLD.replace("ptxas info", "info"))) == bare(read(OLD))


def test_a_pasted_line_alone_has_counts_but_no_name() -> None:
    (report,) = read("ptxas info    : Used 32 registers, 8192 bytes smem, 380 bytes cmem[0]\n")
    assert (report.kernel, report.registers, report.static_shared) == ("", 32, 8192)
    assert "missing" in report.notes[0] and report.unknown[0] == "architecture"


def test_a_log_cut_at_the_start_still_names_the_kernel() -> None:
    (report,) = read("\n".join(OLD.splitlines()[2:]))
    assert (report.kernel, report.architecture, report.registers, report.spills) == ("_Z3addPf", "", 63, 16)


def test_a_log_cut_at_the_end_says_so() -> None:
    report = read("\n".join(MULTI.splitlines()[:-3]))[-1]
    assert report.registers is None and report.static_shared is None
    assert "the log is cut" in report.notes[0]
    with pytest.raises(ValueError, match="registers: this ptxas report does not say"):
        report.launch(128)


PREFIXES = {
    "cmake": lambda n: f"[ {n % 100}%] ",
    "ninja": lambda n: f"[{n}/340] ",
    "docker": lambda n: f"#12 {n / 7:.3f} ",
    "compose": lambda n: "builder-1  | ",
    "github": lambda n: f"2025-11-30T07:{n % 60:02}:11.{n:07}Z ",
    "gitlab": lambda n: f"07:{n % 60:02}:11 ",
    "pip": lambda n: "      ",
    "colour": lambda n: "\x1b[0;36m\x1b[K",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\x1b[0m\n"], ids=["lf", "crlf", "reset"])
def test_what_log_collectors_put_around_a_line(prefix, end: str) -> None:
    lines = MULTI.splitlines()[1:]
    text = end.join(f"{prefix(n)}{line}" for n, line in enumerate(lines))
    assert bare(read(text)) == bare(read(MULTI))


def test_progress_bars_and_utf_16() -> None:
    bars = MULTI.replace("ptxas info    : Used", "  3%|#\r 70%|#######\rptxas info    : Used")
    assert read(bars) == read(MULTI)
    assert read(MULTI.encode("utf-16")) == read(MULTI)
    assert read(b"\xef\xbb\xbf" + MULTI.encode()) == read(MULTI)


NOISE = st.sampled_from(
    [
        "[ 12%] Building CUDA object CMakeFiles/app.dir/multi.cu.o",
        "[3/9] /usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -O3 -c multi.cu",
        'multi.cu(12): warning #177-D: variable "x" was declared but never referenced',
        "nvcc warning : Support for offline compilation for architectures prior to '<compute/sm/lto>_75' will be removed",
        "ptxas info    : (C7511) Potential Performance Loss: 'setmaxnreg' ignored",
        "ptxas warning : Registers are spilled to local memory in function 'f', 8 bytes spill stores, 8 bytes spill loads",
        "  Used 48 registers in my own report, 3 bytes stack frame",
        "",
        "\x00\xff\ufffd",
    ]
)


@given(st.lists(st.tuples(st.integers(0, 60), NOISE), max_size=20))
def test_noise_between_the_lines_changes_nothing(noise: list[tuple[int, str]]) -> None:
    lines = MULTI.splitlines()
    for at, line in noise:
        lines.insert(at % (len(lines) + 1), line)
    assert bare(read("\n".join(lines))) == bare(read(MULTI))


def woven(data: st.DataObject, *logs: list[str]) -> list[str]:
    """The logs' lines, mixed at random with each log's own order kept."""
    order = data.draw(st.permutations([i for i, log in enumerate(logs) for _ in log]))
    rest = [iter(log) for log in logs]
    return [next(rest[i]) for i in order]


ONE = MULTI.splitlines()[1:25]
OTHER = (DATA / "sm_86" / "spill.v.txt").read_text().splitlines()[1:]
THIRD = (DATA / "sm_75" / "softmax.v.txt").read_text().splitlines()[1:]


@given(st.data())
def test_mixed_logs_with_different_prefixes_lose_nothing(data: st.DataObject) -> None:
    lines = woven(data, [f"#7 {line}" for line in ONE], [f"#8 {line}" for line in OTHER])
    expected = {r.kernel: r for r in bare(read("\n".join(ONE)) + read("\n".join(OTHER)))}
    assert {r.kernel: r for r in bare(read("\n".join(lines)))} == expected


@settings(max_examples=300)
@given(st.data())
def test_mixed_logs_without_prefixes_never_give_a_kernel_the_counts_of_another(data: st.DataObject) -> None:
    lines = woven(data, ONE, OTHER, THIRD)
    expected = {r.kernel: r for log in (ONE, OTHER, THIRD) for r in read("\n".join(log))}
    reports = [r for r in read("\n".join(lines)) if r.kernel]
    assert {r.kernel for r in reports} == set(expected)
    for report in reports:
        right = expected[report.kernel]
        assert report.architecture == right.architecture
        for name in ("registers", "static_shared", "barriers", "spill_stores", "spill_loads", "stack_frame", "stack"):
            assert getattr(report, name) in (None, getattr(right, name)), name


def test_one_lost_line_does_not_spoil_the_log() -> None:
    lines = MULTI.splitlines()
    lines.remove(next(line for line in lines if "Used 12 registers, used 6 barriers" in line))
    text = "\n".join(lines) + "\n" * 120 + MULTI
    assert bare(read(text))[-9:] == bare(read(MULTI))


def test_a_name_of_64_kb() -> None:
    name = "_Z" + "65536" + "k" * 65536 + "Pf"
    (report,) = read(OLD.replace("_Z3addPf", name))
    assert report.kernel == name


def test_too_many_kernels_is_an_error_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "MOST_KERNELS", 5)
    with pytest.raises(ReportError, match=r"line 32: more than 5 kernels") as error:
        read(MULTI)
    assert error.value.where == "line 32"


def long_log(size: int) -> Iterator[str]:
    """A log of `size` bytes with a kernel in every megabyte."""
    noise = "[ 42%] Building CXX object src/CMakeFiles/engine.dir/module.cpp.o with a long and dull command line\n" * 10
    given_, kernels = 0, 0
    while given_ < size:
        if given_ >= kernels << 20:
            yield from (line + "\n" for line in OLD.replace("add", f"k{kernels:02}").splitlines())
            kernels += 1
        for line in noise.splitlines(keepends=True):
            yield line
            given_ += len(line)


def test_a_log_of_100_mb_is_read_as_a_stream() -> None:
    assert len(read(long_log(100 << 20))) == 100


def test_a_long_file_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "build.log"
    with path.open("w") as file:
        file.writelines(long_log(8 << 20))
        file.write("x" * (8 << 20))
        file.write("\n" + OLD)
    tracemalloc.start()
    try:
        reports = read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(reports) == 9
    assert peak < 6 << 20
