"""Kernels of reports answered: each on its device, with its nearest steps, or with why there is no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from occusite import nvidia
from occusite.cli import cliffs, launches, many
from occusite.cli.cliffs import Nearest
from occusite.model.answer import Occupancy
from occusite.reports import KernelReport

_ARCHITECTURE = re.compile(r"sm_(\d{1,2})(\d)([af]?)")
_TEGRA = ((3, 2), (5, 3), (6, 2), (7, 2), (8, 7))


class Row(NamedTuple):
    """One kernel of one report: its answer, or why there is none (`problem`).

    `together`: what to change at once where no single step up exists because registers and shared memory tie.
    `best_threads`: the block size the answer is for where neither the report nor the user says one, else 0.
    """

    path: str
    report: KernelReport
    device: nvidia.Device | None = None
    answer: Occupancy | None = None
    steps: Nearest | None = None
    together: str = ""
    best_threads: int = 0
    problem: str = ""


class Answers:
    """Answers kernels; remembers what kernels of the same resources got."""

    def __init__(self, device: nvidia.Device | None, threads: int | None, dynamic_shared: int | None) -> None:
        self._device, self._threads, self._dynamic = device, threads, dynamic_shared
        self._devices: dict[str, nvidia.Device | str] = {}
        self._known: dict[tuple[Any, ...], tuple[Occupancy | None, Nearest | None, str, int, str]] = {}

    def row(self, path: str, report: KernelReport) -> Row:
        """The row of one kernel."""
        device = self._device_for(report.architecture)
        if isinstance(device, str):
            return Row(path, report, problem=device)
        key = (
            *(report.architecture, report.registers, report.static_shared, report.dynamic_shared),
            *(report.threads, report.max_threads, report.barriers, report.cluster),
        )
        if key not in self._known:
            self._known[key] = self._answer(device, report)
        return Row(path, report, device, *self._known[key])

    def _answer(
        self, device: nvidia.Device, report: KernelReport
    ) -> tuple[Occupancy | None, Nearest | None, str, int, str]:
        threads = report.threads if report.threads is not None else self._threads
        if threads and report.max_threads is not None and threads > report.max_threads:
            return None, None, "", 0, f"threads: the kernel's launch bounds allow {report.max_threads}, not {threads}"
        dynamic = report.dynamic_shared if report.dynamic_shared is not None else self._dynamic
        try:
            launch = report.launch(threads=threads or 1, dynamic_shared=dynamic)
            best = 0
            if threads is None:
                best = device.potential_block_size(cliffs.pooled(launch), None, report.max_threads).threads
                launch = replace(launch, threads=best or 1)
            answer = device.occupancy(launch)
        except ValueError as error:
            return None, None, "", 0, str(error)
        steps = cliffs.nearest(answer)
        return answer, steps, "" if steps.better else cliffs.together(answer), best, ""

    def _device_for(self, architecture: str) -> nvidia.Device | str:
        """The device to answer for, or why there is none."""
        if architecture not in self._devices:
            found = self._find(architecture)
            self._devices[architecture] = found if isinstance(found, str) else many.Device.of(found)
        return self._devices[architecture]

    def _find(self, architecture: str) -> nvidia.Device | str:
        if self._device is None:
            if not architecture:
                return "the report names no architecture: give --device or --architecture"
            try:
                return launches.device(architecture)
            except ValueError as error:
                return str(error)
        if architecture and not runs_on(architecture, self._device):
            return f"code for {architecture} does not run on {self._device.name}"
        return self._device


def runs_on(architecture: str, device: nvidia.Device) -> bool:
    """Whether binary code for "sm_86" runs on the device: same major, no newer minor; "sm_90a": that one alone.

    Source: CUDA Programming Guide, Binary Compatibility; it does not hold from or to the Tegra chips.
    """
    found = _ARCHITECTURE.fullmatch(architecture)
    if not found:
        return False
    major, minor = int(found[1]), int(found[2])
    ours, theirs = (device.major, device.minor), (major, minor)
    if found[3] == "a" or ours in _TEGRA or theirs in _TEGRA:
        return ours == theirs
    return major == device.major and minor <= device.minor


def remarks(rows: Sequence[Row]) -> list[str]:
    """What the reports cannot know, and what was taken instead; the reports' own notes."""
    said: dict[str, int] = {}

    def say(text: str) -> None:
        said[text] = said.get(text, 0) + 1

    for row in rows:
        if row.best_threads:
            say("block size: the report does not say; shown is the best that any block size gives (≤). Give --threads.")
        if row.report.dynamic_shared is None and row.answer and not row.answer.launch.dynamic_shared:
            say("dynamic shared memory: the report does not say; taken as 0. Give --dynamic-shared.")
        if row.report.barriers is None and row.answer and row.device and row.device.rules.barriers is not None:
            say("barriers: the report does not say; taken as 1 per block.")
        if row.problem:
            say(row.problem)
        for text in row.report.notes:
            say(text)
    return [f"{text} ({count:,} of {len(rows):,} kernels)" for text, count in said.items()]
