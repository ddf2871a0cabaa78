"""WebKitGTK's own small browser, driven over WebDriver, on an X server without a screen if there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from selenium.common.exceptions import JavascriptException, WebDriverException
from selenium.webdriver import WebKitGTK, WebKitGTKOptions
from selenium.webdriver.remote.command import Command
from selenium.webdriver.webkitgtk.service import Service

from .engine import Engine, PageError, Tab, key_actions, pointer_actions

MINIBROWSERS = ("lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "libexec", "lib")


def minibrowser() -> str:
    """The browser that comes with WebKitGTK. Raises `FileNotFoundError`."""
    for folder in MINIBROWSERS:
        for found in sorted(Path("/usr", folder).glob("webkit*gtk*/MiniBrowser"), reverse=True):
            return str(found)
    raise FileNotFoundError("WebKitGTK's MiniBrowser")


class WebKit(Engine):
    """One session a tab: WebKit gives each automation session storage of its own."""

    name = "webkit"

    def __init__(self, driver: str) -> None:
        self.driver, self.browser = driver, minibrowser()
        self.env = dict(os.environ, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1", LIBGL_ALWAYS_SOFTWARE="1")
        self.elsewhere = Elsewhere()
        self.screen: subprocess.Popen[bytes] | None = None
        if not os.environ.get("DISPLAY"):
            self.env["DISPLAY"] = self._screen()

    def _screen(self) -> str:
        program = shutil.which("Xvfb")
        if not program:
            raise FileNotFoundError("Xvfb")
        read, write = os.pipe()
        command = [program, "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        self.screen = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as numbers:
            return f":{numbers.readline().strip()}"

    def open(self, width: int = 1280, height: int = 900) -> WebKitTab:
        tab = WebKitTab(self)
        tab.resize(width, height)
        return tab

    def close(self) -> None:
        self.elsewhere.close()
        if self.screen:
            self.screen.terminate()
            self.screen.wait(10)


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


class WebKitTab(Tab):
    """A session with one window."""

    def __init__(self, webkit: WebKit, session: WebKitGTK | None = None) -> None:
        super().__init__()
        self.webkit = webkit
        self.requests = webkit.elsewhere.asked
        self.owner = session is None
        if session is None:
            options = WebKitGTKOptions()
            options.binary_location = webkit.browser
            options.add_argument("--automation")
            options.set_capability("proxy", webkit.elsewhere.proxy)
            service = Service(webkit.driver, env=webkit.env)
            session = WebKitGTK(options=options, service=service)
            session.set_script_timeout(120)
        self.session = session
        self.window = session.current_window_handle

    def goto(self, url: str) -> None:
        self._here().get(url)

    def _here(self) -> WebKitGTK:
        if len(self.session.window_handles) > 1:
            self.session.switch_to.window(self.window)
        return self.session

    def evaluate(self, function: str, text: str) -> Any:
        script = (
            f"const done = arguments[arguments.length - 1]; ({function})(arguments[0])"
            ".then((value) => done([value, null]), (error) => done([null, String(error)]))"
        )
        try:
            value, error = self._here().execute_async_script(script, text)
        except (JavascriptException, WebDriverException) as failure:
            raise PageError(str(failure)) from None
        if error is not None:
            raise PageError(error)
        return value

    def complaints(self) -> list[str]:
        return list(self.js("return self.complaints?.splice(0) ?? ['no probe in this page']"))

    def keys(self, down: Sequence[str]) -> None:
        self._here().execute(Command.W3C_ACTIONS, {"actions": key_actions(down)})

    def pointer(self, path: Sequence[tuple[float, float]]) -> None:
        self._here().execute(Command.W3C_ACTIONS, {"actions": pointer_actions(path)})

    def hover(self, x: float, y: float) -> None:
        self._here().execute(Command.W3C_ACTIONS, {"actions": pointer_actions([(x, y)], press=False)})

    def resize(self, width: int, height: int) -> None:
        self._here().set_window_size(width, height)
        # The window's frame takes its share.
        for _ in range(20):
            inner = self.session.execute_script("return [innerWidth, innerHeight]")
            if inner == [width, height]:
                return
            size = self.session.get_window_size()
            self.session.set_window_size(size["width"] + width - inner[0], size["height"] + height - inner[1])
            time.sleep(0.05)

    def twin(self) -> WebKitTab:
        self._here().switch_to.new_window("tab")
        return WebKitTab(self.webkit, self.session)

    def close(self) -> None:
        if self.owner:
            self.session.quit()
        else:
            self._here().close()
            self.session.switch_to.window(self.session.window_handles[0])
