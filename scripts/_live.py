"""The book's server with live reload: serve.py runs it in the private environment; it ends when its input does."""

import _thread
import contextlib
import logging
import shutil
import sys
import tempfile
import threading
import traceback
from html import escape
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.livereload import LiveReloadServer
from pymdownx.superfences import SuperFencesException

PATH = "/occusite/"
log = logging.getLogger("mkdocs.serve")


class Server(LiveReloadServer):
    """MkDocs' server, except that after a failed build the last good pages stay (MkDocs leaves the browser waiting)."""

    def __init__(self, config_file: Path, port: int, folder: Path) -> None:
        self.config_file, self.folder, self.builds = config_file, folder, 0
        self.watched: set[str] = set()
        super().__init__(self.rebuild, "127.0.0.1", port, str(folder / "none"), mount_path=PATH)

    def config(self) -> MkDocsConfig:
        """Load the configuration; the first time, tell the plugins that this is a server, and watch the sources."""
        site = str(self.folder / str(self.builds))
        config = load_config(str(self.config_file), site_dir=site, site_url=self.url, strict=False)
        if not self.watched:
            config.plugins.on_startup(command="serve", dirty=False)
            config.plugins.on_serve(self, config=config, builder=self.rebuild)
            # A change of the package needs a new process, which serve.py starts.
            self.watched = {config.docs_dir, *(path for path in config.watch if Path(path).name != "occusite")}
            for path in self.watched:
                self.watch(path)
        return config

    def rebuild(self) -> None:
        """Build into a new folder, and serve that one from now on if all went well."""
        self.builds += 1
        try:
            config = self.config()
            build(config, serve_url=self.url)
        except (Exception, SystemExit) as error:
            if not isinstance(error, SystemExit | MkDocsException | SuperFencesException):
                traceback.print_exc()
            log.error("The book could not be built: %s\nMend it and save; until then the last good pages stay.", error)
            self.tell(str(error))
        else:
            old, self.root = self.root, config.site_dir
            shutil.rmtree(old, ignore_errors=True)

    def tell(self, error: str) -> None:
        """Before the first good build, the page to be seen is what went wrong."""
        root = Path(self.root)
        if root.name == "none":
            root.mkdir(exist_ok=True)
            page = (
                f"<!doctype html><title>Not built</title><h1>The book could not be built</h1><pre>{escape(error)}</pre>"
            )
            (root / "index.html").write_text(page, encoding="utf-8")

    def run(self) -> None:
        """Build, then serve and rebuild on every save, until the process is told to stop."""
        self.watch(str(self.config_file))
        self.rebuild()
        print(f"\nOccusite: {self.url}    (Ctrl-C stops it)\n", flush=True)
        try:
            self.serve()
        finally:
            self.shutdown()


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    _thread.interrupt_main()


def main(config_file: str, port: str) -> None:
    """Serve the book of this mkdocs.yml at this port of this machine."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S", level=logging.WARNING)
    logging.getLogger("mkdocs").setLevel(logging.INFO)
    threading.Thread(target=_end_with_input, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="occusite-") as folder, contextlib.suppress(KeyboardInterrupt):
        Server(Path(config_file).resolve(), int(port), Path(folder)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
