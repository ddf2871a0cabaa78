"""What a reader should know of an error that only the browser's Python makes: one sentence, below the traceback."""

from __future__ import annotations

import sys

OUTSIDE = "“Download this page as a notebook”, at its foot, gives you the same cells for your own Python."


def hint(error: BaseException) -> str:
    """One sentence for the reader, or ""."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        name = error.name.partition(".")[0]
        if name not in sys.stdlib_module_names and name != "occusite":
            return f"{name} is not in this page: Python in the browser has its standard library and occusite. {OUTSIDE}"
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return "Python in the browser has no threads."
    if isinstance(error, OSError | RuntimeError) and _in_network_code(error):
        return "Python in the browser reaches no network: nothing you run here leaves the page."
    return ""


def _in_network_code(error: BaseException) -> bool:
    """Whether the traceback passes through a module that opens connections."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") in ("socket", "urllib.request", "http.client", "ssl"):
            return True
        trace = trace.tb_next
    return False
