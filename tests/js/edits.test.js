// The reader's edits: each goes to the cell it was made in, however the edition has moved or changed it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { alike, place, replace, stored } from "../../docs/assets/src/edits.js";

/** @type {Map<string, string>} */
const kept = new Map();
Object.assign(globalThis, {
  localStorage: {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
  },
});

const A = "a = 1\nprint(a)\n";
const B = "import occusite\nlaunch = 256\nprint(launch)\n";
const C = "for i in range(3):\n    print(i)\n";
const edit = (/** @type {string} */ original) => ({ original, source: `${original}# mine` });
const where = (/** @type {{ placed: Map<number, { original: string }>, homeless: { original: string }[] }} */ found) => ({
  placed: [...found.placed].map(([i, e]) => [i, e.original]).sort(),
  homeless: found.homeless.map((e) => e.original),
});

test("an edit stays with its cell when others come, go or move", () => {
  assert.deepEqual(where(place([edit(B)], [A, B, C])), { placed: [[1, B]], homeless: [] });
  assert.deepEqual(where(place([edit(B)], [C, A, A, B])), { placed: [[3, B]], homeless: [] });
  assert.deepEqual(where(place([edit(B), edit(A)], [B, A])), { placed: [[0, B], [1, A]], homeless: [] });
});

test("an edit follows a cell whose code has changed a little", () => {
  const newer = B.replace("256", "512");
  assert.deepEqual(where(place([edit(B)], [A, C, newer])), { placed: [[2, B]], homeless: [] });
  // Not where another edit belongs exactly.
  assert.deepEqual(where(place([edit(B), edit(newer)], [A, newer])), { placed: [[1, newer]], homeless: [B] });
});

test("an edit whose cell is gone is nobody else's", () => {
  assert.deepEqual(where(place([edit(B)], [A, C])), { placed: [], homeless: [B] });
  assert.deepEqual(where(place([edit(B)], [])), { placed: [], homeless: [B] });
});

test("cells of the same code have an edit each", () => {
  const [one, two] = [{ original: A, source: "1" }, { original: A, source: "2" }];
  assert.deepEqual([...place([one, two], [A, B, A]).placed], [[0, one], [2, two]]);
});

test("likeness is the share of common lines", () => {
  assert.equal(alike(A, A), 1);
  assert.equal(alike("x\ny\n", "x\nz\n"), 0.5);
  assert.equal(alike("x\nx\n", "x\ny\n"), 0.5);
  assert.equal(alike(A, C), 0);
  assert.equal(alike("", ""), 1);
});

test("what is stored is replaced one edit at a time", () => {
  const [first, second] = [edit(A), edit(B)];
  replace("/p/", null, first);
  replace("/p/", null, second);
  const changed = { ...first, source: "other" };
  replace("/p/", first, changed);
  assert.deepEqual(stored("/p/"), [second, changed]);
  assert.deepEqual(stored("/q/"), []);
  replace("/p/", second, null);
  replace("/p/", changed, null);
  assert.equal(kept.size, 0);
  kept.set("occusite:cells:/p/", '[{"original": 1}, null, {"original": "a", "source": "b"}]');
  assert.deepEqual(stored("/p/"), [{ original: "a", source: "b" }]);
});
