"""The book's widgets, one file each; a file's name is the widget's name in Markdown."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from occusite.book.parts.widget import Widget
from occusite.model.checks import choice


@cache
def names() -> tuple[str, ...]:
    """The names of all widgets."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def load(name: str) -> Widget:
    """The widget called `name`. Raises `ValueError` for an unknown one."""
    choice("widget", name, names())
    widget = importlib.import_module(f"{__name__}.{name}").widget
    assert isinstance(widget, Widget)
    return widget
