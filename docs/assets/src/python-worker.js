// The module worker that runs Python: it answers the page's calls, one at a time.

import { boot, post } from "./boot.js";
import { interruptBuffer, watch } from "./stop.js";

/** Milliseconds between two posts of printed text to the page. */
const FLUSH_EVERY = 40;

/** Bytes of memory above which a run that ran out of it gets a new worker: WebAssembly memory never shrinks. */
const LARGE = 600 << 20;

/** `occusite.book.runtime.api`. @type {any} */
let api = null;
/** @type {import("pyodide").PyodideAPI} */
let pyodide;
/** Resolves once the page has been given what it is to keep. @type {Promise<void>} */
let kept = Promise.resolve();

/** Collects what a run prints and posts it in batches. */
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

/** Call a function of the API. One that runs the reader's code gets a token, the blob URL whose revocation stops it.
 * @param {string} call @param {any[]} args @param {string} token @returns {string} */
function answer(call, args, token) {
  if (!token) return api[call](...args);
  const { flush, write } = printer();
  watch(token, flush);
  pyodide.setInterruptBuffer(/** @type {any} */ (interruptBuffer));
  try {
    return call === "run" ? api.run(...args, write) : api[call](...args);
  } finally {
    watch("");
    // Post the rest of the text first: a Python that crashed answers nothing more.
    flush();
    pyodide.setInterruptBuffer(/** @type {any} */ (undefined));
  }
}

/** @param {import("./boot.js").BootOptions} options */
async function start(options) {
  try {
    const booted = await boot(options);
    ({ pyodide, api } = booted);
    post({ kind: "ready", restored: booted.restored });
    // The page believes the first such message, which must leave before any code of the reader's runs.
    kept = booted.kept.then(({ entries, used }) => {
      self.postMessage({ kind: "keep", entries, used }, { transfer: entries.map(({ data }) => data.buffer) });
    });
  } catch (error) {
    post({ kind: "failed", reason: reasonOf(error) });
  }
}

/** The last line of an error: what Python's tracebacks and JavaScript's messages end with. @param {unknown} error */
function reasonOf(error) {
  const text = typeof error === "string" ? error : String(/** @type {any} */ (error)?.message || error?.constructor?.name || "an unknown error");
  return text.trim().split("\n").at(-1) ?? "";
}

self.onmessage = async ({ data }) => {
  if (data.boot) return void start(data.boot);
  if (data.token) await kept;
  try {
    const value = answer(data.call, data.args, data.token);
    const large = /** @type {any} */ (pyodide)._module.HEAP8.length > LARGE;
    post({ kind: "result", value, large });
  } catch (error) {
    const fatal = !(error instanceof Error && error.name === "PythonError");
    post({ kind: fatal ? "died" : "error", reason: reasonOf(error) });
  }
};
