"""What inline values in prose can name: every number in a sentence is an expression over these."""

from __future__ import annotations

from typing import Any

from occusite import __version__ as version  # noqa: F401 - for the prose
from occusite import littles_law, nvidia, paper, scheduler  # noqa: F401 - for the prose
from occusite.book.content import census, measured, scheduling, session, speed, spills  # noqa: F401 - for the prose
from occusite.book.content.scheduling import knees_of  # noqa: F401 - for the prose
from occusite.book.content.silicon import share  # noqa: F401 - for the prose
from occusite.book.parts.decision import decision  # noqa: F401 - for the prose
from occusite.book.parts.html import THIN, Markup, budget, budgets, count, limiters, percent, text  # noqa: F401
from occusite.model.answer import Occupancy
from occusite.questions import staircase

KIB = paper.KIB


def latency_range(chip: str = "GH100") -> tuple[Any, Any]:
    """The presets of one chip with the least and the greatest measured latency."""
    from occusite.book.content import tables

    return tables.latency_range(chip)


SM = paper.SM()


def on_paper(threads: int, registers: int, shared_kib: int = 0) -> Occupancy:
    """The paper SM's answer; shared memory in KiB."""
    return SM.occupancy(paper.Launch(threads, registers, shared_kib * KIB))


def on_ada(threads: int, registers: int, shared_kib: int = 0) -> Occupancy:
    """An Ada SM's exact answer; shared memory in KiB."""
    return nvidia.device("8.9").occupancy(
        nvidia.Launch(threads, registers, static_shared=0, dynamic_shared=shared_kib * KIB)
    )


def limiter(answer: Occupancy) -> Markup:
    """The limiters, in their colours."""
    return limiters(answer)


def pct(answer: Occupancy) -> str:
    """Occupancy as a rounded percentage."""
    return percent(answer.percent)


def kib(size: int) -> str:
    """Bytes as KiB."""
    return f"{size / KIB:g}{THIN}KiB"


def most_registers(warps: int, threads: int = 256, shared_kib: int = 12, device: Any = SM) -> int:
    """The most registers per thread at which `warps` warps are still resident."""
    launch = (
        paper.Launch(threads, 32, shared_kib * KIB)
        if device is SM
        else nvidia.Launch(threads, 32, dynamic_shared=shared_kib * KIB)
    )
    return max(p.last for p in staircase.plateaus(device.occupancy(launch)) if p.warps >= warps)


def plateau(registers: int, threads: int = 256, shared_kib: int = 12) -> staircase.Plateau:
    """The step of the paper SM's staircase that `registers` stands on."""
    steps = staircase.plateaus(on_paper(threads, 32, shared_kib))
    return next(p for p in steps if p.first <= registers <= p.last)


def most_registers_on_ada(warps: int, threads: int = 256) -> int:
    """The most registers per thread at which an Ada SM holds `warps` warps."""
    return most_registers(warps, threads, 0, nvidia.device("8.9"))


def on_ada_paper(threads: int, registers: int, shared_kib: int = 0) -> Occupancy:
    """What the paper rule says of an Ada-class SM."""
    return paper.ADA.occupancy(paper.Launch(threads, registers, shared_kib * KIB))


def little(bandwidth: float, latency: float, sms: int, access: int = 128, loads: int = 1) -> littles_law.Supply:
    """Little's law for one memory system."""
    return littles_law.Supply(bandwidth, latency, sms, access, loads)


def on_cc(capability: str, threads: int, registers: int, shared_kib: int = 0, **more: Any) -> Occupancy:
    """The exact answer on one compute capability; dynamic shared memory in KiB."""
    return nvidia.device(capability).occupancy(
        nvidia.Launch(threads, registers, dynamic_shared=shared_kib * KIB, **more)
    )


def step(answer: Occupancy, unit: str) -> int:
    """What the first line of the working with this unit comes to."""
    return next(s.value for s in answer.steps if s.unit == unit and s.value is not None)
