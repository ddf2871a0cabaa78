"""The exercises, a folder a chapter, one file each; a file's name is the exercise's name in Markdown."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from occusite.book.parts.exercise import Code, Exercise, Verdict
from occusite.model.checks import choice


@cache
def _modules() -> dict[str, str]:
    """The module of every exercise by the exercise's name."""
    modules = (m.name for m in pkgutil.walk_packages(__path__, f"{__name__}.") if not m.ispkg)
    return {module.rpartition(".")[2]: module for module in modules}


def names() -> list[str]:
    """The names of all exercises."""
    return sorted(_modules())


def load(name: str) -> Exercise:
    """The exercise called `name`. Raises `ValueError` for an unknown one."""
    choice("exercise", name, tuple(names()))
    exercise = importlib.import_module(_modules()[name]).exercise
    assert isinstance(exercise, Exercise)
    return exercise


def check(name: str, source: str) -> Verdict:
    """Judge a program written for the code exercise `name`. Raises `ValueError` for an exercise without a program."""
    exercise = load(name)
    if not isinstance(exercise, Code):
        raise ValueError(f"exercise: {name!r} is not allowed; give one that asks for a program")
    return exercise.judge(source)
