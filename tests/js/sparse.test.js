// Memory snapshots packed without their zero pages: layout by hand, and round trips.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dense, sparse } from "../../docs/assets/src/sparse.js";

const PAGE = 4096;

/** Memory of `length` bytes, zero but at `filled`. @param {number} length @param {Record<number, number>} filled */
function memory(length, filled) {
  const bytes = new Uint8Array(length);
  for (const [at, value] of Object.entries(filled)) bytes[Number(at)] = value;
  return bytes;
}

test("the layout: length, count, page numbers, pages", () => {
  // Three pages; the first has one byte, the second none, the third its last one.
  const bytes = memory(3 * PAGE, { 5: 7, [3 * PAGE - 1]: 9 });
  const packed = sparse(bytes);
  assert.equal(packed.length, 4 * 4 + 2 * PAGE);
  assert.deepEqual([...new Uint32Array(packed.buffer, 0, 4)], [3 * PAGE, 2, 0, 2]);
  assert.equal(packed[16 + 5], 7);
  assert.equal(packed[16 + 2 * PAGE - 1], 9);
  // One byte each of the length (0x3000), of the count, of the number of page 2; and the two that were filled.
  assert.equal(packed.filter((byte) => byte !== 0).length, 5);
});

for (const [what, bytes] of /** @type {[string, Uint8Array][]} */ ([
  ["nothing", memory(0, {})],
  ["zeros only", memory(2 * PAGE, {})],
  ["a part of a page", memory(10, { 9: 1 })],
  ["a last page cut within a word", memory(2 * PAGE + 7, { [2 * PAGE + 6]: 3 })],
  ["every page", new Uint8Array(5 * PAGE + 1).fill(1)],
])) {
  test(`a round trip of ${what}`, () => assert.deepEqual(dense(sparse(bytes)), bytes));
}

test("random memory, and packed bytes inside a larger buffer, as a cache returns them", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647);
  for (let n = 0; n < 20; n += 1) {
    const bytes = new Uint8Array(random() % (20 * PAGE));
    for (let i = 0; i < 12 && bytes.length; i += 1) bytes[random() % bytes.length] = random() % 256;
    const packed = sparse(bytes);
    const moved = new Uint8Array(packed.length + 8);
    moved.set(packed, 8);
    assert.deepEqual(dense(moved.subarray(8)), bytes);
  }
});
