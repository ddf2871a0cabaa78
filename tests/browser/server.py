"""A small web server under /occusite/, as GitHub Pages serves a repository, which a test can slow down, cut or break."""

from __future__ import annotations

import gzip
import hashlib
import re
import shutil
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from occusite.book.build.deploy import finish

PREFIX = "/occusite/"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ipynb": "application/json; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".xml": "application/xml; charset=utf-8",
    ".zip": "application/zip",
}
PACKED = {".css", ".html", ".ipynb", ".js", ".json", ".mjs", ".svg", ".txt", ".wasm", ".webmanifest", ".xml"}
CHUNK = 16 * 1024

# Seconds for which a browser may keep an answer: as GitHub Pages says.
MAX_AGE = 600

# A page of the site's origin that holds nothing: where a tab is emptied. Its icon keeps the browser from asking for one.
BLANK = "blank-page/"
BLANK_PAGE = (
    b'<!doctype html><html lang=en><head><title>Blank</title><link rel=icon href="data:,"></head><body></body></html>'
)

# What makes a page ask for its service worker.
OFFLINE_MARK = b'<meta name="occusite-offline" content="sw.js">'


@dataclass
class Fault:
    """What happens to requests whose path matches: `after` bytes of the answer the connection is cut (None: not at
    all), or the answer is `status`; `rate` in bytes per second slows it down."""

    path: re.Pattern[str]
    after: int | None = None
    status: int = 0
    rate: float = 0


class Link:
    """A slow line that all answers share: `rate` in bytes per second, `latency` in seconds before each answer."""

    def __init__(self, rate: float, latency: float) -> None:
        self.rate, self.latency = rate, latency
        self.free_at = 0.0
        self.lock = threading.Lock()

    def carry(self, size: int) -> None:
        """Wait until `size` bytes are through."""
        with self.lock:
            self.free_at = max(self.free_at, time.monotonic()) + size / self.rate
            wait = self.free_at - time.monotonic()
        time.sleep(max(wait, 0))


# For engines without a console log: the page's own record of what went wrong, as a script of the site's origin.
PROBE = b"""
if (!self.complaints) {
  self.complaints = [];
  const note = (text) => self.complaints.push(String(text));
  addEventListener("error", (event) => note(event.message || `not loaded: ${event.target.src || event.target.href}`), true);
  addEventListener("unhandledrejection", (event) => note(event.reason));
  addEventListener("securitypolicyviolation", (event) => note(`refused by policy: ${event.blockedURI} ${event.violatedDirective}`));
  for (const level of ["error", "warn"]) {
    const plain = console[level];
    console[level] = (...args) => { note(args.join(" ")); plain.apply(console, args); };
  }
}
"""


class Server:
    """Serves the folder `root`. `log` holds the path of every request; `faults` apply in order, the first match.

    `link`, where set, slows all answers together; `max_age` is how long they may be kept, in seconds. `probe` puts a
    script that collects `complaints` at the head of every page. Without `offline` the pages do not ask for their service
    worker, which would download the whole book.
    """

    def __init__(self, root: Path, probe: bool = False, offline: bool = False, max_age: int = MAX_AGE) -> None:
        self.probe, self.offline = probe, offline
        self.copies = tempfile.TemporaryDirectory(prefix="occusite-site-")
        self.cut = False
        self.max_age = max_age
        self.link: Link | None = None
        self.faults: list[Fault] = []
        self.log: list[str] = []
        outer = self

        class Handler(_Handler):
            server_of = outer

        self.http = _Http(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.base = self.origin + PREFIX
        self.show(root)

    def show(self, root: Path, edit: Callable[[Path], None] | None = None) -> None:
        """Serve another site from now on, or another edition of it: `edit` changes the copy that is served."""
        self.root = self._settled(root, edit)

    def fault(self, path: str, *, after: int | None = None, status: int = 0, rate: float = 0) -> Callable[[], None]:
        """Break requests whose path matches the pattern; returns what mends them."""
        made = Fault(re.compile(path), after, status, rate)
        self.faults.append(made)
        return lambda: self.faults.remove(made)

    def _settled(self, root: Path, edit: Callable[[Path], None] | None) -> Path:
        """The site as if it had been built for this address, on which its navigation and its service worker depend."""
        sitemap = root / "sitemap.xml"
        built_for = re.search(rb"<loc>([^<]*?/occusite/)", sitemap.read_bytes()) if sitemap.exists() else None
        if not built_for:
            return root
        copy = Path(tempfile.mkdtemp(dir=self.copies.name))
        shutil.copytree(root, copy, dirs_exist_ok=True)
        for file in [*copy.rglob("*.html"), *copy.rglob("*.xml")]:
            file.write_bytes(self._moved(file.read_bytes(), file.suffix, built_for[1]))
        if self.probe:
            (copy / "probe.js").write_bytes(PROBE)
        if edit:
            edit(copy)
        if self.offline:
            finish(copy)
        return copy

    def _moved(self, data: bytes, suffix: str, built_for: bytes) -> bytes:
        data = data.replace(built_for, self.base.encode())
        if suffix == ".html":
            if self.probe:
                data = data.replace(b"<head>", f'<head><script src="{PREFIX}probe.js"></script>'.encode(), 1)
            if not self.offline:
                data = data.replace(OFFLINE_MARK, b"")
        return data

    def blank(self) -> bytes:
        """The page that holds nothing, but for the probe."""
        return self._moved(BLANK_PAGE, ".html", self.base.encode())

    def close(self) -> None:
        """Stop serving."""
        self.http.shutdown()
        self.http.server_close()
        self.copies.cleanup()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, address: object) -> None:
        """A browser that hangs up is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: Server

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: the tests read `Server.log`."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        server = self.server_of
        path = unquote(urlsplit(self.path).path)
        server.log.append(path)
        if server.link:
            time.sleep(server.link.latency)
        fault = next((f for f in server.faults if f.path.search(path)), None)
        if server.cut:
            return self._hang_up()
        if fault and fault.status:
            return self._answer(HTTPStatus(fault.status), b"broken on purpose", ".txt", None)
        if path + "/" == PREFIX:
            return self._redirect(PREFIX)
        if path == PREFIX + BLANK:
            return self._answer(HTTPStatus.OK, server.blank(), ".html", fault)
        file = server.root / path.removeprefix(PREFIX)
        if not path.startswith(PREFIX) or ".." in file.parts:
            return self._answer(HTTPStatus.NOT_FOUND, b"not here", ".txt", fault)
        if file.is_dir():
            if not path.endswith("/"):
                return self._redirect(path + "/")
            file /= "index.html"
        if not file.is_file():
            missing = server.root / "404.html"
            return self._answer(HTTPStatus.NOT_FOUND, missing.read_bytes() if missing.exists() else b"", ".html", fault)
        return self._answer(HTTPStatus.OK, file.read_bytes(), file.suffix, fault)

    def _redirect(self, path: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, status: HTTPStatus, data: bytes, suffix: str, fault: Fault | None) -> None:
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        if status == HTTPStatus.OK and not fault and self.headers.get("If-None-Match") == tag:
            status, data, suffix = HTTPStatus.NOT_MODIFIED, b"", ""
        packed = suffix in PACKED and "gzip" in self.headers.get("Accept-Encoding", "")
        if packed:
            data = _gzip(data)
        self.send_response(status)
        if suffix:
            self.send_header("Content-Type", TYPES.get(suffix, "application/octet-stream"))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", f"max-age={self.server_of.max_age}")
        self.send_header("ETag", tag)
        self.send_header("Vary", "Accept-Encoding")
        self.end_headers()
        if self.command == "HEAD":
            return
        end = len(data) if fault is None or fault.after is None else min(fault.after, len(data))
        for start in range(0, end, CHUNK):
            if self.server_of.cut:
                self._hang_up()
                return
            piece = data[start : min(start + CHUNK, end)]
            if self.server_of.link:
                self.server_of.link.carry(len(piece))
            self.wfile.write(piece)
            if fault and fault.rate and fault in self.server_of.faults:
                time.sleep(CHUNK / fault.rate)
        if fault and fault.after is not None:
            self._hang_up()

    def _hang_up(self) -> None:
        """Cut the connection as a broken network does: reset, not closed."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


@cache
def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def until(condition: Callable[[], bool], timeout: float = 60) -> None:
    """Wait for something on this side of the network."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.03)
