"""Completions and call signatures for a cell's editor, from the page's own variables; nothing of the cell is run."""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

# More than this no list shows.
LIMIT = 60

_DOTTED = re.compile(r"(?:[^\W\d]\w*\.)*(?:[^\W\d]\w*)?$")
_CALLEE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)$")
_MISSING = object()


def complete(names: Mapping[str, Any], source: str, at: int) -> dict[str, Any]:
    """What may stand at character `at` of `source`: `{"from": start, "options": [{"label", "type"}]}`.

    `names` are the variables of the page; imports of `source` that are loaded already count as run.
    """
    match = _DOTTED.search(source, 0, at)
    dotted = match[0] if match else ""
    owner, _, start = dotted.rpartition(".")
    known = {**_imports(source), **names}
    if owner:
        value = _resolve(known, owner)
        candidates = {} if value is _MISSING else {name: _attribute(value, name) for name in _dir(value)}
    elif start:
        words = dict.fromkeys(keyword.kwlist, keyword)
        written = {n.id: None for n in ast.walk(_parse(source)) if isinstance(n, ast.Name)}
        candidates = {**vars(builtins), **words, **written, **known}
    else:
        candidates = {}
    fitting = [
        n for n in candidates if n.startswith(start) and n != start and (start.startswith("_") or not n.startswith("_"))
    ]
    options = [{"label": n, "type": _kind(candidates[n])} for n in sorted(fitting)[:LIMIT]]
    return {"from": at - len(start), "options": options}


def signature(names: Mapping[str, Any], source: str, at: int) -> dict[str, Any] | None:
    """The call around character `at`: `{"text": "f(a, b=1)", "doc": first line, "at": its start}`, or None."""
    depth = 0
    for i in range(at - 1, max(-1, at - 2000), -1):
        depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(source[i], 0)
        if depth < 0:
            break
    else:
        return None
    match = _CALLEE.search(source, 0, i) if source[i] == "(" else None
    called = _resolve({**vars(builtins), **_imports(source), **names}, match[1]) if match else _MISSING
    if match is None or called is _MISSING or not callable(called):
        return None
    try:
        arguments = str(inspect.signature(called).replace(return_annotation=inspect.Signature.empty))
    except (ValueError, TypeError):
        return None
    arguments = re.sub(r": '([^']*)'", r": \1", arguments)
    doc = (inspect.getdoc(called) or "").partition("\n")[0]
    return {"text": match[1].rpartition(".")[2] + arguments, "doc": doc, "at": match.start(1)}


def _parse(source: str) -> ast.AST:
    """The tree of `source`; of its longest part that parses, when a line is still being written."""
    lines = source.splitlines()
    for end in range(len(lines), 0, -1):
        try:
            return ast.parse("\n".join(lines[:end]))
        except SyntaxError:
            continue
    return ast.Module([], [])


def _imports(source: str) -> dict[str, Any]:
    """What the imports of `source` name, as far as it is loaded."""
    imported: dict[str, Any] = {}
    for node in ast.walk(_parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name if alias.asname else alias.name.partition(".")[0]
                imported[alias.asname or top] = sys.modules.get(top, _MISSING)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                value = getattr(sys.modules.get(node.module), alias.name, _MISSING)
                imported[alias.asname or alias.name] = sys.modules.get(f"{node.module}.{alias.name}", value)
    return {name: value for name, value in imported.items() if value is not _MISSING}


def _resolve(names: Mapping[str, Any], dotted: str) -> Any:
    first, *rest = dotted.split(".")
    value = names.get(first, getattr(builtins, first, _MISSING))
    for name in rest:
        value = _attribute(value, name)
    return value


def _attribute(value: Any, name: str) -> Any:
    """An attribute without running a property of the reader's."""
    if value is _MISSING:
        return _MISSING
    if isinstance(inspect.getattr_static(value, name, None), property):
        return _MISSING
    return getattr(value, name, _MISSING)


def _dir(value: Any) -> list[str]:
    public = getattr(value, "__all__", None) if isinstance(value, ModuleType) else None
    return [str(n) for n in public] if public else dir(value)


def _kind(value: Any) -> str:
    if value is keyword:
        return "keyword"
    if isinstance(value, ModuleType):
        return "namespace"
    if isinstance(value, type):
        return "class"
    return "function" if callable(value) else "variable"
