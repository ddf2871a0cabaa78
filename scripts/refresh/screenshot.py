"""Takes the README's picture of the book anew, from a fresh build; run it after a change of the home page's look."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _setup  # first: it says so if this Python is too old

# isort: split
import functools
import http.server
import subprocess
import tempfile
import threading

import _browsers
import build

PICTURE = _setup.ROOT / "docs" / "assets" / "img" / "screenshot.png"
WIDTH, HEIGHT = 1280, 840


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    """Says nothing either: the browser hangs up in the middle of a file once it has its picture."""

    def handle_error(self, *_: object) -> None:
        pass


def main() -> None:
    """Build under the path the book will have, and let Chromium take the home page's picture."""
    tools = _setup.prepare()
    chromium = _browsers.browsers(tools)[_browsers.CHROMIUM]
    with tempfile.TemporaryDirectory() as folder:
        build.build(tools, "http://127.0.0.1/occusite/", Path(folder) / "occusite")
        serve = functools.partial(Files, directory=folder)
        with Server(("127.0.0.1", 0), serve) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            take(chromium, f"http://127.0.0.1:{server.server_port}/occusite/", Path(folder) / "profile")
            server.shutdown()
    print(f"{PICTURE.relative_to(_setup.ROOT)}: {PICTURE.stat().st_size / 1000:.0f} kB")


def take(chromium: str, address: str, profile: Path) -> None:
    """One picture of what the browser shows at this address."""
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--hide-scrollbars",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--virtual-time-budget=8000",
    ]
    size = f"--window-size={WIDTH},{HEIGHT}"
    command = [chromium, *options, size, f"--user-data-dir={profile}", f"--screenshot={PICTURE}", address]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if told.returncode or not PICTURE.exists():
        raise _setup.Failure(f"Chromium took no picture:\n{told.stderr}")


if __name__ == "__main__":
    _setup.main(main)
