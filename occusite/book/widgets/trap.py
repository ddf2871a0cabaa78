"""The trap: occupancy and spills of a real kernel under a register cap the reader chooses (chapter 9)."""

from __future__ import annotations

from occusite.book.content.spills import ARCHITECTURES, KERNELS, Build, build, device, spilled, stairs
from occusite.book.parts.html import binds, limiters
from occusite.book.parts.widget import Choice, Slider, View, Widget


def view(kernel: str, architecture: str, cap: int) -> View:
    """What the compiler made of the cap, in words and as two curves."""
    capped, free = build(cap, kernel, architecture), build(0, kernel, architecture)
    answer = capped.occupancy()
    gained = answer.warps - free.occupancy().warps
    bytes_spilled = capped.spill_stores + capped.spill_loads
    return View(
        f"<strong>{answer.warps} warps, {bytes_spilled or 'no'} bytes spilled</strong> <br>"
        f"{capped.registers} registers; {limiters(answer)} {binds(answer.limiters)}. "
        f"{_verdict(capped, free, gained, bytes_spilled)}",
        {"stairs": stairs(kernel, architecture, cap), "spills": spilled(kernel, architecture, cap)},
    )


def _verdict(capped: Build, free: Build, gained: int, spilled: int) -> str:
    if not gained and spilled:
        return f"Without a cap: the same warps with {free.registers} registers, and nothing spilled for nothing."
    if not gained:
        return f"The compiler takes {free.registers} without a cap: this one changes no block."
    if not spilled:
        return f"{gained} warps more than without a cap, and nothing spilled: a gift."
    return f"{gained} warps more than without a cap, each thread paying {spilled} bytes of spill traffic."


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
