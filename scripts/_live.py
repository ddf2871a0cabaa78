"""Builds the pages for serve.py, which runs this in the private environment: a line of input a build, a line of output."""

import _thread
import contextlib
import importlib
import json
import logging
import os
import queue
import sys
import threading
import traceback
from pathlib import Path
from typing import TextIO

PACKAGE = "occusite"
# Served by serve.py from a folder of its own: a change of a script is then no change of a page.
SCRIPTS = "/assets/dist/"


def build(config_file: Path, out: Path, url: str) -> str | None:
    """Build all pages into `out`; what went wrong, or None."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException
    from pathspec.gitignore import GitIgnoreSpec
    from pymdownx.superfences import SuperFencesException

    try:
        config = load_config(str(config_file), site_dir=str(out), site_url=url, strict=False)
        config.exclude_docs = (config.exclude_docs or GitIgnoreSpec([])) + GitIgnoreSpec.from_lines([SCRIPTS])
        config.plugins.on_startup(command="serve", dirty=False)
        try:
            build(config, serve_url=url)
        finally:
            config.plugins.on_shutdown()
    except (Exception, SystemExit) as error:
        if not isinstance(error, SystemExit | MkDocsException | SuperFencesException):
            traceback.print_exc()
        return str(error) or type(error).__name__
    return None


def load_ahead(names: Path) -> None:
    """Import what an earlier build imported, as `names` lists it, so that the next one need not wait for it.

    The package is left out: it may change before that build.
    """
    for name in names.read_text(encoding="utf-8").split() if names.exists() else ():
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def loaded() -> list[str]:
    """The modules to load ahead next time."""
    return sorted(n for n in sys.modules if n.partition(".")[0] not in (PACKAGE, "__main__"))


def _lines(jobs: "queue.Queue[str]", busy: threading.Event) -> None:
    """Hand on each line of the input, then an empty one. A build, or what is loaded ahead, is not waited for."""
    for line in sys.stdin:
        jobs.put(line)
    jobs.put("")
    if busy.is_set():
        _thread.interrupt_main()


def _answers() -> TextIO:
    """Where the answers go: whatever a page prints while it is built goes to the error stream instead."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def main(config_file: str, url: str, names: str) -> None:
    """Answer each line `{"out": folder}` with `{"error": text or null}`, until the input ends."""
    answers = _answers()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S", level=logging.WARNING)
    logging.getLogger("mkdocs").setLevel(logging.INFO)
    jobs: queue.Queue[str] = queue.Queue()
    busy = threading.Event()
    threading.Thread(target=_lines, args=(jobs, busy), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        busy.set()
        load_ahead(Path(names))
        busy.clear()
        while line := jobs.get():
            busy.set()
            error = build(Path(config_file), Path(json.loads(line)["out"]), url)
            Path(names).write_text("\n".join(loaded()), encoding="utf-8")
            busy.clear()
            answers.write(json.dumps({"error": error}) + "\n")
            answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
