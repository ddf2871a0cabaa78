// The service worker's choice of what to serve, as a table: request, answer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { headers, route } from "../../docs/assets/src/sw-route.js";

const SCOPE = "https://example.org/occusite/";
const SITE = {
  version: "1",
  shell: { "index.html": "a", "404.html": "b", "04-cliffs/index.html": "c", "assets/css/book.css": "d" },
  runtime: { "assets/dist/python-worker-AB.js": "e" },
  more: { "assets/dist/pyodide-1/python_stdlib.zip": "f" },
  policy: "default-src 'self'",
};

/** URL below the scope, mode, expected source and path. @type {[string, string, string, string][]} */
const TABLE = [
  ["", "navigate", "shell", "index.html"],
  ["?q=warp#top", "navigate", "shell", "index.html"],
  ["04-cliffs/", "navigate", "shell", "04-cliffs/index.html"],
  ["04-cliffs/?cliffs.threads=64", "cors", "shell", "04-cliffs/index.html"],
  ["04-cliffs", "navigate", "redirect", "04-cliffs/"],
  ["04-cliffs", "cors", "network", "04-cliffs"],
  ["assets/css/book.css?v=1234", "no-cors", "shell", "assets/css/book.css"],
  ["assets/dist/python-worker-AB.js", "same-origin", "lazy", "assets/dist/python-worker-AB.js"],
  ["assets/dist/pyodide-1/python_stdlib.zip", "cors", "lazy", "assets/dist/pyodide-1/python_stdlib.zip"],
  ["assets/dist/python-worker-ZZ.js", "same-origin", "network", "assets/dist/python-worker-ZZ.js"],
  ["no-such-page/", "navigate", "missing", "no-such-page/index.html"],
  // Names that every object has are no files.
  ["constructor", "navigate", "missing", "constructor"],
  ["toString", "cors", "network", "toString"],
];

for (const [path, mode, from, to] of TABLE) {
  test(`${mode} of "${path}": ${from}`, () => {
    assert.deepEqual(route(SITE, SCOPE, { method: "GET", url: SCOPE + path, mode }), { from, path: to });
  });
}

test("other methods and other sites are left to the network", () => {
  assert.equal(route(SITE, SCOPE, { method: "POST", url: SCOPE, mode: "cors" }).from, "network");
  for (const url of ["https://example.org/", "https://example.org/occusite2/", "https://other.example/occusite/"]) {
    assert.equal(route(SITE, SCOPE, { method: "GET", url, mode: "navigate" }).from, "network", url);
  }
});

test("an answer's headers are the service worker's own, and Python's worker has the policy", () => {
  const of = (/** @type {string} */ path) => headers(SITE, path);
  assert.deepEqual(of("04-cliffs/index.html"), { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" });
  assert.equal(of("assets/css/book.css")["Content-Type"], "text/css");
  assert.equal(of("assets/dist/library-12.zip.xz")["Content-Type"], "application/x-xz");
  assert.equal(of("CNAME")["Content-Type"], "application/octet-stream");
  assert.equal(of("assets/dist/python-worker-AB.js")["Content-Security-Policy"], SITE.policy);
  assert.equal(of("assets/dist/python-worker-AB.js")["Content-Type"], "text/javascript");
  assert.equal(of("assets/dist/book.js")["Content-Security-Policy"], undefined);
});
