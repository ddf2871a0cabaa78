// The snapshot's key: the worker's file name, which holds its version, without what a page may add to the URL.

import assert from "node:assert/strict";
import { test } from "node:test";

import { snapshotUrl } from "../../docs/assets/src/cache-keys.js";

test("the key names the worker, and nothing else of its URL", () => {
  const key = "https://example.org/occusite/assets/dist/python-worker-AB.js?snapshot";
  for (const more of ["", "?v=1", "#part", "?snapshot"]) {
    assert.equal(snapshotUrl(new URL(`https://example.org/occusite/assets/dist/python-worker-AB.js${more}`)), key);
  }
});
