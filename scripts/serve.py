"""Serves the book on this machine and rebuilds it on save: `python3 scripts/serve.py`. It does all the set-up itself."""

import _setup  # first: it says so if this Python is too old

# isort: split
import argparse
import contextlib
import os
import socket
import subprocess
import time
import webbrowser
from collections.abc import Iterable
from pathlib import Path

HOST = "127.0.0.1"
FIRST_PORT = 8000
PACKAGE = _setup.ROOT / "occusite"
BROWSER_PART = [_setup.ROOT / "docs" / "assets" / "src", _setup.ROOT / "scripts" / "assets.mjs"]


def main() -> None:
    """Choose a port, set up, bundle, serve; restart the server when the package changes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--port", type=_port, help=f"the port to serve at (default: the first free one from {FIRST_PORT})"
    )
    parser.add_argument("--open", action="store_true", help="open the book in your browser")
    arguments = parser.parse_args()
    port = choose_port(arguments.port)
    serve(_setup.prepare(), port, arguments.open)


def serve(tools: _setup.Tools, port: int, open_browser: bool) -> None:
    """Serve until interrupted. The server is a process of its own; it ends when its input is closed."""
    package, browser_part = state([PACKAGE]), state(BROWSER_PART)
    _bundle(tools)
    server = _start(tools, port)
    try:
        if open_browser and _answers(server, port):
            webbrowser.open(f"http://{HOST}:{port}/occusite/")
        while True:
            time.sleep(0.5)
            package_now, browser_part_now = state([PACKAGE]), state(BROWSER_PART)
            if package_now != package:
                package = package_now
                print("The package changed: starting again.")
                _stop(server)
                _bundle(tools)
                server = _start(tools, port)
            elif browser_part_now != browser_part:
                browser_part = browser_part_now
                print("The browser's part changed: bundling it.")
                _bundle(tools)
            elif server.poll() is not None:
                raise _setup.Failure("The server ended by itself; the lines above say why.")
    finally:
        _stop(server)


def state(paths: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Every source file under these paths with its time and size, to see what was saved."""
    found = {}
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            if "__pycache__" not in file.parts:
                with contextlib.suppress(OSError):
                    status = file.stat()
                    if file.is_file():
                        found[str(file)] = (status.st_mtime_ns, status.st_size)
    return found


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


def _bundle(tools: _setup.Tools) -> None:
    """Bundle the browser's part; an error is shown and the server lives on with the last good one."""
    try:
        _setup.build_assets(tools)
    except _setup.Failure as failure:
        print(failure)


def _start(tools: _setup.Tools, port: int) -> "subprocess.Popen[bytes]":
    command = tools.python(_setup.ROOT / "scripts" / "_live.py", _setup.ROOT / "mkdocs.yml", str(port))
    # A group of its own: Ctrl-C reaches this process only, which then ends the server in order.
    group = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}
    return subprocess.Popen(command, cwd=_setup.ROOT, env=tools.env, stdin=subprocess.PIPE, **group)  # type: ignore[call-overload]


def _stop(server: "subprocess.Popen[bytes]") -> None:
    if server.stdin:
        server.stdin.close()
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _answers(server: "subprocess.Popen[bytes]", port: int) -> bool:
    """Wait until the server listens; False if it ended before."""
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return True
        time.sleep(0.2)
    return False


if __name__ == "__main__":
    _setup.main(main)
