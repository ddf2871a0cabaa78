// First answers: a view is put together from the pieces in which it differs from the first one.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answer, firstView, nearest } from "../../docs/assets/src/first-answers.js";

/** Two texts of HTML and a chart, as first_answers.py writes them. @type {import("../../docs/assets/src/first-answers.js").Table} */
const table = {
  parts: [["bars", "html"], ["curve", "chart"]],
  pieces: ["<b>", "2 warps", "</b>", "3 warps", "<p>", "</p>", '{"a":', "[", "1,", "2", "]", "}", "4", "rises"],
  first: [[0, 1, 2], [4, 1, 5], [6, 7, 8, 9, 10, 11], [13]],
  views: {
    threads: {
      64: [[1, 1, 3], [1, 1], [3, 2, 12], 0],
      96: [0, [0, 0, 1], 0, [1, 0, 2]],
      128: "threads: 128 is too much",
    },
  },
};

test("the first view is what the page came with", () => {
  assert.deepEqual(firstView(table), {
    status: "<b>2 warps</b>",
    parts: { bars: { kind: "html", data: "<p>2 warps</p>" }, curve: { kind: "chart", spec: { a: [1, 2] }, alt: "rises" } },
  });
});

test("what changed stands between what did not", () => {
  assert.deepEqual(answer(table, "threads", "64"), {
    status: "<b>3 warps</b>",
    parts: { bars: { kind: "html", data: "<p></p>" }, curve: { kind: "chart", spec: { a: [1, 4] }, alt: "rises" } },
  });
  assert.deepEqual(answer(table, "threads", "96"), {
    status: "<b>2 warps</b>",
    parts: { bars: { kind: "html", data: "2 warps" }, curve: { kind: "chart", spec: { a: [1, 2] }, alt: "rises</b>" } },
  });
});

test("an error is one, and what is not in the table is null", () => {
  assert.deepEqual(answer(table, "threads", "128"), { error: "threads: 128 is too much" });
  assert.equal(answer(table, "threads", "65"), null);
  assert.equal(answer(table, "registers", "64"), null);
});

test("a drag stops at the nearest value with an answer, where it began included", () => {
  const at = (/** @type {number} */ value) => nearest(table, "threads", value, 32);
  assert.deepEqual([0, 40, 49, 70, 90, 1000].map(at), [32, 32, 64, 64, 96, 128]);
  assert.equal(nearest(table, "registers", 7, 32), null);
});
