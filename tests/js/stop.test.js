// Stop by polling: when the worker asks, what it takes for Stop, and that it interrupts a run once. Time and network are ours.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

let now = 1000;
/** What a request for the blob URL answers: a status, or an error. @type {number | Error} */
let answer = 200;
/** @type {string[]} */
let requests = [];

globalThis.performance.now = () => now;
globalThis.XMLHttpRequest = /** @type {any} */ (
  class {
    status = 0;
    /** @param {string} method @param {string} url @param {boolean} async */
    open(method, url, async) {
      assert.equal(async, false);
      requests.push(`${method} ${url}`);
    }
    send() {
      if (answer instanceof Error) throw answer;
      this.status = answer;
    }
  }
);
const { interruptBuffer, wait, watch } = await import("../../docs/assets/src/stop.js");
const SIGINT = 2;

beforeEach(() => {
  [now, answer, requests] = [1000, 200, []];
  watch("");
});

test("it polls at most every 100 ms", () => {
  watch("blob:run");
  for (now = 1000; now < 1450; now += 10) assert.equal(interruptBuffer[0], 0);
  // At 1100, 1200, 1300 and 1400.
  assert.deepEqual(requests, Array(4).fill("GET blob:run"));
});

for (const [what, told] of /** @type {[string, number | Error][]} */ ([["an error", new Error("gone")], ["404", 404]])) {
  test(`a revoked URL (${what}) interrupts once a run`, () => {
    watch("blob:run");
    answer = told;
    now += 99;
    assert.equal(interruptBuffer[0], 0);
    now += 1;
    assert.equal(interruptBuffer[0], SIGINT);
    now += 1000;
    assert.equal(interruptBuffer[0], 0);
    watch("blob:next");
    now += 100;
    assert.equal(interruptBuffer[0], SIGINT);
    assert.deepEqual(requests, ["GET blob:run", "GET blob:next"]);
  });
}

test("status 0, which some browsers give for blobs, is no Stop", () => {
  watch("blob:run");
  [answer, now] = [0, now + 100];
  assert.equal(interruptBuffer[0], 0);
});

test("without a run nothing is asked", () => {
  now += 10_000;
  assert.equal(interruptBuffer[0], 0);
  assert.equal(wait(0), false);
  assert.deepEqual(requests, []);
});

test("text is handed on before each poll", () => {
  let polls = 0;
  watch("blob:run", () => (polls += 1));
  now += 50;
  void interruptBuffer[0];
  assert.equal(polls, 0);
  now += 50;
  void interruptBuffer[0];
  assert.equal(polls, 1);
});

test("a wait ends at its time, or at Stop", () => {
  // The clock only moves when somebody looks at it.
  globalThis.performance.now = () => (now += 10);
  const atomics = Atomics.wait;
  Atomics.wait = /** @type {any} */ ((/** @type {any} */ _1, /** @type {any} */ _2, /** @type {any} */ _3, /** @type {number} */ ms) => void (now += ms));
  try {
    watch("blob:run");
    const start = now;
    assert.equal(wait(0.5), false);
    assert.ok(now - start >= 500 && now - start < 700, `${now - start}`);
    assert.ok(requests.length >= 3);
    answer = 404;
    assert.equal(wait(60), true);
    assert.ok(now - start < 2000, "not after 60 s");
  } finally {
    Atomics.wait = atomics;
    globalThis.performance.now = () => now;
  }
});
