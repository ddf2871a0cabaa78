"""Run when the runtime or Pyodide changes: times the book's Run button beside other books' run buttons, in Chromium.

    python scripts/bench/rivals.py [--rounds 3] [--site DIR] [--work DIR] [--save]

Each is served from this machine by the same server (gzip, no COOP/COEP headers, as on GitHub Pages), each runs `CODE` on
the Pyodide of node_modules, with the files that it would fetch from a CDN put beside its page. What they need is installed
from npm and PyPI into a folder of its own, at the versions below.

- PyScript's editor: `<script type="py-editor">`, which runs in a worker, `interpreter` in its config.
- markdown-exec: its `pyodide` fence, which runs on the page's own thread and starts Python when the page opens.
- JupyterLite: the REPL, as its documentation embeds it in pages, in a worker, `code=…&execute=0`. Its service worker, which
  gives Python the reader's files, is switched off: the line that runs needs none. Python starts when the page opens.

Left out: marimo's islands. By default they take Pyodide, in another version, and its lock file from addresses of their own;
other settings were not tried.

Each round opens each page in a new browser. Figures are medians, in seconds, until the output stands in the page:
`opened`: from opening the page with an empty cache, the button pressed as soon as it is there. A button that does not hear
yet is pressed again every 50 ms. `seconds`: the same, from that first press. `read`: from the press, after ten seconds on
the page. `again`: from opening the page once more in the same browser. `--save` writes occusite/data/measured/rivals.json.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import TimeoutError as TimeoutExpired

ROOT = Path(__file__).resolve().parents[2]
# Not `tests.browser`: some packages install a module named `tests`.
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from boot import machine  # noqa: E402

from tests.browser.book import Book  # noqa: E402
from tests.browser.chromium import Chromium, ChromiumTab  # noqa: E402
from tests.browser.conftest import ENGINES  # noqa: E402
from tests.browser.server import Server  # noqa: E402

NPM = {
    "@pyscript/core": "0.7.31",
    "ace-builds": "1.16.0",
    "@highlightjs/cdn-assets": "11.7.0",
    "highlightjs-themes": "1.0.0",
}
PYPI = {"markdown-exec": "1.12.6", "jupyterlite-core": "0.8.6", "jupyterlite-pyodide-kernel": "0.8.6"}
COMM = "comm==0.2.3"
# What the pages load of Pyodide's own packages, in the versions of its lock file.
LOCKED = ("micropip", "ipython", "jedi")

CODE = "print(sum(i * i for i in range(1000)))"
ANSWER = "332833500"
KEEP, LOOP, CHECK = "kept = 41 + 1\nprint('set', kept)", "while True:\n    pass", "print('still', kept)"
CHAPTER = "05-executable/"
SAVED = ROOT / "occusite" / "data" / "measured" / "rivals.json"
READING = 10


def command(*words: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Run it quietly; on failure show what it said."""
    done = subprocess.run([str(w) for w in words], cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True)
    if done.returncode:
        sys.exit(f"{words}\n{done.stdout.decode()}\n{done.stderr.decode()}")


def fetch(work: Path) -> None:
    """Install what npm and PyPI have, once."""
    if (work / "fetched").exists():
        return
    pip = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")
    wheels, python = work / "wheels", work / "python"
    command(shutil.which("npm") or "npm", "install", "--prefix", work, *(f"{n}@{v}" for n, v in NPM.items()), cwd=work)
    command(*pip, "install", "--target", python, "--no-deps", f"markdown-exec=={PYPI['markdown-exec']}")
    core, kernel = (f"{n}=={PYPI[n]}" for n in ("jupyterlite-core", "jupyterlite-pyodide-kernel"))
    command(*pip, "install", "--target", python, core, kernel)
    command(*pip, "download", "--no-deps", "-d", wheels, kernel)
    packages = json.loads((ROOT / "node_modules/pyodide/pyodide-lock.json").read_text())["packages"]
    wanted, todo = {}, list(LOCKED)
    while todo:
        package = packages[todo.pop().lower().replace("_", "-")]
        wanted[package["name"]] = f"{package['name']}=={package['version']}"
        todo += [d for d in package["depends"] if d not in wanted]
    target = ("--only-binary", ":all:", "--python-version", "3.14", "--platform", "any")
    command(*pip, "download", "--no-deps", *target, "-d", wheels, *wanted.values(), COMM)
    (work / "fetched").touch()


def pyodide(work: Path, folder: Path) -> None:
    """Pyodide as npm ships it, and the packages of its lock file that are asked for."""
    shutil.copytree(ROOT / "node_modules" / "pyodide", folder)
    lock = json.loads((folder / "pyodide-lock.json").read_text())
    for package in lock["packages"].values():
        wheel = work / "wheels" / package["file_name"]
        if wheel.exists():
            shutil.copy(wheel, folder)
            package["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))


def pyscript_page(work: Path, out: Path) -> None:
    """One editor, and a page of four that share a worker."""
    shutil.copytree(work / "node_modules/@pyscript/core/dist", out / "pyscript")
    pyodide(work, out / "pyodide")
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>PyScript</title>'
        '<link rel="stylesheet" href="pyscript/core.css"><script type="module" src="pyscript/core.js"></script></head>'
    )
    for name, cells in {"index": [CODE], "stop": [KEEP, LOOP, CHECK]}.items():
        config = ' config=\'{"interpreter": "./pyodide/pyodide.mjs"}\''
        editors = [f'<script type="py-editor" env="one"{"" if i else config}>{c}</script>' for i, c in enumerate(cells)]
        (out / f"{name}.html").write_text(f"{head}<body>{''.join(editors)}</body></html>")


def markdown_exec_page(work: Path, out: Path) -> None:
    """The fence as Markdown gives it, with the style sheet and script that the plugin adds to a page."""
    sys.path.append(str(work / "python"))
    import markdown
    import markdown_exec

    fence = {
        "name": "pyodide",
        "class": "pyodide",
        "validator": markdown_exec.validator,
        "format": markdown_exec.formatter,
    }
    made = markdown.markdown(
        f"```pyodide\n{CODE}\n```",
        extensions=["pymdownx.superfences"],
        extension_configs={"pymdownx.superfences": {"custom_fences": [fence]}},
    )
    modules = work / "node_modules"
    pyodide(work, out / "pyodide")
    shutil.copytree(modules / "ace-builds/src-min-noconflict", out / "ace")
    shutil.copy(modules / "@highlightjs/cdn-assets/highlight.min.js", out)
    for theme in ("tomorrow", "tomorrow-night-blue"):
        shutil.copy(modules / f"highlightjs-themes/{theme}.css", out / f"{theme}.min.css")
    for name in ("pyodide.css", "pyodide.js"):
        shutil.copy(Path(markdown_exec.__file__).parent / "assets" / name, out)
    for pattern, local in {
        r"https://cdnjs[^\"]*/ace/[^\"/]*/": "ace/",
        r"https://cdnjs[^\"]*/highlight.js/[^\"/]*/": "",
        r"https://cdn.jsdelivr.net/pyodide/[^\"]*/full/": "pyodide/",
        r"https://cdn.jsdelivr.net/npm/highlightjs-themes[^\"/]*/": "",
    }.items():
        made, count = re.subn(pattern, local, made)
        assert count, f"nothing like {pattern} in the fence"
    (out / "index.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>markdown-exec</title>'
        '<link rel="stylesheet" href="pyodide.css"></head><body data-md-color-scheme="default">'
        f'{made}<script src="pyodide.js"></script></body></html>'
    )


def jupyterlite_page(work: Path, out: Path) -> None:
    """The REPL, with the kernel's wheels and Pyodide beside it."""
    lite = out / "lite"
    lite.mkdir()
    pyodide(work, lite / "static" / "pyodide")
    off = {"disabledExtensions": ["@jupyterlite/application-extension:service-worker-manager"]}
    (lite / "jupyter-lite.json").write_text(json.dumps({"jupyter-lite-schema-version": 0, "jupyter-config-data": off}))
    kernel = next((work / "wheels").glob("jupyterlite_pyodide_kernel-*.whl"))
    comm = next((work / "wheels").glob("comm-*.whl"))
    lean = ("--apps", "repl", "--no-sourcemaps", "--no-unused-shared-packages", "--ignore-sys-prefix")
    command(
        *(sys.executable, "-m", "jupyterlite_core", "build", *lean, "--output-dir", out / "site"),
        *(f"--LiteBuildConfig.federated_extensions={kernel}", "--piplite-wheels", comm),
        cwd=lite,
        env={"PYTHONPATH": str(work / "python")},
    )


@dataclass
class Button:
    """One book's run button: where it is, what to press, where the output appears, and how Stop is tried."""

    name: str
    page: str
    ready: str
    run: str
    output: str
    stop: Callable[[ChromiumTab, str], tuple[str, str]]
    root: Path
    near: str = ""


def press(tab: ChromiumTab, button: Button, number: int = 0) -> None:
    """Move to the button and click it; some show only under the pointer."""
    tab.page.locator(button.near or button.run).nth(number).hover()
    tab.page.locator(button.run).nth(number).click()


def text(tab: ChromiumTab, css: str) -> str:
    """What stands in all elements that match."""
    return str(tab.js("return [...document.querySelectorAll(args[0])].map((e) => e.textContent).join('\\n')", css))


def shows(tab: ChromiumTab, css: str, pattern: str, seconds: float = 60) -> bool:
    """Whether the elements come to hold what the pattern says."""
    try:
        tab.wait("new RegExp(args[1]).test([...document.querySelectorAll(args[0])].map((e) => e.textContent).join('\\n'))",
                 css, pattern, timeout=seconds)  # fmt: skip
    except TimeoutError:
        return False
    return True


def stop_book(tab: ChromiumTab, base: str) -> tuple[str, str]:
    """The cell's Stop."""
    cell = Book(tab, base).load(CHAPTER).cells()[0]
    cell.write(KEEP).run()
    cell.write(LOOP).press("run")
    tab.wait("document.documentElement.dataset.python === 'running'")
    tab.page.wait_for_timeout(1000)
    cell.press("stop")
    cell.ended(20)
    return "yes", "yes" if "still 42" in cell.write(CHECK).run().text else "no"


def stop_pyscript(tab: ChromiumTab, base: str) -> tuple[str, str]:
    """The run button turns into Stop, which asks, then ends the worker."""
    tab.page.on("dialog", lambda dialog: dialog.accept())
    tab.goto(base + "stop.html")
    tab.wait("document.querySelectorAll('.py-editor-run-button').length === 3")
    button, output = (
        Button("", "", "", ".py-editor-run-button", "", stop_pyscript, Path(), ".py-editor-input"),
        ".py-editor-output",
    )
    press(tab, button, 0)
    assert shows(tab, output, "set 42")
    press(tab, button, 1)
    tab.page.wait_for_timeout(1000)
    press(tab, button, 1)
    tab.wait("!document.querySelector('.py-editor-run-button.running')", timeout=20)
    # The first editor alone carries the address of Pyodide; it starts the worker anew.
    tab.page.locator(".py-editor-input .cm-content").nth(0).fill("pass")
    press(tab, button, 0)
    press(tab, button, 2)
    assert shows(tab, output, "still 42|NameError")
    return "yes", "yes" if "still 42" in text(tab, output) else "no"


def stop_markdown_exec(tab: ChromiumTab, base: str) -> tuple[str, str]:
    """Whether anything on the page is a Stop at all, and whether the loop holds the page's own thread."""
    tab.goto(base)
    words = tab.js(
        "return [...document.querySelectorAll('button, .pyodide-clickable')].map((e) => e.title + e.textContent)"
    )
    assert words and not any(re.search("stop|interrupt", w, re.IGNORECASE) for w in words), words
    tab.wait("document.querySelector('[id$=\"--run\"]').onclick")
    tab.js("ace.edit(document.querySelector('.pyodide-editor')).setValue(args[0])", LOOP)
    tab.js("setTimeout(() => document.querySelector('[id$=\"--run\"]').click(), 100)")
    tab.page.wait_for_timeout(3000)
    try:
        tab.page.wait_for_function("true", timeout=5000)
    except TimeoutExpired:
        return "no button; the page freezes", "–"
    return "no button", "–"


def stop_jupyterlite(tab: ChromiumTab, base: str) -> tuple[str, str]:
    """The console has no Stop: Restart, which asks."""
    tab.goto(base + "repl/index.html?toolbar=1&kernel=python")
    prompt, output = ".jp-CodeConsole-promptCell .cm-content", ".jp-OutputArea-output"

    def enter(code: str) -> None:
        tab.page.locator(prompt).click()
        tab.page.keyboard.insert_text(code)
        tab.page.locator('[data-command="console:run-forced"]').click()

    enter(KEEP)
    assert shows(tab, output, "set 42", 120)
    enter(LOOP)
    tab.page.wait_for_timeout(1000)
    assert not tab.page.locator('[data-command*="interrupt"]').count()
    tab.page.locator('[data-command="console:restart-kernel"]').click()
    tab.page.locator(".jp-Dialog .jp-mod-accept").click()
    tab.page.wait_for_timeout(1000)
    enter(CHECK)
    assert shows(tab, output, "still 42|NameError", 120)
    return "by restarting", "yes" if "still 42" in text(tab, output) else "no"


def buttons(work: Path, site: Path, pages: Path) -> list[Button]:
    """The book and its rivals, built."""
    for make in (pyscript_page, markdown_exec_page, jupyterlite_page):
        folder = pages / make.__name__
        folder.mkdir()
        make(work, folder)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = base64.urlsafe_b64encode(packer.compress(CODE.encode()) + packer.flush()).decode().rstrip("=")
    cell = 'section.occ-cell[data-cell="1"]'
    # A share link, since typing the code would start Python before the click.
    ready = f"document.querySelector('{cell} .cm-line')?.textContent === '{CODE}'"
    return [
        Button(
            "this book", f"{CHAPTER}#cell-1={packed}", ready, f"{cell} .occ-run", f"{cell} .occ-output", stop_book, site
        ),
        Button(
            f"PyScript editor {NPM['@pyscript/core']}, worker",
            "",
            "document.querySelector('.py-editor-run-button')",
            ".py-editor-run-button",
            ".py-editor-output",
            stop_pyscript,
            pages / "pyscript_page",
            ".py-editor-input",
        ),
        Button(
            f"markdown-exec {PYPI['markdown-exec']}, page thread",
            "",
            "document.querySelector('.ace_content')",
            '[id$="--run"]',
            ".pyodide-output",
            stop_markdown_exec,
            pages / "markdown_exec_page",
        ),
        Button(
            f"JupyterLite REPL {PYPI['jupyterlite-core']}, worker",
            f"repl/index.html?toolbar=1&kernel=python&execute=0&code={quote(CODE)}",
            "document.querySelector('.jp-CodeConsole-promptCell .cm-content')?.textContent.includes('sum')"
            " && document.querySelector('[data-command=\"console:run-forced\"]')",
            '[data-command="console:run-forced"]',
            ".jp-OutputArea-output",
            stop_jupyterlite,
            pages / "jupyterlite_page" / "site",
        ),
    ]


class Counted(Server):
    """Counts the bytes it sends, headers too."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.sent = 0
        outer, plain = self, self.http.RequestHandlerClass

        class Sink(io.RawIOBase):
            def __init__(self, to: Any) -> None:
                self.to = to

            def write(self, data: Any) -> int:
                outer.sent += len(data)
                return int(self.to.write(data))

        class Handler(plain):  # type: ignore[misc, valid-type]
            def setup(self) -> None:
                super().setup()
                self.wfile = Sink(self.wfile)

        self.http.RequestHandlerClass = Handler


def click(tab: ChromiumTab, button: Button, url: str, wait: float = 0) -> tuple[float, float]:
    """Seconds from opening and from the first press until the answer stands in the page, by the page's clock."""
    tab.goto("about:blank")
    tab.goto(url)
    tab.wait(button.ready, timeout=120)
    tab.page.wait_for_timeout(wait * 1000)
    tab.js(
        """
        const [css, answer] = args;
        self.pressed = self.answered = undefined;
        addEventListener("pointerdown", () => { self.pressed ??= performance.now(); }, true);
        const text = () => [...document.querySelectorAll(css)].map((e) => e.textContent).join();
        if (text().includes(answer)) throw Error("answered before it was asked");
        const look = () => { if (text().includes(answer)) self.answered = performance.now(); else setTimeout(look, 5); };
        look();
        """,
        button.output,
        ANSWER,
    )
    press(tab, button)
    while not tab.js("return self.answered"):
        tab.page.wait_for_timeout(50)
        if button.stop is stop_markdown_exec and not tab.js("return self.answered"):
            press(tab, button)
    pressed, answered = tab.js("return [self.pressed / 1000, self.answered / 1000]")
    return answered, answered - pressed


def measure(button: Button, path: str) -> dict[str, float]:
    """One round: the seconds that the head of this file names, and megabytes up to the first output."""
    found: dict[str, float] = {}
    for wait in (0, READING):
        server, engine = Counted(button.root), Chromium(path)
        try:
            tab, url = engine.open(), server.base + button.page
            opened, pressed = click(tab, button, url, wait)
            if wait:
                found["read"] = pressed
            else:
                found |= {"opened": opened, "seconds": pressed, "megabytes": server.sent / 1e6}
                tab.page.wait_for_timeout(5000)
                found["again"], _ = click(tab, button, url)
            away = [r for r in tab.requests if not r.startswith((server.origin, "blob:", "data:", "about:"))]
            assert not away, f"{button.name} asked elsewhere: {away}"
        finally:
            engine.close()
            server.close()
    return found


def stops(button: Button, path: str) -> tuple[str, str]:
    """Whether Stop ends an endless loop, and whether variables are still there."""
    server, engine = Server(button.root), Chromium(path)
    try:
        return button.stop(engine.open(), server.base)
    finally:
        engine.close()
        server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--site", type=Path, help="a built site (default: build one)")
    parser.add_argument("--work", type=Path, help="a folder to install into and keep (default: a temporary one)")
    parser.add_argument("--save", action="store_true", help=f"write {SAVED.relative_to(ROOT)}")
    options = parser.parse_args()
    path = next((p for c in ENGINES["chromium"] if (p := shutil.which(c))), None)
    if not path:
        sys.exit("Chromium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        site, work, pages = options.site, options.work or Path(folder) / "work", Path(folder) / "pages"
        if not site:
            site = Path(folder) / "site"
            subprocess.run([sys.executable, ROOT / "scripts" / "build.py", "--out", site], check=True)
        work.mkdir(parents=True, exist_ok=True)
        pages.mkdir()
        fetch(work.resolve())
        shown = buttons(work.resolve(), site, pages)
        engine = Chromium(path)
        browser = engine.version
        engine.close()
        ends = [stops(button, path) for button in shown]
        rounds: list[list[dict[str, float]]] = [[] for _ in shown]
        for number in range(options.rounds):
            for button, found in zip(shown, rounds, strict=True):
                found.append(measure(button, path))
                print(f"round {number + 1}, {button.name}: " + ", ".join(f"{k} {v:.2f}" for k, v in found[-1].items()))
    rows: list[dict[str, Any]] = []
    for button, found, (stop, keep) in zip(shown, rounds, ends, strict=True):
        median = {key: round(statistics.median(f[key] for f in found), 3) for key in found[0]}
        rows.append({"name": button.name, **median, "stops": stop, "keeps": keep})
    times = ("opened", "seconds", "read", "again")
    print(f"{'':36}" + "".join(f"{key:>16}" for key in times) + "    moved  stops, keeps")
    for row in rows:
        cells = "".join(f"{row[key]:7.2f} s {row[key] / rows[0][key]:5.2f}×" for key in times)
        print(f"{row['name']:36}{cells} {row['megabytes']:5.1f} MB  {row['stops']}, {row['keeps']}")
    if options.save:
        shipped = json.loads((ROOT / "node_modules/pyodide/package.json").read_text())["version"]
        saved = {
            "machine": machine(),
            "browser": browser,
            "pyodide": shipped,
            "rounds": options.rounds,
            "reading": READING,
            "rows": rows,
        }
        SAVED.write_text(json.dumps(saved, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
