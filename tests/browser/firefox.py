"""Firefox, driven over WebDriver BiDi on its own remote port: no driver program is needed."""

from __future__ import annotations

import json
import queue
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import websocket

from .engine import Engine, PageError, Tab, key_actions, pointer_actions

# Firefox asks its maker for settings, updates and lists unless told not to.
PREFERENCES: dict[str, object] = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.newtabpage.enabled": False,
    "browser.region.network.url": "",
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "browser.search.update": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.events.testing.asyncClipboard": True,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


class Firefox(Engine):
    """One Firefox; each tab has a user context of its own."""

    name = "firefox"

    def __init__(self, path: str, preferences: Mapping[str, object] | None = None) -> None:
        self.path = path
        self.profile = Path(tempfile.mkdtemp(prefix="occusite-firefox-"))
        lines = (
            f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in {**PREFERENCES, **(preferences or {})}.items()
        )
        (self.profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self.process = subprocess.Popen(
            [path, "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", str(self.profile)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self.tabs: dict[str, FirefoxTab] = {}
        self.count = 0
        self.socket = websocket.create_connection(self._address() + "/session", suppress_origin=True)
        threading.Thread(target=self._listen, daemon=True).start()
        self.version = self.send("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def _address(self) -> str:
        assert self.process.stderr
        for line in self.process.stderr:
            if found := re.search(r"ws://\S+", line):
                # Firefox must not stall on a full pipe.
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return found[0]
        raise RuntimeError(f"Firefox ended with {self.process.wait()} before it could be reached")

    def _listen(self) -> None:
        while True:
            try:
                message = json.loads(self.socket.recv())
            except (OSError, ValueError, websocket.WebSocketException):
                return
            if message.get("id") in self.answers:
                self.answers[message["id"]].put(message)
            elif message.get("type") == "event":
                self._event(message["method"], message["params"])

    def _event(self, method: str, params: dict[str, Any]) -> None:
        context = params.get("context") or params.get("source", {}).get("context")
        tab = self.tabs.get(str(context))
        if method == "network.beforeRequestSent":
            # A worker's request names no tab.
            for each in [tab] if tab else list(self.tabs.values()):
                each.requests.append(params["request"]["url"])
        elif method == "log.entryAdded" and tab and params["level"] in ("error", "warn"):
            tab.problems.append(str(params.get("text")))

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a BiDi command; return its result. Raises `PageError` for an error answer."""
        self.count += 1
        number = self.count
        self.answers[number] = queue.Queue()
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        answer = self.answers[number].get(timeout=180)
        del self.answers[number]
        if answer["type"] == "error":
            raise PageError(f"{method}: {answer['error']}: {answer['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, width: int = 1280, height: int = 900) -> FirefoxTab:
        user = self.send("browser.createUserContext")["userContext"]
        tab = FirefoxTab(self, user)
        tab.resize(width, height)
        return tab

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.socket.close()
        shutil.rmtree(self.profile, ignore_errors=True)


class FirefoxTab(Tab):
    """A browsing context."""

    def __init__(self, firefox: Firefox, user: str, owner: bool = True) -> None:
        super().__init__()
        self.firefox, self.user, self.owner = firefox, user, owner
        self.context = firefox.send("browsingContext.create", type="tab", userContext=user)["context"]
        firefox.tabs[self.context] = self

    def goto(self, url: str) -> None:
        self.firefox.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def front(self) -> None:
        self.firefox.send("browsingContext.activate", context=self.context)

    def evaluate(self, function: str, text: str) -> Any:
        found = self.firefox.send(
            "script.callFunction",
            functionDeclaration=function,
            awaitPromise=True,
            target={"context": self.context},
            arguments=[{"type": "string", "value": text}],
            userActivation=self.acts,
        )
        if found["type"] == "exception":
            raise PageError(found["exceptionDetails"]["text"])
        return found["result"]["value"]

    def _act(self, actions: list[dict[str, Any]]) -> None:
        self.firefox.send("input.performActions", context=self.context, actions=actions)

    def keys(self, down: Sequence[str]) -> None:
        self._act(key_actions(down))

    def pointer(self, path: Sequence[tuple[float, float]]) -> None:
        self._act(pointer_actions(path))

    def hover(self, x: float, y: float) -> None:
        self._act(pointer_actions([(x, y)], press=False))

    def resize(self, width: int, height: int) -> None:
        self.firefox.send(
            "browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height}
        )

    def open_beside(self) -> FirefoxTab:
        return FirefoxTab(self.firefox, self.user, owner=False)

    def close(self) -> None:
        if not self.owner:
            self.firefox.send("browsingContext.close", context=self.context)
            del self.firefox.tabs[self.context]
            return
        self.firefox.send("browser.removeUserContext", userContext=self.user)
        self.firefox.tabs = {c: t for c, t in self.firefox.tabs.items() if t.user != self.user}
