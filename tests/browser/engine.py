"""What the tests ask of any browser: a tab to read, click and type in; each engine adds its own few primitives."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

# WebDriver's codes for keys without a character (https://www.w3.org/TR/webdriver2/#keyboard-actions).
KEYS = {
    "Backspace": "\ue003",
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Alt": "\ue00a",
    "Escape": "\ue00c",
    "Space": " ",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Delete": "\ue017",
}


class PageError(Exception):
    """JavaScript that a test ran in the page threw."""


class Engine(ABC):
    """A running browser; `version` is known once a tab was opened."""

    name = ""
    version = ""

    @abstractmethod
    def open(self, width: int = 1280, height: int = 900) -> Tab:
        """A tab with storage of its own, empty."""

    @abstractmethod
    def close(self) -> None:
        """End the browser."""


class Tab(ABC):
    """One tab. `problems` collects what the page complained of, `requests` every address it asked for.

    Scripts that a test runs in the page count as a reader's act, unless `acts` is false.
    """

    acts = True

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.twins: list[Tab] = []

    @abstractmethod
    def front(self) -> None:
        """Bring the tab to the front, where its timers keep their time."""

    @abstractmethod
    def goto(self, url: str) -> None:
        """Load `url` and wait until it has loaded."""

    @abstractmethod
    def evaluate(self, function: str, text: str) -> Any:
        """Call an async JavaScript function with one string; return the string it returns."""

    @abstractmethod
    def keys(self, down: Sequence[str]) -> None:
        """Press all of `down` (names of `KEYS`, or characters) one after another, then let go in reverse."""

    @abstractmethod
    def pointer(self, path: Sequence[tuple[float, float]]) -> None:
        """Move to the first point, press, move along the rest, let go."""

    @abstractmethod
    def hover(self, x: float, y: float) -> None:
        """Move the pointer."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Set the viewport."""

    @abstractmethod
    def open_beside(self) -> Tab:
        """Open a second tab that shares this one's storage."""

    @abstractmethod
    def close(self) -> None:
        """Close the tab and forget its storage."""

    def twin(self) -> Tab:
        """A second tab that shares this one's storage, closed when this one is emptied."""
        made = self.open_beside()
        self.twins.append(made)
        return made

    def keep_stores(self, url: str, store: str) -> None:
        """See to it that this store of files outlives the pages of this tab; `url` is a page of the site."""
        return  # as it does in a browser that nobody automates

    def empty(self, url: str, forget: Sequence[str] = ()) -> None:
        """Leave this tab on `url`, a page that holds nothing, as if nobody had read in it; `forget` names stores of files that go too."""
        self.acts = True
        while self.twins:
            self.twins.pop().close()
        self.goto(url)
        # Firefox may say that it has loaded before the page has changed.
        self.wait("location.href === args[0]", url)
        self.js(
            "localStorage.clear(); sessionStorage.clear(); for (const name of args) await caches.delete(name)", *forget
        )
        self.complaints()
        self.requests.clear()

    def js(self, body: str, *args: Any) -> Any:
        """Run the body of an async function with `args`; return what it returns, as JSON carries it."""
        function = (
            "async (text) => JSON.stringify((await (async (...args) => {" + body + "\n})(...JSON.parse(text))) ?? null)"
        )
        return json.loads(self.evaluate(function, json.dumps(args)))

    def wait(self, condition: str, *args: Any, timeout: float = 60) -> None:
        """Ask for the JavaScript expression `condition` until it is true."""
        end = time.monotonic() + timeout
        pause = 0.01
        while True:
            try:
                if self.js(f"return Boolean(await ({condition}))", *args):
                    return
            except PageError:
                pass  # asked in the middle of a navigation
            if time.monotonic() > end:
                raise TimeoutError(f"not true within {timeout} s: {condition} {list(args)}; python: {self.python()}")
            # Asking costs the page time that it needs for what is waited for.
            time.sleep(pause)
            pause = min(pause * 1.3, 0.12)

    def choose(self, css: str, by: int) -> None:
        """Choose the option `by` steps further in a focused list, by keyboard."""
        self.press("ArrowDown" if by > 0 else "ArrowUp")

    def online(self, yes: bool) -> None:
        """Make the page believe that there is a network, or that there is none."""
        self.js(
            """
            Object.defineProperty(navigator, "onLine", { configurable: true, value: args[0] });
            dispatchEvent(new Event(args[0] ? "online" : "offline"));
            """,
            yes,
        )

    def complaints(self) -> list[str]:
        """What the page complained of since the last call."""
        found = list(self.problems)
        self.problems.clear()
        return found

    def python(self) -> str:
        """The state of the page's Python, as the runtime shows it."""
        return str(self.js("return document.documentElement.dataset.python"))

    def press(self, combination: str, times: int = 1) -> None:
        """Press keys such as "Enter" or "Shift+Enter"."""
        for _ in range(times):
            self.keys(combination.split("+"))

    def type(self, text: str) -> None:
        """Type characters, as a reader would."""
        for character in text:
            self.keys(["Enter" if character == "\n" else character])

    def paste(self, css: str, text: str) -> None:
        """Paste text where the caret is, in an editor; real clipboards are shared by all tests."""
        self.js(
            """
            const paste = new Event("paste", { bubbles: true, cancelable: true });
            paste.clipboardData = { getData: () => args[1] };
            document.querySelector(args[0]).dispatchEvent(paste);
            """,
            css,
            text,
        )

    def click(self, css: str, at: float = 0.5, block: str = "center") -> None:
        """Click the first visible element that matches, `at` a share of its width; nothing may cover it."""
        self.pointer([self.point(css, at, block)])

    def point(self, css: str, at: float = 0.5, block: str = "center") -> tuple[float, float]:
        """A point of an element, scrolled into view (to `block`); it must be the topmost thing there."""
        found = self.js(
            """
            const [css, at, block] = args;
            const seen = [...document.querySelectorAll(css)].find((e) => e.checkVisibility?.() ?? e.offsetParent);
            if (!seen) return { missing: true };
            seen.scrollIntoView({ block, behavior: "instant" });
            // The theme moves its side bars after a scroll: wait until the element stands still, free of others.
            let found, before = "";
            for (let still = 0, frame = 0; (still < 3 || !found.hit) && frame < 120; frame += 1) {
              await new Promise(requestAnimationFrame);
              const { left, top, width, height } = seen.getBoundingClientRect();
              still = `${left} ${top}` === before ? still + 1 : 0;
              before = `${left} ${top}`;
              const x = left + width * at, y = top + height / 2;
              const over = document.elementFromPoint(x, y);
              const hit = seen.contains(over) || over?.closest("label")?.control === seen;
              found = { x, y, hit, top: over?.outerHTML.slice(0, 120) ?? "nothing: it is out of sight" };
              // What opens or loads above it may have moved it away.
              if (still >= 3 && !over) seen.scrollIntoView({ block, behavior: "instant" });
            }
            return found;
            """,
            css,
            at,
            block,
        )
        assert not found.get("missing"), f"no visible {css}"
        assert found["hit"], f"{css} is covered by {found['top']}"
        return found["x"], found["y"]

    def drag(self, css: str, start: float, end: float) -> None:
        """Drag along an element, from one share of its width to another."""
        x, y = self.point(css, start)
        x2, _ = self.point(css, end)
        self.pointer([(x, y), ((x + x2) / 2, y), (x2, y)])

    def focus(self, css: str) -> None:
        """Focus the first element that matches, as a script would."""
        assert self.js(
            "const e = document.querySelector(args[0]); e?.focus(); return e === document.activeElement", css
        ), f"{css} does not take the focus"


def key_code(name: str) -> str:
    """WebDriver's code of a key."""
    return KEYS.get(name, name)


def key_actions(down: Sequence[str]) -> list[dict[str, Any]]:
    """WebDriver's action sequence that presses and lets go of keys."""
    codes = [key_code(name) for name in down]
    steps = [{"type": "keyDown", "value": c} for c in codes] + [{"type": "keyUp", "value": c} for c in reversed(codes)]
    return [{"type": "key", "id": "keyboard", "actions": steps}]


def pointer_actions(path: Sequence[tuple[float, float]], press: bool = True) -> list[dict[str, Any]]:
    """WebDriver's action sequence of a mouse that moves, presses, drags, lets go."""
    moves = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0} for x, y in path]
    if press:
        moves.insert(1, {"type": "pointerDown", "button": 0})
        moves.append({"type": "pointerUp", "button": 0})
    return [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}]
