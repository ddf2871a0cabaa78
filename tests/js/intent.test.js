// The reader's intent: whichever sign comes first counts, once, and none after the end.

import assert from "node:assert/strict";
import { test } from "node:test";

// Constants of the bundler, and the little of a browser that the modules ask for.
Object.assign(globalThis, { __WORKER__: "python-worker-AB.js" });
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
/** @type {{ callback: (entries: { isIntersecting: boolean }[]) => void, observed: unknown[] }[]} */
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
const { onIntent } = await import("../../docs/assets/src/intent.js");

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
  observers[0].callback([{ isIntersecting: false }]);
  assert.equal(seen.starts, 0);
  observers[0].callback([{ isIntersecting: true }]);
  assert.equal(seen.starts, 1);
  assert.deepEqual(observers[0].observed, []);

  Object.defineProperty(globalThis, "navigator", { value: { connection: { saveData: true } }, configurable: true });
  watched({ visible: true });
  assert.equal(observers.length, 1);
});
