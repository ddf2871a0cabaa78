"""Traces of PyTorch, Nsight Systems and nvprof: launches counted, rounded sizes kept as intervals, boards by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occusite import occupancy
from occusite.reports import ReportError, read

DATA = Path(__file__).parents[1] / "data" / "reports"
HANDS = DATA / "hands"


def test_a_trace_of_pytorch() -> None:
    (report,) = read(HANDS / "torch_trace.json")
    assert (report.kernel, report.architecture) == ("void gemm<float>(float*)", "sm_120")
    assert (report.device, report.threads, report.registers) == ("NVIDIA GeForce RTX 5090", 512, 40)
    assert (report.grid, report.launches, report.unknown) == ((800, 1, 1), 1, ("barriers",))
    # 800 blocks on 170 SMs are 4.7 each, as the trace says; three of 512 threads fit.
    assert occupancy("12.0", report.launch()).warps == 48


def test_launches_of_one_kernel_are_counted_and_boards_told_apart() -> None:
    gemm, dispatch = read(DATA / "torch" / "kineto_2023.json")
    assert (gemm.kernel, gemm.launches, gemm.grid, gemm.architecture) == ("ampere_sgemm_128x64_tn", 2, None, "sm_80")
    assert (gemm.registers, gemm.shared_memory, gemm.threads) == (122, 12_544, 128)
    assert (gemm.static_shared, gemm.dynamic_shared) == (None, None)
    launch = gemm.launch()
    assert (launch.static_shared, launch.dynamic_shared) == (0, 12_544)
    assert (dispatch.device, dispatch.architecture, dispatch.grid) == ("NVIDIA H100 80GB HBM3", "sm_90", (20, 1, 1))
    (old,) = read(DATA / "torch" / "kineto_2021_events_first.json")
    assert (old.architecture, old.registers, old.shared_memory, old.threads) == ("sm_70", 24, 0, 128)


def test_events_alone_and_a_trace_that_is_cut() -> None:
    trace = json.loads((DATA / "torch" / "kineto_2023.json").read_text())
    alone = read(json.dumps(trace["traceEvents"]))
    assert [(r.kernel, r.registers, r.architecture, r.device) for r in alone] == [
        ("ampere_sgemm_128x64_tn", 122, "", ""),
        ("void dispatch<false, 8>(int*)", 110, "", ""),
    ]
    text = (DATA / "torch" / "kineto_2023.json").read_text()
    (cut,) = read(text[: text.index("void dispatch")])
    assert cut.launches == 2 and "cut off" in cut.notes[-1]
    with pytest.raises(ReportError, match=r"1 events|cannot be read"):
        read(text[: text.index('"ampere_sgemm')])


def test_a_long_trace_is_read_event_by_event(tmp_path: Path) -> None:
    trace = json.loads((DATA / "torch" / "kineto_2023.json").read_text())
    path = tmp_path / "trace.json"
    with path.open("w") as file:
        file.write('{"deviceProperties": ' + json.dumps(trace["deviceProperties"]) + ',\n"traceEvents": [\n')
        for at in range(20_000):
            file.write(json.dumps(trace["traceEvents"][at % 5]) + ",\n")
        file.write(json.dumps(trace["traceEvents"][0]) + "]}")
    gemm, dispatch = read(path)
    assert (gemm.launches, dispatch.launches) == (8000, 4000)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x, max_size=3))
)
def test_any_value_anywhere_in_an_event(value: object) -> None:
    trace = json.loads((HANDS / "torch_trace.json").read_text())
    for field in ("registers per thread", "shared memory", "block", "grid", "device"):
        event = trace["traceEvents"][0]
        changed = event | {"args": event["args"] | {field: value}}
        (report,) = read(json.dumps(trace | {"traceEvents": [changed]}))
        assert report.kernel
        if field == "shared memory" and type(value) is not int:
            assert report.shared_memory is None


def test_nsight_systems_rounds_to_thousands_of_bytes() -> None:
    (report,) = read(HANDS / "nsys.csv")
    assert (report.kernel, report.device) == ("saxpy(int, float *)", "NVIDIA GeForce RTX 3060")
    assert (report.registers, report.threads, report.grid) == (40, 256, (28, 1, 1))
    assert (report.static_shared, report.static_shared_range) == (None, (1_500, 2_500))
    assert (report.dynamic_shared, report.dynamic_shared_range) == (None, (0, 500))
    answers = [occupancy("8.6", launch) for launch in report.launches_between()]
    assert [a.warps for a in answers] == [48, 48]


def test_nsight_systems_table() -> None:
    add, tile = read(DATA / "nsys" / "table_2024.txt")
    assert (add.kernel, add.threads, add.registers) == ("addVector(uchar4 *, uchar4 *, uchar4 *)", 16, 16)
    assert (tile.kernel, tile.threads, tile.launches) == ("tile<float, (int)64>(T1 *, const T1 *)", 256, 2)
    assert (tile.static_shared_range, tile.dynamic_shared_range) == ((7_500, 8_500), (15_500, 16_500))
    assert tile.device == "NVIDIA GeForce RTX 3060"


def test_nsight_systems_in_bytes_with_names_that_hold_commas() -> None:
    moe, attention = read(DATA / "nsys" / "bytes_2021.csv", "sm_80")
    assert (moe.kernel, moe.registers, moe.static_shared, moe.dynamic_shared) == (
        "void moe::kernel<float, 4>(float*, int)", 24, 0, 0,
    )  # fmt: skip
    assert (attention.static_shared, attention.dynamic_shared, attention.architecture) == (128, 1024, "sm_80")
    semicolons = (DATA / "nsys" / "bytes_2021.csv").read_text().replace(",", ";").replace("float; 4", "float, 4")
    assert [r.registers for r in read(semicolons)] == [24, 18]


def test_nvprof_table_counts_in_1024() -> None:
    (report,) = read(HANDS / "nvprof.txt")
    assert (report.kernel, report.registers, report.threads) == ("matmul(float*, float*)", 41, 256)
    # Two tiles of 16 × 16 floats.
    assert (report.static_shared, report.dynamic_shared) == (2 * 16 * 16 * 4, 0)
    assert report.device == "" and "Tesla P100-PCIE…" in report.notes[0]
    (sums,) = read(DATA / "nvprof" / "table_gt1030.txt")
    assert (sums.launches, sums.static_shared, sums.grid) == (2, 4096, None)
    add, gemm = read(DATA / "nvprof" / "table_no_copies.txt")
    assert (add.kernel, add.threads, add.registers) == ("ptxcall_gpu_add1__1", 1, 20)
    assert gemm.kernel == "gemm<float, int=16>(float const *, float*)" and gemm.device == "Tesla T4"
    assert (gemm.static_shared, gemm.dynamic_shared) == (512, 33 * 1024)


def test_nvprof_csv() -> None:
    (report,) = read(DATA / "nvprof" / "trace.csv")
    assert (report.kernel, report.device) == ("maxwell_gcgemm_32x32_nt(float*, int)", "Tesla V100-PCIE-32GB")
    assert (report.registers, report.threads, report.launches, report.grid) == (91, 128, 2, (1, 112, 1))
    # 2.644531 KB of 1,024 bytes are no other whole number of bytes.
    assert (report.static_shared, report.dynamic_shared) == (2708, 0)
