"""Run when the runtime or Pyodide changes: times the book's Python against stock Pyodide, in every browser found.

    python scripts/bench/boot.py [--rounds 5] [--engines chromium,firefox,webkit] [--site DIR] [--save]

Both sides run the same code in the same browser from the same server, one after the other, the order changing from
round to round; each figure is the median over the rounds. The book is served whole, its service worker too, and the
return visit begins when what the first one keeps on the device lies there. `--save` writes
occusite/data/measured/boot.json, from which the book makes its page.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.book import Book  # noqa: E402
from tests.browser.conftest import ENGINES, _start  # noqa: E402
from tests.browser.engine import Engine, Tab  # noqa: E402
from tests.browser.server import Link, Server  # noqa: E402

# A window so low that the first cell lies below its edge: what a reader sees, the book starts by itself on a return visit.
LOW = 400
CHAPTER, NEXT = "05-executable/", "04-cliffs/"
CODE = "from occusite import paper\nprint(paper.SM().occupancy(paper.Launch(256, 64, 12 * 1024)).warps)"
ANSWER = "32"
SAVED = ROOT / "occusite" / "data" / "measured" / "boot.json"
# 10 Mbit/s with 40 ms before each answer: bytes per second, seconds.
SLOW = (10e6 / 8, 0.04)
WHAT = {
    "first": "first visit",
    "first_slow": "first visit at 10 Mbit/s, 40 ms",
    "again": "return visit",
    "stopped": "after Stop ended the worker",
    "next": "next page",
}


def stock_folder(parent: Path) -> Path:
    """The other side's files: scripts/stock, Pyodide as npm ships it, the package as a plain zip."""
    folder = parent / "stock"
    shutil.copytree(ROOT / "scripts" / "stock", folder)
    shutil.copytree(ROOT / "node_modules" / "pyodide", folder / "pyodide")
    with zipfile.ZipFile(folder / "occusite.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((ROOT / "occusite").rglob("*")):
            if path.suffix in (".py", ".toml", ".csv", ".json", ".log"):
                archive.write(path, path.relative_to(ROOT).as_posix())
    return folder


def timed(tab: Tab, body: str, *args: object) -> float:
    """Seconds, by the page's own clock, until the body of an async function has ended."""
    return float(tab.js(f"const start = performance.now(); {body}; return (performance.now() - start) / 1000", *args))


UNTIL = """
const until = (test) => new Promise((done, fail) => {
  // No timer: Firefox lets those of a page in the background wait for a second.
  const look = () => test() && (changes.disconnect(), done());
  const changes = new MutationObserver(look);
  changes.observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
  setTimeout(() => fail(Error("too long")), 120000);
  look();
});
"""


def run_stock(tab: Tab) -> float:
    """Click, until the answer stands in the page."""
    tab.front()
    return timed(
        tab,
        UNTIL + "window.code = args[0]; document.querySelector('button').click();"
        "await until(() => document.querySelector('pre').textContent.includes(args[1]))",
        CODE,
        ANSWER,
    )


RUN_BOOK = """
const cell = document.querySelector('.occ-cell');
if (args[0] && document.documentElement.dataset.python !== "off") throw Error("Python started before the click");
const output = cell.querySelector('[data-output]');
output.replaceChildren();
cell.querySelector('.occ-run').click();
await until(() => output.textContent.trim() && cell.dataset.state === "done")
"""


def run_book(tab: Tab, cold: bool = True) -> float:
    """Click on the first cell's Run, until it has ended and its output stands in the page.

    The cell lies below the window's edge, so that a `cold` Python has not started before the click.
    """
    tab.front()
    return timed(tab, UNTIL + RUN_BOOK, cold)


def run_after_stop(reader: Book) -> float:
    """A C loop that cannot be interrupted is stopped, which ends the worker; from that moment, until the next answer."""
    reader.tab.front()
    cell = reader.cells()[0]
    cell.write("sum(range(10**11))")
    cell.press("run")
    reader.tab.wait("document.documentElement.dataset.python === 'running'")
    pause(reader.tab, 0.3)
    return float(
        reader.tab.js(
            UNTIL
            + """
            const python = () => document.documentElement.dataset.python;
            document.querySelector('.occ-cell .occ-stop').click();
            await until(() => python() === 'loading');
            const start = performance.now();
            document.querySelector('.occ-cell .occ-reset').click();
            await until(() => !['running', 'loading'].includes(document.querySelector('.occ-cell').dataset.state));
            """
            + RUN_BOOK
            + "; return (performance.now() - start) / 1000"
        )
    )


def pause(tab: Tab, seconds: float) -> None:
    """Wait in the page: a driver that sleeps may hold up what it drives."""
    tab.js("await new Promise((go) => setTimeout(go, args[0] * 1000))", seconds)


def kept(tab: Tab) -> bool:
    """Wait until the snapshot lies on the device, and the pages; whether they came to."""
    return bool(
        tab.js(
            """
            const end = performance.now() + 40000;
            const there = async () => {
              const python = await caches.open("occusite-python");
              return (await python.keys()).some((r) => r.url.endsWith("?snapshot"))
                && /^Available offline/.test(document.querySelector(".occ-offline")?.textContent);
            };
            while (performance.now() < end) {
              if (await there()) return true;
              await new Promise((go) => setTimeout(go, 200));
            }
            return false;
            """
        )
    )


def measure(engine: Engine, book: Server, stock: Server, book_first: bool) -> dict[str, tuple[float, float]]:
    """One round: (stock, book) in seconds for each row of `WHAT`."""
    found: dict[str, tuple[float, float]] = {}

    def both(key: str, stock_side: Callable[[], float], book_side: Callable[[], float]) -> None:
        there.goto(stock.base)
        if book_first:
            second = book_side()
            found[key] = (stock_side(), second)
        else:
            first = stock_side()
            # WebKit goes on compiling what it ran, which would slow the other side.
            there.goto(stock.base)
            found[key] = (first, book_side())

    for key, slow in (("first_slow", True), ("first", False)):
        for server in (stock, book):
            server.link = Link(*SLOW) if slow else None
        there, here = engine.open(height=LOW), engine.open(height=LOW)
        Book(here, book.base).load(CHAPTER)
        both(key, lambda t=there: run_stock(t), lambda h=here: run_book(h))
        if slow:
            there.close()
            here.close()
    if not kept(here):
        print("  not everything was kept on the device")
    reader = Book(here, book.base).load(CHAPTER)
    pause(here, 1)
    both("again", lambda: run_stock(there), lambda: run_book(here))
    both("stopped", lambda: run_stock(there), lambda: run_after_stop(reader))
    reader.turn(NEXT)
    both("next", lambda: run_stock(there), lambda: run_book(here, cold=False))
    there.close()
    here.close()
    return found


def machine() -> str:
    """The machine, in words."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = f"{len(lines)} cores of {lines[0]}" if lines else cpu
    return f"{cpu}, {platform.system()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--site", type=Path, help="a built site (default: build one)")
    parser.add_argument("--save", action="store_true", help=f"write {SAVED.relative_to(ROOT)}")
    options = parser.parse_args()
    results: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        site = options.site
        if not site:
            site = Path(folder) / "site"
            subprocess.run([sys.executable, ROOT / "scripts" / "build.py", "--out", site], check=True)
        for name in options.engines.split(","):
            path = next((p for c in ENGINES[name] if (p := shutil.which(c))), None)
            if not path:
                print(f"{name}: not installed")
                continue
            rounds: list[dict[str, tuple[float, float]]] = []
            for number in range(options.rounds):
                engine = _start(name, path)
                book = Server(Path(site), offline=True)
                with tempfile.TemporaryDirectory() as other:
                    stock = Server(stock_folder(Path(other)))
                    try:
                        rounds.append(measure(engine, book, stock, number % 2 == 1))
                    finally:
                        engine.close()
                        book.close()
                        stock.close()
                print(
                    f"{name}, round {number + 1}: "
                    + ", ".join(f"{k} {a:.2f}/{b:.2f}" for k, (a, b) in rounds[-1].items())
                )
            table = {
                key: {
                    "stock": statistics.median(r[key][0] for r in rounds),
                    "book": statistics.median(r[key][1] for r in rounds),
                    "ratio": statistics.median(r[key][0] / r[key][1] for r in rounds),
                }
                for key in WHAT
            }
            results[name] = {"version": engine.version, "rows": table}
            for key, row in table.items():
                print(
                    f"{name:9} {WHAT[key]:34} stock {row['stock']:6.2f} s   book {row['book']:6.2f} s   {row['ratio']:.1f}x faster"
                )
    if options.save:
        # Engines that were not measured this time keep their figures.
        before = json.loads(SAVED.read_text(encoding="utf-8"))["engines"] if SAVED.exists() else {}
        saved = {
            "machine": machine(),
            "rounds": options.rounds,
            "slow_line": list(SLOW),
            "engines": {**before, **results},
        }
        SAVED.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
