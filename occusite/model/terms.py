"""The words of a vendor, the budgets of its processor core, and sentences whose numbers each surface sets itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

# Where a budget is shown: its colour and mark, the same for every vendor.
SLOTS = ("registers", "memory", "warps", "blocks", "barriers", "other")


class Terms(NamedTuple):
    """A vendor's nouns, singular: the processor `core` ("SM", "CU"), `warp`, `block`, `thread`, on-chip `memory`."""

    core: str
    warp: str
    block: str
    thread: str
    memory: str


class Budget(NamedTuple):
    """One stock of the core: its `key` in answers, its `name` in prose, and the `slot` (of `SLOTS`) it is shown in."""

    key: str
    name: str
    slot: str


def grouped(number: int) -> str:
    """A whole number as plain text sets it: "65,536"."""
    return f"{number:,}"


class Phrase(NamedTuple):
    """A sentence as data: `shape` with a `{}` for each of `numbers`, so that each surface sets its own thousands."""

    shape: str
    numbers: tuple[int, ...] = ()

    def text(self, number: Callable[[int], str] = grouped) -> str:
        """The sentence, each number set by `number`."""
        return self.shape.format(*map(number, self.numbers))


class Step(NamedTuple):
    """One line of the arithmetic.

    `budget`: a budget's key, or "" for a line about the whole launch. `shape` and `numbers`: the arithmetic, as in
    `Phrase`. `value`: what it comes to, None for no limit, in `unit`. `rule`: why this line is there.
    """

    budget: str
    shape: str
    numbers: tuple[int, ...]
    value: int | None
    unit: str
    rule: str = ""

    def text(self, number: Callable[[int], str] = grouped) -> str:
        """The arithmetic, each number set by `number`: "⌊65,536 ÷ 8,192⌋"."""
        return self.shape.format(*map(number, self.numbers))


def counted(number: int, noun: str, number_text: Callable[[int], str] = grouped) -> str:
    """A number with its noun, given as a plural: "1 block", "4 blocks"."""
    return f"{number_text(number)} {noun.removesuffix('s') if number == 1 else noun}"


def joined(words: list[str] | tuple[str, ...]) -> str:
    """Words as prose lists them: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
