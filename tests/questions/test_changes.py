"""Two builds side by side: which kernels are the same, and what got worse."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from occusite.questions.changes import MEASURES, compare
from tests.questions.builds import Kernel, answered


def test_figures_before_and_after() -> None:
    # 74 registers: ⌊65,536 ÷ (8 × 2,560)⌋ = 3 blocks of 8 warps; 64: 4 blocks.
    (change,) = compare(answered(Kernel()), answered(Kernel(registers=74, spills=20, stack=8)))
    assert [(m.name, m.before, m.after, m.worse) for m in change.measures] == [
        *(("registers", 64, 74, 10), ("spills", 0, 20, 20), ("shared_memory", 16_384, 16_384, 0)),
        *(("stack", 0, 8, 8), ("warps", 32, 24, 8)),
    ]
    assert [m.name for m in change.changed] == ["registers", "spills", "stack", "warps"]
    assert (change.name, change.architecture) == ("matmul", "sm_89")


def test_what_is_better_is_not_worse() -> None:
    (change,) = compare(answered(Kernel(registers=74)), answered(Kernel()))
    assert [(m.name, m.change, m.worse) for m in change.changed] == [("registers", -10, 0), ("warps", 8, 0)]


def test_new_and_gone_kernels_and_the_same_name_for_another_architecture() -> None:
    old = answered(Kernel(), Kernel("_Z3oldPf"), Kernel(architecture="sm_90"))
    new = answered(Kernel("_Z3newPf"), Kernel(architecture="sm_90", registers=40), Kernel())
    found = [(c.name, c.architecture, c.before is None, c.after is None) for c in compare(old, new)]
    assert found == [
        *(("new", "sm_89", True, False), ("matmul", "sm_90", False, False), ("matmul", "sm_89", False, False)),
        ("old", "sm_89", False, True),
    ]
    assert [c.kernel for c in compare(old, new)] == ["_Z3newPf", "_Z6matmulPKfS0_Pf", "_Z6matmulPKfS0_Pf", "_Z3oldPf"]
    (changed,) = [c for c in compare(old, new) if c.before and c.after and c.changed]
    assert changed.architecture == "sm_90"


def test_a_template_in_several_objects_is_compared_in_order() -> None:
    old = answered(Kernel(registers=30), Kernel(registers=40), Kernel(registers=50))
    new = answered(Kernel(registers=30), Kernel(registers=50), Kernel(registers=50))
    assert [[m.change for m in c.measures][:1] for c in compare(old, new)] == [[0], [10], [0]]


def test_what_a_report_does_not_say_is_not_zero() -> None:
    (change,) = compare(answered(Kernel(spills=None)), answered(Kernel(spills=8)))
    spills = change.measures[1]
    assert (spills.before, spills.after, spills.change, spills.worse) == (None, 8, None, 0)
    assert spills in change.changed


@given(st.integers(16, 255), st.integers(16, 255), st.integers(0, 40_000), st.integers(0, 40_000))
def test_what_is_worse_one_way_is_better_the_other(a: int, b: int, s: int, t: int) -> None:
    old, new = answered(Kernel(registers=a, shared=s)), answered(Kernel(registers=b, shared=t))
    (there,), (back,) = compare(old, new), compare(new, old)
    assert len(there.measures) == len(MEASURES)
    for forth, again in zip(there.measures, back.measures, strict=True):
        assert forth.change is not None and again.change is not None
        assert forth.change == -again.change
        assert max(forth.worse, again.worse) == abs(forth.change)
        assert min(forth.worse, again.worse) == 0
    (same,) = compare(old, old)
    assert not same.changed
