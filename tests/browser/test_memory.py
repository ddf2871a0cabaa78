"""Memory: after many runs and many pages turned there is no more of anything than before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .book import Book
from .chromium import ChromiumTab
from .engine import Engine
from .server import Server

# How many runs and pages: as many as show one more object of Python's a run, and one more listener a page of a kind,
# beside what comes and goes. Only Chromium says what they leave behind in the page: with `--all` so many there.
RUNS, TURNS = 120, 40
MANY_RUNS, MANY_TURNS = 1000, 100

# Pages with cells, a widget, a widget with a chart, charts.
ROUND = ("05-executable/", "03-shape-a-block/", "06-littles-law/", "04-cliffs/")

PYTHON = "import gc, pyodide_js\ngc.collect()\nprint(len(gc.get_objects()), len(pyodide_js._module.HEAP8))"

# Before Python starts: count workers, and the listeners on what outlives a page.
COUNT = """
self.workers = 0;
const Plain = self.Worker;
self.Worker = class extends Plain {
  constructor(...given) { super(...given); self.workers += 1; }
  terminate() { self.workers -= 1; super.terminate(); }
};
self.listeners = 0;
for (const target of [window, document, document.documentElement, document.body, navigator.serviceWorker ?? new EventTarget()]) {
  const { addEventListener: add, removeEventListener: remove } = target;
  target.addEventListener = function (...given) { self.listeners += 1; return add.apply(this, given); };
  target.removeEventListener = function (...given) { self.listeners -= 1; return remove.apply(this, given); };
}
const set = Map.prototype.set;
Map.prototype.set = function (key, value) {
  if (value?.view?.runAsync) self.chart = Object.getPrototypeOf(value.view);
  return set.call(this, key, value);
};
"""

# Press Run so many times, each when the one before has ended.
RUN = """
const [css, times] = args;
const cell = document.querySelector(css);
for (let run = 0; run < times; run += 1) {
  const ended = new Promise((done) => {
    const seen = new MutationObserver(() => ["done", "error"].includes(cell.dataset.state) && (seen.disconnect(), done()));
    seen.observe(cell, { attributeFilter: ["data-state"] });
  });
  cell.querySelector(".occ-run").click();
  await ended;
  if (cell.dataset.state !== "done") throw new Error(cell.textContent);
}
"""

# Turn so many pages, from the first one round and round, and use each as a reader does.
TURN = """
const [base, pages, times, use] = args;
const until = async (what) => {
  const end = performance.now() + 60000;
  while (!what()) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await new Promise((done) => setTimeout(done, 5));
  }
};
/** The class of the editor whose element this is. */
const prototypeOf = ({ cmTile, cmView }) => Object.getPrototypeOf(cmTile?.view ?? cmView.rootView.view);
const seen = (css) => document.querySelector(css);
for (let turn = 0; turn < times; turn += 1) {
  const url = base + pages[(turn + 1) % pages.length];
  [...document.links].find((a) => a.href === url).click();
  await until(() => seen("link[rel=canonical]")?.href === url && location.href === url);
  if (!use) continue;
  await until(() => ![...document.querySelectorAll("section.occ-cell, form.occ-widget")].some((e) => !e.dataset.state));
  const code = seen(".occ-cell:not([hidden]) .occ-cell-source");
  if (code) {
    code.click();
    await until(() => seen(".cm-content"));
    self.editor ??= prototypeOf(seen(".cm-content"));
  }
  const slider = seen("form.occ-widget input[type=range]");
  if (slider) {
    slider.value = turn % 2 ? slider.min : slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await until(() => slider.form.dataset.state === "done");
  }
  const figure = seen("figure[data-kind=chart]:not(form *)");
  if (figure) {
    // The page's scripts may not have come to the figure yet.
    await until(() => figure.dispatchEvent(new PointerEvent("pointerenter")) && figure.querySelector(".occ-chart-live"));
  }
}
"""


@pytest.fixture
def book(first: Callable[..., Book]) -> Book:
    """A reader whose workers and listeners are counted."""
    book = first().load(ROUND[0])
    book.tab.js(COUNT)
    # The first time brings Python, the editor, and what they keep once.
    kept(book)
    return book


def kept(book: Book) -> dict[str, int]:
    """What there is of what outlives a page: Python's objects and the bytes of its memory, workers, listeners."""
    cell = book.turn(ROUND[0]).cell(1).write(PYTHON).run()
    objects, size = map(int, cell.text.split())
    cell.press("reset")
    workers, listeners = book.tab.js("return [self.workers, self.listeners]")
    return {"objects": objects, "bytes": size, "workers": workers, "listeners": listeners}


class Heap:
    """What Chromium says of a page's memory once all garbage is gone."""

    def __init__(self, tab: ChromiumTab) -> None:
        self.session = tab.context.new_cdp_session(tab.page)
        self.session.send("Performance.enable")

    def now(self) -> dict[str, int]:
        """Bytes of JavaScript's heap, nodes and listeners, those without a page included."""
        for _ in range(3):
            self.session.send("HeapProfiler.collectGarbage")
        found = {m["name"]: m["value"] for m in self.session.send("Performance.getMetrics")["metrics"]}
        return {name: int(found[name]) for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")}

    def count(self, prototype: str) -> int:
        """How many objects have this prototype, given as an expression."""
        of = self.session.send("Runtime.evaluate", {"expression": prototype})["result"]
        found = self.session.send("Runtime.queryObjects", {"prototypeObjectId": of["objectId"]})["objects"]
        length = {"objectId": found["objectId"], "functionDeclaration": "function () { return this.length }"}
        counted = int(self.session.send("Runtime.callFunctionOn", length)["result"]["value"])
        # The list itself would keep them all.
        self.session.send("Runtime.releaseObject", {"objectId": found["objectId"]})
        return counted


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in before}


@pytest.mark.one_engine
def test_runs_leave_nothing(engine: Engine, book: Book, all_of_it: bool) -> None:
    runs = MANY_RUNS if all_of_it and engine.name == "chromium" else RUNS
    cell = book.cell(1).run()
    book.tab.js(RUN, cell.css, 20)
    heap = Heap(book.tab) if isinstance(book.tab, ChromiumTab) else None
    before, page = kept(book), heap.now() if heap else {}
    book.tab.js(RUN, cell.css, runs)
    more = grown(before, kept(book))
    assert more["objects"] < 100 and more["bytes"] == 0
    # The editor listens to one thing more while it has the focus.
    assert more["listeners"] < 5
    assert before["workers"] == 1 and more["workers"] == 0
    if heap:
        more = grown(page, heap.now())
        assert more["JSHeapUsedSize"] < 500 * max(runs, 500), more
        assert more["Nodes"] < 100 and more["JSEventListeners"] < 20, more


@pytest.mark.one_engine
def test_pages_turned_leave_nothing(
    engine: Engine, book: Book, fresh: Callable[..., Book], server: Server, all_of_it: bool
) -> None:
    half = (MANY_TURNS if all_of_it and engine.name == "chromium" else TURNS) // 2
    book.tab.js(TURN, book.base, ROUND, half, True)
    heap = Heap(book.tab) if isinstance(book.tab, ChromiumTab) else None
    before, page = kept(book), heap.now() if heap else {}
    book.tab.js(TURN, book.base, ROUND, half, True)
    used = heap.now() if heap else {}
    if heap:
        # What the last page shows: its chart, and no editor of a page before it.
        assert heap.count("self.chart") <= 2 and heap.count("self.editor") <= 2
    more = grown(before, kept(book))
    assert more["objects"] < 5 * half and more["bytes"] == 0
    # One listener that each page of a kind left behind would make more.
    assert more["listeners"] < half // 4
    assert before["workers"] == 1 and more["workers"] == 0
    if heap:
        # The theme itself holds on to the pages it turned.
        server.fault("/dist/book.js$", status=404)
        plain = fresh()
        assert isinstance(plain.tab, ChromiumTab)
        plain.tab.goto(plain.base + ROUND[0])
        theirs = Heap(plain.tab)
        plain.tab.js(TURN, plain.base, ROUND, half, False)
        first = theirs.now()
        plain.tab.js(TURN, plain.base, ROUND, half, False)
        theme = grown(first, theirs.now())
        ours = grown(page, used)
        assert ours["JSHeapUsedSize"] < theme["JSHeapUsedSize"] + 50_000 * half, (ours, theme)
        assert ours["Nodes"] < 1.1 * theme["Nodes"], (ours, theme)
        assert ours["JSEventListeners"] < theme["JSEventListeners"] + 5 * half, (ours, theme)
