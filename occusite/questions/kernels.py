"""Kernels of reports answered: each on its device, with its nearest steps, or with why there is no answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from occusite import devices
from occusite.model.answer import Device, Occupancy
from occusite.model.terms import grouped
from occusite.questions import steps
from occusite.questions.staircase import field_of
from occusite.questions.steps import Nearest
from occusite.reports.report import KernelReport


class KernelAnswer(NamedTuple):
    """One kernel of one report: its answer, or why there is none (`problem`).

    `steps`: its nearest steps. `best_threads`: the block size the answer is for where neither the report nor the user
    says one, else 0. `without_registers`: whether the registers are not known, so that the answer leaves them out.
    """

    report: KernelReport
    device: Device | None = None
    answer: Occupancy | None = None
    steps: Nearest | None = None
    best_threads: int = 0
    without_registers: bool = False
    problem: str = ""

    @property
    def at_most(self) -> bool:
        """Whether the answer is an upper bound, since the report does not say all that counts."""
        return bool(self.best_threads) or self.without_registers

    def step_up(self, number: Callable[[int], str] = grouped) -> str:
        """The way to more warps: "3 registers fewer: 40 warps"; "?" without an answer, "–" where there is none."""
        if self.steps is None or self.answer is None:
            return "?"
        return steps.way_up(self.answer, self.steps, number)

    def step_down(self, number: Callable[[int], str] = grouped) -> str:
        """The nearest step to fewer warps, in the same words."""
        if self.steps is None or self.answer is None:
            return "?"
        return steps.words(self.answer.device, self.steps.worse, number)


# What an answer needs of a report: kernels alike in these get the same answer.
_COUNTED = (
    *(
        "architecture",
        "device",
        "ran",
        "registers",
        "static_shared",
        "dynamic_shared",
        "shared_memory",
        "static_shared_range",
    ),
    *("dynamic_shared_range", "threads", "max_threads", "barriers", "cluster", "pool", "problem"),
)


class Answers:
    """Answers kernels; remembers what kernels of the same resources got.

    `device`: the device for all of them, None: the one that each report's architecture or board names. `threads`,
    `dynamic_shared` (bytes), `registers`: taken where a report does not say. Without `threads` the best block size is
    looked for; without `registers` the answer is an upper bound.
    """

    def __init__(
        self,
        device: Device | None = None,
        threads: int | None = None,
        dynamic_shared: int | None = None,
        registers: int | None = None,
    ) -> None:
        self._device, self._threads, self._dynamic, self._registers = device, threads, dynamic_shared, registers
        self._devices: dict[tuple[str, str, bool], Device | str] = {}
        self._known: dict[tuple[Any, ...], KernelAnswer] = {}

    def row(self, report: KernelReport) -> KernelAnswer:
        """The answer for one kernel."""
        key = tuple([getattr(report, name) for name in _COUNTED])
        known = self._known.get(key)
        if known is None:
            named = report.architecture, report.device, report.ran
            if named not in self._devices:
                self._devices[named] = self._device_for(*named)
            device = self._devices[named]
            if isinstance(device, str):
                known = KernelAnswer(report, problem=device)
            else:
                try:
                    known = self._answer(device, report)
                except ValueError as error:
                    known = KernelAnswer(report, device, problem=str(error))
            self._known[key] = known
        return known._replace(report=report)

    def _answer(self, device: Device, report: KernelReport) -> KernelAnswer:
        threads = report.threads if report.threads is not None else self._threads
        if threads and report.max_threads is not None and threads > report.max_threads:
            raise ValueError(f"threads: the kernel's launch bounds allow {report.max_threads}, not {threads}")
        # Launching never needs fewer registers than none: what cannot run so cannot run at all.
        unknown = report.registers is None and self._registers is None
        known: dict[str, Any] = {
            "threads": threads or 1,
            "dynamic_shared": self._dynamic if _silent(report, "dynamic_shared") else None,
            "registers": (0 if unknown else self._registers) if report.registers is None else None,
        }
        best, answers = 0, []
        for launch in dict.fromkeys(report.launches_between(**known)):
            with_pool = getattr(device, "with_pool", None)
            if report.pool is not None and with_pool:
                launch = with_pool(launch, report.pool)
            if threads is None:
                best = best_block_size(device, launch, report.max_threads)
                launch = replace(launch, threads=best or 1)
            answers.append(device.occupancy(launch))
        least, most = answers[-1], answers[0]
        if least.blocks != most.blocks:
            warps = f"{device.terms.warp}s"
            raise ValueError(
                f"shared memory: the report rounds it, and {least.warps} to {most.warps} {warps} may be resident; "
                "give --dynamic-shared"
            )
        nearest = None if unknown else steps.nearest(least)
        return KernelAnswer(report, device, least, nearest, best, unknown and least.runs)

    def _device_for(self, architecture: str, board: str, ran: bool) -> Device | str:
        """The device to answer for, or why there is none."""
        device = self._device
        if device is not None and architecture and not device.runs(architecture):
            return f"code for {architecture} does not run on {device.name}"
        if device is None and not architecture and not board:
            return "architecture: the report names none; say for which GPU"
        try:
            device = device or devices.find(architecture or board)
            # A profile's architecture is the board's: which code ran there is not known, only that it could.
            for_code = getattr(device, "for_code", None)
            return for_code("" if ran else architecture) if for_code and (ran or architecture) else device
        except ValueError as error:
            return f"{'architecture' if architecture else 'device'}: {architecture or board!r}: {error}"


def _silent(report: KernelReport, name: str) -> bool:
    """Whether the report says nothing of this size, not even rounded or in a sum."""
    return getattr(report, name) is None and not getattr(report, f"{name}_range") and report.shared_memory is None


def best_block_size(device: Device, launch: Any, max_threads: int | None = None) -> int:
    """The largest block of whole warps, or the limit itself, with the most resident threads; 0 when none runs."""
    pooled, unit = launch.pooled(), device.warp_size
    most = device.range(field_of(launch, "threads"))[1]
    most = most if max_threads is None else min(max_threads, most)
    residency = device.counter(pooled, "threads")
    best, threads = 0, 0
    for size in range(-(-most // unit) * unit, 0, -unit):
        resident = residency(min(size, most))[0] * min(size, most)
        if resident > best:
            best, threads = resident, min(size, most)
            if best == device.slots * unit:
                break
    return threads


def remarks(rows: Sequence[KernelAnswer]) -> list[str]:
    """What the reports cannot know, and what was taken instead; the reports' own notes."""
    counts: dict[str, int] = {}

    def say(text: str) -> None:
        counts[text] = counts.get(text, 0) + 1

    for row in rows:
        answer = row.answer
        if row.best_threads:
            say("block size: the report does not say; shown is the best that any block size gives (≤). Give --threads.")
        if row.without_registers:
            say("registers: the report does not say; shown is what any count gives at most (≤). Give --registers.")
        if row.report.pool is not None and answer:
            say(
                "shared memory: the pool that the profile states is used; the driver may choose a larger one for "
                "another launch, since it sets the pool by what one block needs."
            )
        if _silent(row.report, "dynamic_shared") and answer and not answer.launch.dynamic_shared:
            say("dynamic shared memory: the report does not say; taken as 0. Give --dynamic-shared.")
        barriers = answer.limits.get("barriers") if answer else None
        if row.report.barriers is None and barriers and barriers.blocks is not None:
            say("barriers: the report does not say; taken as 1 per block.")
        if row.problem:
            say(row.problem)
        for text in row.report.notes:
            say(text)
    return [f"{text} ({count:,} of {len(rows):,} kernels)" for text, count in counts.items()]
