"""Run when widgets, charts or the worker change: times each widget in Chromium, from a slider's input to the paint.

    python scripts/bench/widgets.py [--site DIR] [--inputs 120] [--save]

Two measurements for every widget of every page. The work: input to the end of the frame that shows the result, the
display's own clock switched off, so that nothing waits for its next tick; its 95th percentile is set beside one frame
at 60 Hz. The frames: at 60 Hz, with inputs at the start of a frame, as browsers hand on a drag; how many of them have
their result in the very next frame. `--save` writes occusite/data/measured/widgets.json, from which the book makes its table.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.book import Book, page_paths  # noqa: E402
from tests.browser.chromium import Chromium  # noqa: E402
from tests.browser.conftest import ENGINES  # noqa: E402
from tests.browser.server import Server  # noqa: E402

FRAME = 1000 / 60
SAVED = ROOT / "occusite" / "data" / "measured" / "widgets.json"

# Both functions set slider after slider of one widget to values all over its range.
DRIVE = """
const [index, inputs] = args;
const form = document.querySelectorAll("form.occ-widget")[index];
const sliders = [...form.querySelectorAll(".occ-controls input[type=range]")];
const frame = () => new Promise((done) => requestAnimationFrame(done));
const settled = () => ["done", "error"].includes(form.dataset.state);
const change = (i) => {
  const slider = sliders[i % sliders.length];
  const [low, high, step] = [+slider.min, +slider.max, +slider.step || 1];
  const value = String(low + step * ((i * 37 + 11) % (Math.floor((high - low) / step) + 1)));
  if (slider.value === value) return false;
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
};
const pause = () => new Promise((go) => setTimeout(go, 30));
const found = [];
"""

# Milliseconds from each input to the end of the frame that shows its result.
WORK = (
    DRIVE
    + """
const done = () => new Promise((end) => {
  const look = new MutationObserver(() => settled() && (look.disconnect(), end()));
  look.observe(form, { attributes: true, attributeFilter: ["data-state"] });
});
const painted = async () => {
  await frame();
  await new Promise((end) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = end;
    channel.port2.postMessage(0);
  });
};
for (let i = 0; i < inputs; i += 1) {
  await pause();
  const result = done();
  const start = performance.now();
  if (!change(i)) continue;
  await result;
  await painted();
  found.push(performance.now() - start);
}
return found;
"""
)

# How many frames after its own each input's result is painted.
FRAMES = (
    DRIVE
    + """
for (let i = 0; i < inputs; i += 1) {
  await pause();
  // The first frames after a pause do not keep the display's time yet.
  for (let still = 0; still < 3; still += 1) await frame();
  if (!change(i)) continue;
  let frames = 0;
  do { await frame(); frames += 1; } while (!settled());
  found.push(frames);
}
return found;
"""
)

# Chromium draws as soon as it can, instead of at the display's next tick.
UNLOCKED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]


def each_widget(
    path: str, arguments: list[str], site: Path, script: str, inputs: int
) -> dict[tuple[str, str], list[float]]:
    """What `script` finds for every widget with a slider, by page and name."""
    found: dict[tuple[str, str], list[float]] = {}
    engine, server = Chromium(path, arguments), Server(site)
    try:
        for page in page_paths():
            tab = engine.open()
            book = Book(tab, server.base).load(page)
            for index, widget in enumerate(book.widgets()):
                if not widget.js("return form.querySelectorAll('.occ-controls input[type=range]').length"):
                    continue
                tab.js(WORK, index, 12)  # the first ones start Python, load charts and warm caches
                found[page, widget.name] = tab.js(script, index, inputs)
            tab.close()
    finally:
        engine.close()
        server.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, help="a built site (default: build one)")
    parser.add_argument("--inputs", type=int, default=120)
    parser.add_argument("--save", action="store_true", help=f"write {SAVED.relative_to(ROOT)}")
    options = parser.parse_args()
    path = next((p for c in ENGINES["chromium"] if (p := shutil.which(c))), None)
    if not path:
        sys.exit("chromium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        site = options.site or Path(folder) / "site"
        if not options.site:
            subprocess.run([sys.executable, ROOT / "scripts" / "build.py", "--out", site], check=True)
        work = each_widget(path, UNLOCKED, Path(site), WORK, options.inputs)
        frames = each_widget(path, [], Path(site), FRAMES, options.inputs)
    rows = []
    for (page, name), times in work.items():
        median, late = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
        counts = frames[page, name]
        next_frame = counts.count(1) / len(counts)
        rows.append({"page": page, "widget": name, "median": median, "p95": late, "next_frame": next_frame})
        print(
            f"{page or 'home':22} {name:14} work: median {median:5.1f} ms   p95 {late:5.1f} ms = {late / FRAME:4.2f} frames   "
            f"in the next frame: {next_frame:4.0%}"
        )
    if options.save:
        SAVED.write_text(json.dumps({"inputs": options.inputs, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
