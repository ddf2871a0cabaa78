"""WebKitGTK's own small browser, driven over WebDriver, each session on an X server of its own, without a screen."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from .engine import Engine, PageError, Tab, key_actions, pointer_actions

FOLDERS = ("lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "libexec", "lib")

# A session that has not begun by then never does; another one is tried.
BEGIN_WITHIN = 15
TRIES = 6


def minibrowser() -> str:
    """The browser that comes with WebKitGTK. Raises `FileNotFoundError`."""
    for folder in FOLDERS:
        for found in sorted(Path("/usr", folder).glob("webkit*gtk*/MiniBrowser"), reverse=True):
            return str(found)
    raise FileNotFoundError("WebKitGTK's MiniBrowser")


class WebKit(Engine):
    """One session a tab: WebKit gives each automation session storage of its own."""

    name = "webkit"

    def __init__(self, driver: str) -> None:
        self.driver, self.browser = driver, minibrowser()
        self.env = dict(os.environ, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1", LIBGL_ALWAYS_SOFTWARE="1")
        # Layers that software composes for a screen nobody sees cost a third of the processor's time.
        self.env["WEBKIT_DISABLE_COMPOSITING_MODE"] = "1"
        # The last tier of WebAssembly's compiler takes a third of the processor's time, for code that runs a second or two.
        self.env["JSC_useOMGJIT"] = "0"
        self.elsewhere = Elsewhere()
        program = shutil.which("Xvfb")
        if not program:
            raise FileNotFoundError("Xvfb")
        self.xvfb = program

    def open(self, width: int = 1280, height: int = 900) -> WebKitTab:
        tab = WebKitTab(self, self._session())
        tab.resize(width, height)
        return tab

    def _session(self) -> Session:
        for attempt in range(TRIES):
            session = Session(self)
            try:
                session.begin()
            except (OSError, PageError):
                session.end()
                if attempt == TRIES - 1:
                    raise
            else:
                return session
        raise AssertionError("unreachable")

    def close(self) -> None:
        self.elsewhere.close()


class Elsewhere:
    """A proxy for all that is not on this machine: it writes down the address and refuses. WebDriver has no network log."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Refuse(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_error(502)

            do_CONNECT = do_POST = do_HEAD = do_GET

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Refuse)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{self.http.server_address[1]}"
        self.proxy = {"proxyType": "manual", "httpProxy": address, "sslProxy": address, "noProxy": ["127.0.0.1"]}

    def close(self) -> None:
        """Stop listening."""
        self.http.shutdown()
        self.http.server_close()


class Screen:
    """An X server for one browser: of several windows on one server only one has the keyboard's focus."""

    def __init__(self, program: str) -> None:
        read, write = os.pipe()
        command = [program, "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        self.process = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as numbers:
            self.display = f":{numbers.readline().strip()}"

    def close(self) -> None:
        """End the server."""
        self.process.terminate()
        self.process.wait(10)


class Session:
    """One driver with one browser, and the commands of WebDriver as HTTP requests."""

    def __init__(self, webkit: WebKit) -> None:
        self.webkit = webkit
        self.screen = Screen(webkit.xvfb)
        # A group of its own: the driver leaves its browser behind when it is ended.
        self.process = subprocess.Popen(
            [webkit.driver, "--port=0"],
            env=webkit.env | {"DISPLAY": self.screen.display},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.address = ""
        self.window = ""

    def begin(self) -> None:
        """Start the browser. Raises `OSError` or `PageError`."""
        port = self._port()
        capabilities = {
            "webkitgtk:browserOptions": {"binary": self.webkit.browser, "args": ["--automation"]},
            "proxy": self.webkit.elsewhere.proxy,
            "timeouts": {"script": 180_000, "pageLoad": 180_000},
        }
        asked = {"capabilities": {"alwaysMatch": capabilities}}
        begun = _request("POST", f"http://127.0.0.1:{port}/session", asked, BEGIN_WITHIN)
        self.address = f"http://127.0.0.1:{port}/session/{begun['sessionId']}"
        self.webkit.version = begun["capabilities"]["browserVersion"]
        self.window = self.get("window")

    def _port(self) -> int:
        assert self.process.stdout
        # The kernel chose the port; the driver does not say which, its sockets do.
        for _ in range(200):
            if (port := _listens(self.process.pid)) is not None:
                return port
            time.sleep(0.05)
        raise OSError("WebKitWebDriver does not listen")

    def get(self, command: str) -> Any:
        """Ask."""
        return _request("GET", f"{self.address}/{command}", None)

    def post(self, command: str, **body: Any) -> Any:
        """Order."""
        return _request("POST", f"{self.address}/{command}", body)

    def delete(self, command: str) -> Any:
        """Remove."""
        return _request("DELETE", f"{self.address}/{command}", None)

    def end(self) -> None:
        """End the browser and its driver."""
        if self.address:
            with contextlib.suppress(OSError, PageError):
                _request("DELETE", self.address, None, 10)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self.screen.close()


def _listens(pid: int) -> int | None:
    """The TCP port on which a process of this machine listens."""
    sockets = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found = re.fullmatch(r"socket:\[(\d+)\]", str(entry.readlink()))
        except OSError:
            continue
        if found:
            sockets.add(found[1])
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and fields[9] in sockets:
            return int(fields[1].split(":")[1], 16)
    return None


def _request(method: str, url: str, body: dict[str, Any] | None, timeout: float = 200) -> Any:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with _PLAIN.open(request, timeout=timeout) as response:
            return json.load(response)["value"]
    except urllib.error.HTTPError as error:
        told = json.load(error)["value"]
        raise PageError(f"{told['error']}: {told['message']}") from None


# No proxy of the environment stands between the tests and a driver on this machine.
_PLAIN = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class WebKitTab(Tab):
    """A window of a session."""

    def __init__(self, webkit: WebKit, session: Session, window: str = "") -> None:
        super().__init__()
        self.webkit, self.session = webkit, session
        self.requests = webkit.elsewhere.asked
        self.owner = not window
        self.window = window or session.window

    def _here(self) -> Session:
        if self.session.window != self.window:
            self.session.post("window", handle=self.window)
            self.session.window = self.window
        return self.session

    def goto(self, url: str) -> None:
        self._here().post("url", url=url)

    def front(self) -> None:
        self._here()

    def evaluate(self, function: str, text: str) -> Any:
        script = (
            f"const done = arguments[arguments.length - 1]; ({function})(arguments[0])"
            ".then((value) => done([value, null]), (error) => done([null, String(error)]))"
        )
        value, error = self._here().post("execute/async", script=script, args=[text])
        if error is not None:
            raise PageError(error)
        return value

    def complaints(self) -> list[str]:
        return list(self.js("return self.complaints?.splice(0) ?? ['no probe in this page']"))

    def keys(self, down: Sequence[str]) -> None:
        self._here().post("actions", actions=key_actions(down))

    def pointer(self, path: Sequence[tuple[float, float]]) -> None:
        self._here().post("actions", actions=pointer_actions(path))

    def hover(self, x: float, y: float) -> None:
        self._here().post("actions", actions=pointer_actions([(x, y)], press=False))

    def resize(self, width: int, height: int) -> None:
        session = self._here()
        session.post("window/rect", width=width, height=height)
        # The window's frame takes its share.
        for _ in range(20):
            inner = session.post("execute/sync", script="return [innerWidth, innerHeight]", args=[])
            if inner == [width, height]:
                return
            size = session.get("window/rect")
            session.post(
                "window/rect", width=size["width"] + width - inner[0], height=size["height"] + height - inner[1]
            )
            time.sleep(0.05)

    def keep_stores(self, url: str, store: str) -> None:
        """A session under automation is private: WebKit forgets a store when the last page that uses it goes."""
        holder = self.open_beside()
        holder.goto(url)
        holder.js("self.held = await caches.open(args[0])", store)
        self.front()

    def open_beside(self) -> WebKitTab:
        return WebKitTab(self.webkit, self.session, self._here().post("window/new", type="tab")["handle"])

    def close(self) -> None:
        if self.owner:
            self.session.end()
        else:
            left = self._here().delete("window")
            self.session.post("window", handle=left[0])
            self.session.window = left[0]
