"""Run when widgets, charts or the worker change: times each widget in Chromium, from a control's input to the paint.

    python scripts/bench_widgets.py [--site DIR] [--inputs 120]

Prints, for every widget of every page, the median and the 95th percentile in milliseconds, and the latter as a ratio
to one frame at 60 Hz. Each input waits for the one before it; a drag only ever asks for the newest value.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser.book import Book, page_paths  # noqa: E402
from browser.conftest import ENGINES, _start  # noqa: E402
from browser.server import Server  # noqa: E402

FRAME = 1000 / 60

TIME = """
const [index, inputs] = args;
const form = document.querySelectorAll("form.occ-widget")[index];
const sliders = [...form.querySelectorAll(".occ-controls input[type=range]")];
const painted = () => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = done;
  channel.port2.postMessage(0);
}));
const settled = () => new Promise((done) => {
  const look = new MutationObserver(() => {
    if (!["done", "error"].includes(form.dataset.state)) return;
    look.disconnect();
    done();
  });
  look.observe(form, { attributes: true, attributeFilter: ["data-state"] });
});
const times = [];
for (let i = 0; i < inputs; i += 1) {
  const slider = sliders[i % sliders.length];
  const [low, high, step] = [+slider.min, +slider.max, +slider.step || 1];
  const steps = Math.floor((high - low) / step);
  const value = String(low + step * ((i * 37 + 11) % (steps + 1)));
  if (slider.value === value) continue;
  await new Promise((go) => setTimeout(go, 30));
  const start = performance.now();
  slider.value = value;
  const end = settled();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  await end;
  await painted();
  times.push(performance.now() - start);
}
return times;
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, help="a built site (default: build one)")
    parser.add_argument("--inputs", type=int, default=120)
    options = parser.parse_args()
    path = next((p for c in ENGINES["chromium"] if (p := shutil.which(c))), None)
    if not path:
        sys.exit("chromium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        site = options.site or Path(folder) / "site"
        if not options.site:
            subprocess.run([sys.executable, ROOT / "scripts" / "build.py", "--out", site], check=True)
        engine, server = _start("chromium", path), Server(Path(site))
        try:
            for page in page_paths():
                tab = engine.open()
                book = Book(tab, server.base).load(page)
                for index in range(len(book.widgets())):
                    if not tab.js(
                        "return document.querySelectorAll('form.occ-widget')[args[0]]"
                        ".querySelectorAll('.occ-controls input[type=range]').length",
                        index,
                    ):
                        continue
                    name = tab.js("return document.querySelectorAll('form.occ-widget')[args[0]].dataset.widget", index)
                    tab.js(TIME, index, 12)  # the first ones load charts and warm caches
                    times = sorted(tab.js(TIME, index, options.inputs))
                    late = times[int(len(times) * 0.95)]
                    print(
                        f"{page or 'home':24} {name:14} median {statistics.median(times):6.1f} ms   "
                        f"p95 {late:6.1f} ms   {late / FRAME:4.2f} frames"
                    )
                tab.close()
        finally:
            engine.close()
            server.close()


if __name__ == "__main__":
    main()
