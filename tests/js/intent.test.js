// The reader's intent: whichever sign comes first counts, once, and none after the end.

import assert from "node:assert/strict";
import { test } from "node:test";

// Constants of the bundler, and the little of a browser that the modules ask for.
Object.assign(globalThis, { __WORKER__: "python-worker-AB.js" });
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
/** @type {{ callback: (entries: any[]) => void, observed: unknown[] }[]} */
const observers = [];
Object.assign(globalThis, {
  IntersectionObserver: class {
    /** @param {any} callback */
    constructor(callback) {
      this.callback = callback;
      /** @type {unknown[]} */
      this.observed = [];
      observers.push(this);
    }
    /** @param {unknown} element */
    observe(element) {
      this.observed.push(element);
    }
    disconnect() {
      this.observed = [];
    }
  },
});
const { onIntent, whenIdle } = await import("../../docs/assets/src/intent.js");

/** @param {{ visible?: boolean }} [options] */
function watched(options) {
  const element = /** @type {any} */ (new EventTarget());
  const seen = { starts: 0 };
  const end = onIntent(element, () => (seen.starts += 1), options);
  return { element, seen, end };
}

for (const sign of ["pointerenter", "focusin", "touchstart", "pointerdown"]) {
  test(`${sign} starts, once`, () => {
    const { element, seen } = watched();
    for (const name of [sign, sign, "focusin"]) element.dispatchEvent(new Event(name));
    assert.equal(seen.starts, 1);
  });
}

test("other events do not, and none does after the end", () => {
  const { element, seen, end } = watched();
  for (const name of ["pointermove", "scroll", "click"]) element.dispatchEvent(new Event(name));
  assert.equal(seen.starts, 0);
  end();
  element.dispatchEvent(new Event("pointerenter"));
  assert.equal(seen.starts, 0);
});

test("to be seen is intent only where it is asked for, and not with data saving on", () => {
  observers.length = 0;
  watched();
  assert.equal(observers.length, 0);
  const { element, seen } = watched({ visible: true });
  assert.deepEqual(observers[0].observed, [element]);
  /** @param {number} visible @param {number} height */
  const entry = (visible, height) => ({ isIntersecting: visible > 0, intersectionRect: { height: visible }, boundingClientRect: { height } });
  observers[0].callback([entry(0, 900), entry(199, 900), entry(59, 100)]);
  assert.equal(seen.starts, 0);
  // 200 pixels of a large widget, which a phone never shows to more than a third; of a small one most.
  observers[0].callback([entry(200, 900)]);
  assert.equal(seen.starts, 1);
  assert.deepEqual(observers[0].observed, []);

  Object.defineProperty(globalThis, "navigator", { value: { connection: { saveData: true } }, configurable: true });
  watched({ visible: true });
  assert.equal(observers.length, 1);
});

test("what waits for an idle page waits for its load, and never begins after the end or with data saving on", async () => {
  const page = new EventTarget();
  const given = { document: { readyState: "loading" }, addEventListener: page.addEventListener.bind(page), self: {} };
  Object.assign(globalThis, given);
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  const begun = { kept: 0, ended: 0, saving: 0 };
  whenIdle(() => (begun.kept += 1));
  const end = whenIdle(() => (begun.ended += 1));
  const settled = () => new Promise((then) => setTimeout(then, 20));
  await settled();
  assert.equal(begun.kept, 0);
  end();
  page.dispatchEvent(new Event("load"));
  await settled();
  assert.deepEqual(begun, { kept: 1, ended: 0, saving: 0 });
  given.document.readyState = "complete";
  whenIdle(() => (begun.kept += 1));
  Object.defineProperty(globalThis, "navigator", { value: { connection: { saveData: true } }, configurable: true });
  whenIdle(() => (begun.saving += 1));
  await settled();
  assert.deepEqual(begun, { kept: 2, ended: 0, saving: 0 });
});
