// Python itself: a module worker that answers the page's calls, one at a time.

import { boot, post } from "./boot.js";
import { interruptBuffer, watch } from "./stop.js";

/** How often printed text goes to the page, in milliseconds. */
const FLUSH_EVERY = 40;

/** Above this many bytes the page gets a fresh worker after a run, since memory once taken is never given back. */
const MEMORY_SPENT = 600 << 20;

/** @type {any} */
let live = null;
/** @type {import("pyodide").PyodideAPI} */
let pyodide;

/** Collects what a run prints and hands it on in batches. */
function printer() {
  let text = "";
  let last = 0;
  const flush = () => {
    if (text) post({ kind: "text", text });
    text = "";
    last = performance.now();
  };
  /** @param {string} more */
  const write = (more) => {
    text += more;
    if (performance.now() - last > FLUSH_EVERY) flush();
  };
  return { flush, write };
}

/** Call a function of `occusite.book.runtime.api`; one that runs the reader's code gets a token, whose end stops it.
 * @param {string} call @param {any[]} args @param {string} token @returns {string} */
function answer(call, args, token) {
  if (!token) return live[call](...args);
  const { flush, write } = printer();
  watch(token, flush);
  pyodide.setInterruptBuffer(/** @type {any} */ (interruptBuffer));
  try {
    return call === "run" ? live.run(...args, write) : live[call](...args);
  } finally {
    watch("");
    // First what was printed: a Python that died answers nothing any more.
    flush();
    pyodide.setInterruptBuffer(/** @type {any} */ (undefined));
  }
}

/** @param {any} given */
async function start(given) {
  try {
    const booted = await boot(given);
    ({ pyodide, live } = booted);
    post({ kind: "ready", restored: booted.restored });
  } catch (error) {
    post({ kind: "failed", reason: reasonOf(error) });
  }
}

/** The last line of an error: what Python's tracebacks and JavaScript's messages end with. @param {unknown} error */
function reasonOf(error) {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").at(-1) ?? "";
}

self.onmessage = ({ data }) => {
  if (data.given) return void start(data.given);
  try {
    const value = answer(data.call, data.args, data.token);
    const spent = /** @type {any} */ (pyodide)._module.HEAP8.length > MEMORY_SPENT;
    post({ kind: "result", value, spent });
  } catch (error) {
    const fatal = !(error instanceof Error && error.name === "PythonError");
    post({ kind: fatal ? "died" : "error", reason: reasonOf(error) });
  }
};
