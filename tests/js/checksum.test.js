// The checksum of cached files: values computed by hand, and every damage that the browser tests make.

import assert from "node:assert/strict";
import { test } from "node:test";

import { checksum } from "../../docs/assets/src/checksum.js";

test("values by hand", () => {
  // No word, no byte: the length, and no second sum.
  assert.equal(checksum(new Uint8Array()), "0-0");
  // Length 3, bytes 1, 2, 3: first 3+1=4, +2=6, +3=9; second 4+6+9=19.
  assert.equal(checksum(Uint8Array.of(1, 2, 3)), "9-19");
  // Length 5, the word 0x04030201 = 67305985: first 67305990, second the same; then the byte 5.
  assert.equal(checksum(Uint8Array.of(1, 2, 3, 4, 5)), `${67305990 + 5}-${67305990 + 67305995}`);
  // Both sums wrap at 32 bits: 4 + 0xffffffff = 3.
  assert.equal(checksum(new Uint8Array(4).fill(255)), "3-3");
});

test("any damage changes it", () => {
  const whole = Uint8Array.from({ length: 1003 }, (_, i) => (i * 37) % 251);
  const sum = checksum(whole);
  assert.equal(checksum(whole.slice()), sum);
  for (let at = 0; at < whole.length; at += 17) {
    const flipped = whole.slice();
    flipped[at] ^= 1;
    assert.notEqual(checksum(flipped), sum, `a bit flipped at ${at}`);
  }
  for (const length of [0, 1, 500, 1002]) assert.notEqual(checksum(whole.slice(0, length)), sum, `cut at ${length}`);
  const swapped = whole.slice();
  swapped.copyWithin(0, 4, 8);
  swapped.set(whole.subarray(0, 4), 4);
  assert.notEqual(checksum(swapped), sum, "two words swapped");
});
