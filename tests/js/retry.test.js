// Lazy modules: imported once, and a failed import is retried under a URL that was not asked for before.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "../../docs/assets/src/retry.js";

const BASE = new URL("../../docs/assets/src/", import.meta.url).href;

/** An import that fails `times` times, and remembers the URLs. @param {number} times */
function failing(times) {
  /** @type {string[]} */
  const urls = [];
  const module = {};
  const importModule = async (/** @type {string} */ url) => {
    urls.push(url.slice(BASE.length));
    if (urls.length <= times) throw new TypeError(`Failed to fetch ${url}`);
    return module;
  };
  return { urls, module, importModule };
}

test("a module is imported once", async () => {
  const { urls, module, importModule } = failing(0);
  const [first, second] = await Promise.all([load("a.js", importModule), load("a.js", importModule)]);
  assert.equal(first, module);
  assert.equal(second, module);
  assert.equal(await load("a.js", importModule), module);
  assert.deepEqual(urls, ["a.js"]);
});

test("one failure is retried without a word", async () => {
  const { urls, module, importModule } = failing(1);
  assert.equal(await load("b.js", importModule), module);
  assert.deepEqual(urls, ["b.js", "b.js?retry=1"]);
});

test("after two failures the call rejects, and the next call asks for new URLs", async () => {
  const { urls, module, importModule } = failing(3);
  await assert.rejects(load("c.js", importModule), TypeError);
  assert.deepEqual(urls, ["c.js", "c.js?retry=1"]);
  assert.equal(await load("c.js", importModule), module);
  assert.deepEqual(urls, ["c.js", "c.js?retry=1", "c.js?retry=2", "c.js?retry=3"]);
  assert.equal(new Set(urls).size, urls.length);
});
