"""Two builds compared, kernel by kernel: registers, spills, shared memory, stack and resident warps, before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from occusite.questions.kernels import KernelAnswer

# What is compared: its name, its unit, and whether more of it is worse.
MEASURES = (
    ("registers", "registers", True),
    ("spills", "bytes", True),
    ("shared_memory", "bytes", True),
    ("stack", "bytes", True),
    ("warps", "warps", False),
)


class Measure(NamedTuple):
    """One figure of a kernel `before` and `after`, None where the report does not say; `more_is_worse`: its sense.

    `warps` are resident ones: 0 of a launch that cannot run.
    """

    name: str
    unit: str
    before: int | None
    after: int | None
    more_is_worse: bool

    @property
    def change(self) -> int | None:
        """After less before; None where either is not known."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def worse(self) -> int:
        """By how much it got worse; 0 where it did not, or where that is not known."""
        change = self.change or 0
        return max(change if self.more_is_worse else -change, 0)


class Change(NamedTuple):
    """One kernel for one architecture in both builds; `before` or `after` is None where only the other has it."""

    kernel: str
    architecture: str
    before: KernelAnswer | None
    after: KernelAnswer | None

    @property
    def name(self) -> str:
        """The kernel's name for people."""
        found = self.after or self.before
        return (found.report.name if found else "") or "?"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All figures, in the order of `MEASURES`; of a kernel that one build lacks, that side is None."""
        ends = [figures(row) if row else {} for row in (self.before, self.after)]
        return tuple(Measure(n, unit, ends[0].get(n), ends[1].get(n), more) for n, unit, more in MEASURES)

    @property
    def changed(self) -> tuple[Measure, ...]:
        """The figures that differ, one that only one build knows included."""
        return tuple(measure for measure in self.measures if measure.before != measure.after)


def figures(row: KernelAnswer) -> dict[str, int | None]:
    """What is compared of one kernel, by the names of `MEASURES`; None where the report does not say."""
    report, answer = row.report, row.answer
    shared = answer.launch.shared_memory if answer and hasattr(answer.launch, "shared_memory") else report.static_shared
    return {
        "registers": report.registers,
        "spills": report.spills,
        "shared_memory": shared,
        "stack": report.stack_frame,
        "warps": answer.warps if answer else None,
    }


def compare(before: Iterable[KernelAnswer], after: Iterable[KernelAnswer]) -> tuple[Change, ...]:
    """The kernels of both builds side by side, in the order of the second; those that only the first has come last.

    Kernels are the same by their mangled name and architecture; of several such, as a header's template in several
    objects gives them, the first is compared with the first.
    """
    old, new = _keyed(before), _keyed(after)
    both = [Change(key[0], key[1], old.get(key), row) for key, row in new.items()]
    return (*both, *(Change(key[0], key[1], row, None) for key, row in old.items() if key not in new))


def _keyed(rows: Iterable[KernelAnswer]) -> dict[tuple[str, str, int], KernelAnswer]:
    seen: Counter[tuple[str, str]] = Counter()
    keyed = {}
    for row in rows:
        key = row.report.kernel, row.report.architecture
        keyed[(*key, seen[key])] = row
        seen[key] += 1
    return keyed
