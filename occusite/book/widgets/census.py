"""The census: how full the kernels of published libraries can make an SM, and what holds them back (Measured)."""

from __future__ import annotations

from occusite.book.content.census import (
    ALL,
    architectures,
    at_most,
    can_fill,
    count,
    framed,
    held_back,
    histogram,
    libraries,
    shells,
)
from occusite.book.content.measured import GROUPS, SEVERAL, legend
from occusite.book.parts.html import budget, text
from occusite.book.parts.widget import Choice, View, Widget


def view(architecture: str, library: str, dynamic: str) -> View:
    """How many kernels cannot pass a quarter of the slots, how many can fill them, and the picture by occupancy."""
    kernels, empty = count(architecture, library), shells(architecture, library)
    who = "these libraries" if library == ALL else library
    if not kernels:
        return View(
            f"<strong>{who} ships no kernel for {architecture}</strong> <br>Such a GPU runs what was compiled for another "
            "architecture of its generation, or compiles anew.",
            {"classes": histogram(architecture, library, 0), "legend": legend(set())},
        )
    most = int(dynamic)
    held = next(iter(held_back(architecture, library, most).items()), None)
    others = ""
    if held:
        name = "several budgets at once" if held[0] == SEVERAL else budget(held[0])
        others = f"Of the others most are limited by {name}: {held[1]:.0f}\u202f%. "
    left_out = f"; {text(empty)} empty shells are left out" if empty else ""
    return View(
        f"<strong>{at_most(architecture, 25, library, most):.0f}\u202f% cannot pass a quarter of the slots; "
        f"{can_fill(architecture, library, most):.0f}\u202f% can fill them</strong> <br>{text(kernels)} kernels of {who} "
        f"for {architecture}{left_out}. {others}{framed(architecture, library):.0f}\u202f% use the stack.",
        {"classes": histogram(architecture, library, most), "legend": legend(set(GROUPS), shapes=False)},
    )


TARGETS = architectures()

widget = Widget(
    "How full can shipped kernels be?",
    (
        Choice("library", "Library", {ALL: "all of them", **{name: name for name in libraries()}}, ALL),
        Choice("architecture", "Compiled for", {target: target for target in TARGETS}, "sm_90"),
        Choice(
            "dynamic", "Dynamic shared memory a block", {"0": "none", "16": "16\u202fKiB", "48": "48\u202fKiB"}, "0"
        ),
    ),
    view,
)
