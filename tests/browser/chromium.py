"""Chromium, driven by Playwright."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Error, Page, sync_playwright

from .engine import Engine, PageError, Tab

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Chromium(Engine):
    """One Chromium; each tab has a context of its own."""

    name = "chromium"

    def __init__(self, path: str, arguments: Sequence[str] = ()) -> None:
        self.path = path
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments])
        self.version = self.browser.version

    def open(self, width: int = 1280, height: int = 900, **options: Any) -> ChromiumTab:
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        return ChromiumTab(context)

    def open_profile(self, folder: Path) -> ChromiumTab:
        """A browser of its own on the profile in `folder`, with the settings found there."""
        context = self.playwright.chromium.launch_persistent_context(
            folder, executable_path=self.path, args=ARGUMENTS, viewport={"width": 1280, "height": 900}
        )
        return ChromiumTab(context)

    def close(self) -> None:
        self.browser.close()
        self.playwright.stop()


class ChromiumTab(Tab):
    """A page of a context."""

    def __init__(self, context: BrowserContext, page: Page | None = None) -> None:
        super().__init__()
        self.context = context
        self.owner = page is None
        self.page = page or context.new_page()
        self.page.on("console", lambda m: self.problems.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.problems.append(str(e)))
        context.on("request", lambda r: self.requests.append(r.url))

    def goto(self, url: str) -> None:
        self.page.goto(url)

    def front(self) -> None:
        self.page.bring_to_front()

    def evaluate(self, function: str, text: str) -> Any:
        if not self.acts:
            return self._evaluate_unseen(function, text)
        try:
            return self.page.evaluate(function, text)
        except Error as error:
            raise PageError(str(error)) from None

    def _evaluate_unseen(self, function: str, text: str) -> Any:
        expression = f"({function})({json.dumps(text)})"
        session = self.context.new_cdp_session(self.page)
        try:
            asked = {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": False}
            found = session.send("Runtime.evaluate", asked)
        except Error as error:
            raise PageError(str(error)) from None
        finally:
            session.detach()
        if "exceptionDetails" in found:
            raise PageError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def keys(self, down: Sequence[str]) -> None:
        self.page.keyboard.press("+".join(down))

    def pointer(self, path: Sequence[tuple[float, float]]) -> None:
        mouse = self.page.mouse
        mouse.move(*path[0])
        mouse.down()
        for x, y in path[1:]:
            mouse.move(x, y)
        mouse.up()

    def hover(self, x: float, y: float) -> None:
        self.page.mouse.move(x, y)

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def open_beside(self) -> ChromiumTab:
        return ChromiumTab(self.context, self.context.new_page())

    def close(self) -> None:
        if self.owner:
            self.context.close()
        else:
            self.page.close()
