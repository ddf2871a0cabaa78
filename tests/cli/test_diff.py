"""`occusite diff`: what changed, in a table, in a sum, as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.asked import parsed, run
from tests.questions.builds import Kernel, log

OLD = log(Kernel(), Kernel("_Z5saxpyiPf", 18, shared=0), Kernel("_Z3oldPf", 10), Kernel("_Z4samePf", 20))
NEW = log(
    Kernel(registers=74, spills=20, stack=8),
    Kernel("_Z5saxpyiPf", 16, shared=0),
    *(Kernel("_Z3newPf", 10), Kernel("_Z4samePf", 20)),
)


@pytest.fixture
def builds(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "before.log", tmp_path / "after.log"]
    for path, text in zip(paths, (OLD, NEW), strict=True):
        path.write_text(text)
    return list(map(str, paths))


def test_a_row_for_each_kernel_that_changed(builds: list[str]) -> None:
    text = run("diff", *builds, "-t", "16x16")
    rows = {line.split()[-1]: line for line in text.splitlines()[1:] if line and "kernels" not in line}
    assert list(rows) == ["matmul", "saxpy", "new", "old"]
    assert rows["matmul"].split("  ")[:1] == ["64 → 74"]
    for part in ("0 → 20", "0 → 8", "66.67 % → 50 %", "worse"):
        assert part in rows["matmul"]
    assert "18 → 16" in rows["saxpy"] and "better" in rows["saxpy"]
    assert "gone" in rows["old"] and "→" not in rows["old"]
    assert "2 of 3 kernels changed: 1 worse, 1 better; 1 new, 1 gone" in text
    assert " same" in run("diff", *builds, "-t", "256", "--all")


def test_json(builds: list[str]) -> None:
    made = {row["name"]: row for row in parsed("diff", *builds, "-t", "256")}
    assert made["matmul"]["measures"]["registers"] == {"before": 64, "after": 74, "change": 10}
    assert made["matmul"]["occupancy"] == {"before": 32 / 48, "after": 0.5}
    assert made["matmul"]["worse"] == ["registers", "spills", "stack", "warps"]
    assert made["new"]["in"] == ["after"]
    assert made["old"]["in"] == ["before"]
    assert made["old"]["measures"]["registers"] == {"before": 10, "after": None, "change": None}


def test_the_same_build_twice(builds: list[str]) -> None:
    assert "0 of 4 kernels changed; 0 new, 0 gone" in run("diff", builds[0], builds[0], "-t", "256")
    assert parsed("diff", builds[0], builds[0], "-t", "256") == []


def test_from_the_standard_input(builds: list[str]) -> None:
    assert "1 worse" in run("diff", builds[0], "-", "-t", "256", stdin=NEW)


def test_refused(builds: list[str]) -> None:
    assert "BEFORE AFTER: 1 reports are not allowed; give two" in run("diff", builds[0], code=2)
    assert "no-such.log: No such file" in run("diff", builds[0], "no-such.log", code=2)
    assert "BEFORE AFTER: missing; give two reports" in run("diff", code=2)
    assert "'': an empty path" in run("diff", builds[0], "", code=2)
    assert "threads: 2048 is not allowed" in run("diff", *builds, "-t", "2048", code=2)
