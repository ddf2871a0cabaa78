"""Runs a cell's Python, at build and in the browser alike, and turns what it did into outputs."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import json
import linecache
import traceback

# What runs while the reader's code does: it may have rebound the names in `builtins`.
from builtins import BaseException, len, max, type  # noqa: UP029
from collections.abc import Callable
from typing import Any

Output = dict[str, str]
Namespace = dict[str, Any]


# Files whose frames a traceback leaves out, between the reader's own.
_OWN = ("book/runtime/interpreter.py", "book/runtime/event_loop.py", "asyncio/base_events.py", "asyncio/runners.py")
# A code object that is a coroutine's, since it awaits at its top level.
_COROUTINE = 0x80

# A run may print this many characters; what it prints beyond is counted, not kept.
PRINT_LIMIT = 400_000


class _Stream(io.TextIOBase):
    """Collects text up to `PRINT_LIMIT`, and passes it on as it comes."""

    def __init__(self, on_text: Callable[[str], None] | None) -> None:
        self.parts: list[str] = []
        self.size, self.on_text = 0, on_text

    def writable(self) -> bool:
        return True

    def write(self, data: str) -> int:
        fits = data[: max(0, PRINT_LIMIT - self.size)]
        self.size += len(data)
        if fits:
            self.parts.append(fits)
            if self.on_text:
                self.on_text(fits)
        return len(data)

    def outputs(self) -> list[Output]:
        """What was printed: one output, or none."""
        text = "".join(self.parts)
        if self.size > PRINT_LIMIT:
            text += f"\n… cut here: {PRINT_LIMIT:,} of {self.size:,} characters are shown.\n"
        return [{"kind": "text", "data": text}] if text else []


def namespace() -> Namespace:
    """A fresh namespace for one page's cells."""
    return {"__name__": "__main__", "__builtins__": __builtins__}


def run(
    source: str,
    names: Namespace,
    label: str = "cell",
    on_text: Callable[[str], None] | None = None,
    hint: Callable[[BaseException], str] = lambda error: "",
) -> tuple[list[Output], BaseException | None]:
    """Run `source` in `names`; return its outputs and the exception it raised, if any. It may `await` at its top level.

    Outputs are `{"kind": "text" | "html" | "svg" | "chart" | "error", "data": …}` in the order they came; the value
    of a last line that is an expression is shown as a notebook would. `label` names the cell in tracebacks,
    `on_text` receives printed text while the cell runs, `hint` gives a sentence to stand below an error.
    """
    stream, shown, originals = _Stream(on_text), list[Output](), dict(vars(builtins))
    filename = f"<{label}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            try:
                body, last = _split(source, filename)
                _evaluate(body, names)
                value = None if last is None else _evaluate(last, names)
            finally:
                vars(builtins).update(originals)
            if value is not None:
                names["_"] = value
                shown.append(show(value))
    except BaseException as error:
        words = "\n\n".join(filter(None, (tidy(error, filename), hint(error))))
        return [*stream.outputs(), {"kind": "error", "data": words}], error
    return stream.outputs() + shown, None


def _evaluate(code: Any, names: Namespace) -> Any:
    value = eval(code, names)
    if code.co_flags & _COROUTINE:
        import asyncio

        return asyncio.run(value)
    return value


def _split(source: str, filename: str) -> tuple[Any, Any]:
    tree = ast.parse(source, filename)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = _compiled(ast.Expression(tree.body.pop().value), filename, "eval")  # type: ignore[attr-defined]
    return _compiled(tree, filename, "exec"), last


def _compiled(tree: Any, filename: str, mode: str) -> Any:
    return compile(tree, filename, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def show(value: object) -> Output:
    """The richest form `value` offers: a chart, HTML, SVG, else its `repr`."""
    from occusite.book.parts.charts import Chart

    if isinstance(value, Chart):
        return {"kind": "chart", "data": value.json(), "alt": value.alt}
    if isinstance(value, dict) and "vega-lite" in str(value.get("$schema", "")):
        return {"kind": "chart", "data": json.dumps(value), "alt": str(value.get("description", "A chart"))}
    for method, kind in (("_repr_html_", "html"), ("_repr_svg_", "svg")):
        form = getattr(value, method, None)
        if callable(form) and not isinstance(value, type):
            return {"kind": kind, "data": str(form())}
    return {"kind": "text", "data": repr(value) + "\n"}


def tidy(error: BaseException, filename: str) -> str:
    """The traceback from the reader's first line on, without the book's own frames."""
    report = traceback.TracebackException.from_exception(error)
    for part in _chain(report):
        stack = [frame for frame in part.stack if not frame.filename.endswith(_OWN)]
        frames = [i for i, frame in enumerate(stack) if frame.filename.startswith(filename[:5])]
        part.stack = traceback.StackSummary.from_list(stack[frames[0] :] if frames else [])
    # Columns differ between Python versions; the line is what the reader needs.
    lines = [line for line in "".join(report.format()).splitlines() if set(line.strip()) - set("^~")]
    return "\n".join(lines)


def _chain(report: traceback.TracebackException) -> list[traceback.TracebackException]:
    links: list[traceback.TracebackException] = []
    part: traceback.TracebackException | None = report
    while part is not None and part not in links:
        links.append(part)
        part = part.__cause__ or part.__context__
    return links
