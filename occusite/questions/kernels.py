"""Kernels of reports answered: each on its device, with its nearest steps, or with why there is no answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from occusite import devices
from occusite.model.answer import Device, Occupancy
from occusite.model.terms import grouped
from occusite.questions import steps
from occusite.questions.steps import Nearest
from occusite.reports.report import KernelReport


class KernelAnswer(NamedTuple):
    """One kernel of one report: its answer, or why there is none (`problem`).

    `together`: whether several changes are needed at once, since no single one gives more warps. `best_threads`: the
    block size the answer is for where neither the report nor the user says one, else 0.
    """

    report: KernelReport
    device: Device | None = None
    answer: Occupancy | None = None
    steps: Nearest | None = None
    best_threads: int = 0
    problem: str = ""

    def step_up(self, number: Callable[[int], str] = grouped) -> str:
        """The way to more warps: "3 registers fewer: 40 warps"; "?" without an answer, "–" where there is none."""
        if self.steps is None or self.answer is None:
            return "?"
        better = self.steps.better
        if better is None:
            return steps.together(self.answer, number) or "–"
        return steps.words(self.answer.device, better, number)

    def step_down(self, number: Callable[[int], str] = grouped) -> str:
        """The nearest step to fewer warps, in the same words."""
        if self.steps is None or self.answer is None:
            return "?"
        return steps.words(self.answer.device, self.steps.worse, number)


class Answers:
    """Answers kernels; remembers what kernels of the same resources got.

    `device`: the device for all of them, None: the one that each kernel's architecture names. `threads`,
    `dynamic_shared` (bytes): taken where a report does not say; without `threads`, the best block size is looked for.
    """

    def __init__(
        self, device: Device | None = None, threads: int | None = None, dynamic_shared: int | None = None
    ) -> None:
        self._device, self._threads, self._dynamic = device, threads, dynamic_shared
        self._devices: dict[str, Device | str] = {}
        self._known: dict[tuple[Any, ...], tuple[Occupancy | None, Nearest | None, int, str]] = {}

    def row(self, report: KernelReport) -> KernelAnswer:
        """The answer for one kernel."""
        architecture = report.architecture
        if architecture not in self._devices:
            self._devices[architecture] = self._device_for(architecture)
        device = self._devices[architecture]
        if isinstance(device, str):
            return KernelAnswer(report, problem=device)
        key = (
            *(architecture, report.registers, report.static_shared, report.dynamic_shared),
            *(report.threads, report.max_threads, report.barriers, report.cluster),
        )
        if key not in self._known:
            self._known[key] = self._answer(device, report)
        return KernelAnswer(report, device, *self._known[key])

    def _answer(self, device: Device, report: KernelReport) -> tuple[Occupancy | None, Nearest | None, int, str]:
        threads = report.threads if report.threads is not None else self._threads
        if threads and report.max_threads is not None and threads > report.max_threads:
            return None, None, 0, f"threads: the kernel's launch bounds allow {report.max_threads}, not {threads}"
        dynamic = report.dynamic_shared if report.dynamic_shared is not None else self._dynamic
        try:
            launch = report.launch(threads=threads or 1, dynamic_shared=dynamic)
            best = 0
            if threads is None:
                best = best_block_size(device, launch, report.max_threads)
                launch = replace(launch, threads=best or 1)
            answer = device.occupancy(launch)
        except ValueError as error:
            return None, None, 0, str(error)
        return answer, steps.nearest(answer), best, ""

    def _device_for(self, architecture: str) -> Device | str:
        """The device to answer for, or why there is none."""
        if self._device is None:
            if not architecture:
                return "architecture: the report names none; say for which GPU"
            try:
                return devices.find(architecture)
            except ValueError as error:
                return f"architecture: {architecture!r}: {error}"
        if architecture and not self._device.runs(architecture):
            return f"code for {architecture} does not run on {self._device.name}"
        return self._device


def best_block_size(device: Device, launch: Any, max_threads: int | None = None) -> int:
    """The largest block of whole warps, or the limit itself, with the most resident threads; 0 when none runs."""
    pooled, unit = launch.pooled(), device.warp_size
    sized = next(f for f in launch.FIELDS if f.name == "threads")
    most = device.range(sized)[1] if max_threads is None else min(max_threads, device.range(sized)[1])
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
    said: dict[str, int] = {}

    def say(text: str) -> None:
        said[text] = said.get(text, 0) + 1

    for row in rows:
        answer = row.answer
        if row.best_threads:
            say("block size: the report does not say; shown is the best that any block size gives (≤). Give --threads.")
        if row.report.dynamic_shared is None and answer and not answer.launch.dynamic_shared:
            say("dynamic shared memory: the report does not say; taken as 0. Give --dynamic-shared.")
        barriers = answer.limits.get("barriers") if answer else None
        if row.report.barriers is None and barriers and barriers.blocks is not None:
            say("barriers: the report does not say; taken as 1 per block.")
        if row.problem:
            say(row.problem)
        for text in row.report.notes:
            say(text)
    return [f"{text} ({count:,} of {len(rows):,} kernels)" for text, count in said.items()]
