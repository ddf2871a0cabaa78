"""The trap: occupancy and spills of a real kernel under a register cap the reader chooses (chapter 9)."""

from __future__ import annotations

from occusite.book.content.spills import ARCHITECTURES, KERNELS, Build, build, device, spilled, stairs
from occusite.book.parts.html import limiters
from occusite.book.parts.widget import Choice, Slider, View, Widget


def view(kernel: str, architecture: str, cap: int) -> View:
    """What the compiler made of the cap, in words and as two curves."""
    capped, free = build(cap, kernel, architecture), build(0, kernel, architecture)
    answer = capped.occupancy()
    gained = answer.warps - free.occupancy().warps
    bytes_spilled = capped.spill_stores + capped.spill_loads
    return View(
        f"<strong>{answer.warps} warps, {bytes_spilled or 'no'} bytes of spill code</strong> <br>"
        f"{capped.registers} registers per thread; what binds: {limiters(answer)}. "
        f"{_verdict(capped, free, gained, bytes_spilled)}",
        {"stairs": stairs(kernel, architecture, cap), "spills": spilled(kernel, architecture, cap)},
    )


def _verdict(capped: Build, free: Build, gained: int, spilled: int) -> str:
    """What the cap changed, against the build without one."""
    alone = f"Without a cap the compiler takes {free.registers}"
    if gained < 0:
        return f"{alone} and {-gained} warps more are resident: this cap costs warps."
    if not gained and spilled:
        return f"{alone}, as many warps are resident, and nothing is spilled."
    if not gained:
        return f"{alone}: this cap changes no block."
    if not spilled:
        return (
            f"{gained} warps more than without a cap, and nothing spilled. What else it gave up, the log does not say."
        )
    return f"{gained} warps more than without a cap. The spill code moves {spilled} bytes for each thread, every time it runs."


widget = Widget(
    "The trap: a register cap on a real kernel",
    (
        Choice("kernel", "Kernel", KERNELS, "sgemm8x8"),
        Choice(
            "architecture",
            "Architecture",
            {a: f"{a} · {device(a).name.partition('(')[2][:-1]}" for a in ARCHITECTURES},
            "sm_86",
        ),
        Slider("cap", "Register cap", 24, 255, 1, 80, "", "registers"),
    ),
    view,
)
