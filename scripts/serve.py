"""Serves the book on this machine and rebuilds it on save: `python3 scripts/serve.py`. It does all the set-up itself."""

import _setup  # first: it says so if this Python is too old

# isort: split
import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterable, Sequence
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

HOST = "127.0.0.1"
FIRST_PORT = 8000
PATH = "/occusite/"
SCRIPTS = "assets/dist/"
DOCS = _setup.ROOT / "docs"
BUNDLER = _setup.ROOT / "scripts" / "assets.mjs"
# What is watched, by what has to be done when it changes; `SPARED` is what no page is made of.
PACKAGE = [_setup.ROOT / "occusite"]
PAGES = [DOCS, _setup.ROOT / "mkdocs.yml"]
BROWSER = [DOCS / "assets" / "src", BUNDLER]
SPARED = [DOCS / "assets" / "src", DOCS / "assets" / "dist"]
# Seconds between two looks at the files.
LOOK_EVERY = 0.2
# Seconds after which a page that waits for news asks again.
NEWS_WITHIN = 25

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".ipynb": "application/x-ipynb+json",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}

# In every page served: ask for news while the page is seen, and reload when there is another edition.
RELOAD = """<script>self.occusiteReload ??= (async () => {
  const edition = "EDITION", wait = (ms) => new Promise((go) => setTimeout(go, ms))
  for (;;) {
    if (document.hidden) await new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }))
    const now = await fetch(`/livereload/${edition}`).then((answer) => answer.text(), () => wait(1000))
    if (now && now !== edition) return location.reload()
  }
})()</script>"""
NOTICE = "<!doctype html><html lang=en><meta charset=utf-8><title>{0}</title><h1>{0}</h1><pre>{1}</pre></html>"


def main() -> None:
    """Choose a port, set up, serve; rebuild what a save changes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--port", type=_port, help=f"the port to serve at (default: the first free one from {FIRST_PORT})"
    )
    parser.add_argument("--open", action="store_true", help="open the book in your browser")
    arguments = parser.parse_args()
    port = choose_port(arguments.port)
    serve(_setup.prepare(), port, arguments.open)


def serve(tools: _setup.Tools, port: int, open_browser: bool) -> None:
    """Serve until interrupted: the last good edition, and from each save the next one once it is whole."""
    with tempfile.TemporaryDirectory(prefix="occusite-") as folder, Front(port) as front:
        workshop = Workshop(tools, front.url, Path(folder), front)
        threading.Thread(target=front.serve_forever, daemon=True).start()
        try:
            seen = Seen()
            workshop.make(pages=True, scripts=True)
            print(f"\nOccusite: {front.url}    (Ctrl-C stops it)\n", flush=True)
            if open_browser:
                webbrowser.open(front.url)
            while True:
                time.sleep(LOOK_EVERY)
                now = Seen.settled()
                if now.package != seen.package:
                    workshop.renew()
                if now.bundler != seen.bundler:
                    workshop.bundler.end()
                package = now.package != seen.package
                pages, scripts = package or now.pages != seen.pages, package or now.scripts != seen.scripts
                seen = now
                if pages or scripts:
                    workshop.make(pages, scripts)
        finally:
            workshop.end()
            front.shutdown()


class Seen:
    """What the sources are at one moment."""

    def __init__(self) -> None:
        self.package, self.pages, self.scripts = state(PACKAGE), state(PAGES, SPARED), state(BROWSER)
        self.bundler = self.scripts.get(str(BUNDLER))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen) and vars(self) == vars(other)

    @classmethod
    def settled(cls) -> "Seen":
        """The sources once nothing changes between two looks: an editor, or git, may still be writing."""
        before, now = cls(), cls()
        while before != now:
            time.sleep(LOOK_EVERY)
            before, now = now, cls()
        return now


def state(paths: Iterable[Path], spared: Sequence[Path] = ()) -> dict[str, tuple[int, int]]:
    """Every source file under these paths, but not under those `spared`, with its time and size: shows what was saved."""
    files = {}
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            if "__pycache__" not in file.parts and not any(file.is_relative_to(folder) for folder in spared):
                with contextlib.suppress(OSError):
                    status = file.stat()
                    if file.is_file():
                        files[str(file)] = (status.st_mtime_ns, status.st_size)
    return files


class Helper:
    """A process that stands by: it loads what it needs, then answers each line of its input with one of output.

    It is started when first asked or told to stand by, and again when it has ended; it ends when its input is closed.
    """

    def __init__(self, name: str, command: list[str], env: dict[str, str], tidies: bool = False) -> None:
        """`tidies`: it has to end by itself, since it has temporary files and processes of its own."""
        self.name, self.command, self.env, self.tidies = name, command, env, tidies
        self.process: subprocess.Popen[str] | None = None
        self.closed = False

    def stand_by(self) -> "subprocess.Popen[str]":
        """Start the process unless it is there."""
        if self.process is None or self.process.poll() is not None:
            # A group of its own: Ctrl-C reaches serve.py only, which then ends its helpers in order.
            group = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
            self.process = subprocess.Popen(self.command, cwd=_setup.ROOT, env=self.env, **pipes, **group)  # type: ignore[call-overload]
        return self.process

    def ask(self, out: Path) -> str | None:
        """Have it build into `out`; what went wrong, or None."""
        for _ in range(2):
            if self.closed:
                break
            process = self.stand_by()
            assert process.stdin and process.stdout
            with contextlib.suppress(OSError, ValueError):
                process.stdin.write(json.dumps({"out": str(out)}) + "\n")
                process.stdin.flush()
                if answer := process.stdout.readline():
                    error: str | None = json.loads(answer).get("error")
                    return error
            # It ended before it answered, perhaps before it was asked: a fresh one gets one try.
            if not self.closed:
                self.end()
        return f"{self.name} ended by itself; the lines above say why."

    def end(self) -> None:
        """End the process, and wait for it."""
        process, self.process = self.process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            if process.stdin:
                process.stdin.close()
        if not self.tidies:
            process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()


class Workshop:
    """Makes editions of the book in `folder`: the pages by MkDocs, the scripts by the bundler, side by side."""

    def __init__(self, tools: _setup.Tools, url: str, folder: Path, front: "Front") -> None:
        self.folder, self.front, self.editions = folder, front, 0
        live = tools.python(
            _setup.ROOT / "scripts" / "_live.py", _setup.ROOT / "mkdocs.yml", url, folder / "modules.txt"
        )
        # A process that has imported the package never sees its change; the one beside it has not imported it yet.
        self.builder, self.fresh = (Helper("The builder", live, tools.env, tidies=True) for _ in range(2))
        self.bundler = Helper("The bundler", [*tools.node, str(BUNDLER), "--standby"], tools.env)

    def renew(self) -> None:
        """The package changed: from now on, another process builds the pages."""
        self.builder.end()
        self.builder, self.fresh = self.fresh, self.builder

    def make(self, pages: bool, scripts: bool) -> None:
        """Make what changed, and show it in one go; what failed stays as it was before."""
        start = time.monotonic()
        self.editions += 1
        site, bundle = self.folder / f"site-{self.editions}", self.folder / f"scripts-{self.editions}"
        errors: dict[str, str | None] = {}
        jobs = [("pages", self.builder, site)] * pages + [("scripts", self.bundler, bundle)] * scripts

        def work(name: str, helper: Helper, out: Path) -> None:
            errors[name] = helper.ask(out)

        threads = [threading.Thread(target=work, args=job, daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.5)  # with a limit: without one, Windows would not let Ctrl-C through
        for error in filter(None, errors.values()):
            print(f"The book could not be built: {error}\nMend it and save; until then the last good edition stays.")
        made = {name for name, error in errors.items() if error is None}
        for name, out in (("pages", site), ("scripts", bundle)):
            if name not in made:
                shutil.rmtree(out, ignore_errors=True)
        if errors.get("pages"):
            self.front.excuse(str(errors["pages"]))
        if made:
            for old in self.front.show(site if "pages" in made else None, bundle if "scripts" in made else None):
                shutil.rmtree(old, ignore_errors=True)
            print(f"Built the {' and the '.join(sorted(made))} in {time.monotonic() - start:.1f} s.", flush=True)
        for helper in (self.fresh, self.bundler):
            helper.stand_by()

    def end(self) -> None:
        """End all processes for good."""
        helpers = (self.builder, self.fresh, self.bundler)
        for helper in helpers:
            helper.closed = True
            if helper.process and helper.process.stdin:
                with contextlib.suppress(OSError):
                    helper.process.stdin.close()
        for helper in helpers:
            helper.end()


class Front(ThreadingHTTPServer):
    """The server: it answers from the first moment on, always from whole editions."""

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # there it would share the port

    def __init__(self, port: int) -> None:
        self.url = f"http://{HOST}:{port}{PATH}"
        self.site: Path | None = None
        # The newest bundle, and the one before it: a page that is still open may load a part of that one.
        self.bundles: list[Path] = []
        self.notice = NOTICE.format("The book is being built", "This page reloads when it is there.")
        self.edition = str(time.time_ns())
        self.news = threading.Condition()
        super().__init__((HOST, port), Answer)

    def show(self, site: Path | None, bundle: Path | None) -> list[Path]:
        """Serve this site and this bundle from now on, where they are given, and tell the pages that wait; returns the
        folders that are not served any more."""
        with self.news:
            old = []
            if site:
                old += [self.site] if self.site else []
                self.site = site
            if bundle:
                self.bundles.insert(0, bundle)
                old += self.bundles[2:]
                del self.bundles[2:]
            self._tell()
        return old

    def excuse(self, error: str) -> None:
        """Before the first good build, the page to be seen is what went wrong."""
        with self.news:
            if self.site is None:
                self.notice = NOTICE.format("The book could not be built", escape(error))
                self._tell()

    def _tell(self) -> None:
        self.edition = str(time.time_ns())
        self.news.notify_all()

    def find(self, name: str) -> Path | None:
        """The file or folder that the address below the site's root names."""
        parts = [part for part in name.split("/") if part]
        if any(part in (".", "..") or "\\" in part or ":" in part for part in parts):
            return None
        folders, inner = [self.site], parts
        if name.startswith(SCRIPTS):
            folders, inner = list(self.bundles), parts[2:]
        for folder in folders:
            if folder and (path := folder.joinpath(*inner)).exists():
                return path
        return None

    def handle_error(self, request: object, client_address: object) -> None:
        """A reader who goes away is no error."""


class Answer(BaseHTTPRequestHandler):
    """The answer to one request."""

    server: Front
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """A file, a page with what reloads it, or news."""
        path = unquote(urlsplit(self.path).path)
        if path.startswith("/livereload/"):
            return self._news(path.rpartition("/")[2])
        if not path.startswith(PATH):
            return self._redirect(PATH) if path in ("/", PATH.rstrip("/")) else self._page(404, self._missing())
        if self.server.site is None:
            return self._page(503, self.server.notice)
        found = self.server.find(path.removeprefix(PATH))
        if found and found.is_dir():
            if not path.endswith("/"):
                return self._redirect(f"{path}/")
            found = found / "index.html"
        if found is None or not found.is_file():
            return self._page(404, self._missing())
        if found.suffix == ".html":
            return self._page(200, found.read_text(encoding="utf-8"))
        return self._file(found)

    do_HEAD = do_GET

    def _missing(self) -> str:
        page = self.server.find("404.html")
        return page.read_text(encoding="utf-8") if page else NOTICE.format("404", "There is no such page.")

    def _news(self, edition: str) -> None:
        with self.server.news:
            self.server.news.wait_for(lambda: self.server.edition != edition, NEWS_WITHIN)
            text = self.server.edition
        self._send(200, "text/plain; charset=utf-8", text.encode())

    def _page(self, status: int, html: str) -> None:
        script = RELOAD.replace("EDITION", self.server.edition)
        before, end, after = html.rpartition("</body>")
        self._send(status, TYPES[".html"], (f"{before}{script}{end}{after}" if end else f"{html}{script}").encode())

    def _file(self, path: Path) -> None:
        status = path.stat()
        tag = f'"{status.st_mtime_ns:x}-{status.st_size:x}"'
        if self.headers.get("If-None-Match") == tag:
            return self._send(304, "", b"", ETag=tag)
        return self._send(200, TYPES.get(path.suffix, "application/octet-stream"), path.read_bytes(), ETag=tag)

    def _redirect(self, path: str) -> None:
        self._send(302, "", b"", Location=path)

    def _send(self, status: int, kind: str, body: bytes, **headers: str) -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in {"Cache-Control": "no-cache", **headers, "Content-Length": str(len(body))}.items():
            if status != 304 or name != "Content-Length":
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Requests are not shown."""


def choose_port(wanted: int | None) -> int:
    """The port asked for if it is free, else `Failure`; without a wish, the first free one from 8000."""
    if wanted is not None:
        if not _free(wanted):
            raise _setup.Failure(
                f"Port {wanted} is taken. Give another one with --port, or leave it out to get a free one."
            )
        return wanted
    for port in range(FIRST_PORT, FIRST_PORT + 100):
        if _free(port):
            return port
    raise _setup.Failure(f"No port from {FIRST_PORT} to {FIRST_PORT + 99} is free. Name one with --port.")


def _free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name != "nt":  # there it would share the port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give a whole number, 1–65535")
    return int(text)


if __name__ == "__main__":
    _setup.main(main)
