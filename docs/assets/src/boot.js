// Boots Pyodide: from the trimmed library on the first visit, from a snapshot of that boot's memory on later ones.

import { loadPyodide } from "pyodide";

import { wait } from "./stop.js";
import { file, recallSnapshot, toKeep, use } from "./store.js";

/** @typedef {import("pyodide").PyodideAPI} Pyodide */
/** `module`: the interpreter as an earlier worker compiled it. `plain`: ignore what is cached on the device.
 * @typedef {{ module?: WebAssembly.Module, plain?: boolean }} BootOptions */

/** The most memory Python may take, in bytes: beyond that the system may kill the tab. */
const MEMORY_LIMIT = 1 << 30;

const here = new URL(".", import.meta.url);
const plainFetch = self.fetch.bind(self);
const plainInstantiate = WebAssembly.instantiateStreaming;

/** Bytes of each download: its size, and how many have been received. */
const downloads = new Map(Object.entries(__SIZES__).map(([name, size]) => [name, { size, received: 0 }]));
let lastReport = 0;

/** @param {Record<string, unknown>} message */
export const post = (message) => self.postMessage(message);

/** Report to the page how far the downloads are, at most every 60 ms. */
function reportProgress() {
  const now = performance.now();
  const all = [...downloads.values()];
  if (now - lastReport < 60 && all.some(({ received, size }) => received < size)) return;
  lastReport = now;
  /** @param {"received" | "size"} field */
  const sum = (field) => all.reduce((total, download) => total + download[field], 0);
  post({ kind: "progress", loaded: sum("received"), total: sum("size") });
}

/** Fetch one of the boot's files, counting its bytes; with `reload`, past the browser's own cache.
 * @param {URL} url @param {boolean} reload @returns {Promise<Response>} */
async function download(url, reload) {
  const name = url.pathname.split("/").pop() ?? "";
  // Fetch the interpreter first: the browser compiles it while the rest downloads.
  const response = await plainFetch(url, { priority: name.includes(".wasm") ? "high" : "auto", cache: reload ? "reload" : "default" });
  if (!response.ok) throw new Error(`${name} answered ${response.status}`);
  const counted = downloads.get(name);
  if (!counted || !response.body) return response;
  counted.received = 0;
  const count = new TransformStream({
    transform: (chunk, controller) => {
      counted.received += chunk.byteLength;
      reportProgress();
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count));
}

/** Start Python: `api` is `occusite.book.runtime.api`, `restored` whether it was restored from a snapshot, `kept` what the
 * page is to keep for the next visit.
 * @param {BootOptions} options
 * @returns {Promise<{ pyodide: Pyodide, api: any, restored: boolean, kept: ReturnType<typeof toKeep> }>} */
export async function boot({ module, plain }) {
  limitMemory();
  /** @param {string} name @param {string} [type] */
  const get = (name, type = "application/octet-stream") => file(new URL(name, here), type, (url) => download(url, Boolean(plain)), !plain);
  // Start all downloads at once, the longest first.
  const interpreter = `${__PYODIDE__}pyodide.asm.wasm`;
  // An earlier worker of this page may still be keeping the file of the module it compiled.
  use(new URL(interpreter, here));
  const compiled = module ? Promise.resolve(module) : compile(get(interpreter, "application/wasm"));
  const lookup = plain ? Promise.resolve(null) : recallSnapshot();
  const library = get(__LIBRARY__);
  const book = get(__PACK__).then((response) => response.arrayBuffer());
  // Pyodide imports this module again and gets the same one.
  const program = import(new URL(`${__PYODIDE__}pyodide.asm.mjs`, here).href);
  // Reject when a file fails to load or to compile: Pyodide would wait for ever.
  /** @type {(reason: unknown) => void} */
  let fail = () => {};
  const failed = new Promise((_, reject) => (fail = reject));
  failed.catch(() => {});
  for (const promise of [compiled, library, book, program]) promise.catch(fail);
  const snapshot = await lookup;
  self.fetch = async (input, init) => {
    if (String(input).endsWith(".wasm")) return new Response();
    return String(input).endsWith(__LIBRARY__) ? library : plainFetch(input, init);
  };
  WebAssembly.instantiateStreaming = async (_source, imports) => {
    const wasm = await compiled;
    return { module: wasm, instance: await WebAssembly.instantiate(wasm, imports) };
  };
  /** @type {Pyodide} */
  let pyodide;
  try {
    const options = {
      indexURL: new URL(__PYODIDE__, here).href,
      packageBaseUrl: new URL(__PYODIDE__, here).href,
      stdLibURL: new URL(__LIBRARY__, here).href,
      lockFileContents: __LOCK__,
      ...(snapshot ? { _loadSnapshot: snapshot.bytes } : { _makeSnapshot: true }),
    };
    pyodide = /** @type {Pyodide} */ (await Promise.race([loadPyodide(/** @type {any} */ (options)), failed]));
  } finally {
    self.fetch = plainFetch;
    WebAssembly.instantiateStreaming = plainInstantiate;
  }
  pyodide.FS.writeFile("/book.zip", new Uint8Array(await book));
  /** @type {Uint8Array | null} */
  let memory = null;
  if (!snapshot) {
    pyodide.runPython("import sys; sys.path.insert(1, '/book.zip'); from occusite.book.runtime import interpreter; interpreter.warm()");
    memory = snapshotOf(pyodide);
  }
  const rest = pyodide.runPython("import zipimport; zipimport.zipimporter('/lib/python314.zip').get_data('REST').decode()");
  pyodide.pyimport("occusite.book.runtime.interpreter").install(rest, fetchLibrary(pyodide), wait);
  lock();
  return { pyodide, api: pyodide.pyimport("occusite.book.runtime.api"), restored: snapshot !== null, kept: toKeep(memory) };
}

/** What a reader's code has no use for, and could change for later visits, or leave this worker by. */
const LOCKED = ["caches", "indexedDB", "Worker", "SharedWorker", "BroadcastChannel", "serviceWorker", "storage"];

/** Take these from the worker's global scope, for good. */
function lock() {
  for (const start of [self, navigator]) {
    for (let object = /** @type {any} */ (start); object; object = Object.getPrototypeOf(object)) {
      for (const name of LOCKED) Reflect.deleteProperty(object, name);
    }
  }
}

/** Compile the interpreter and post it to the page, which hands it to later workers. @param {Promise<Response>} wasm */
async function compile(wasm) {
  const module = await WebAssembly.compileStreaming(wasm);
  post({ kind: "module", module });
  return module;
}

/** Python's memory now, or null where it cannot be had. @param {Pyodide} pyodide @returns {Uint8Array | null} */
function snapshotOf(pyodide) {
  try {
    return /** @type {any} */ (pyodide).makeMemorySnapshot();
  } catch (error) {
    console.error(error);
    return null;
  }
}

/** Raise MemoryError in Python before the system kills the tab. */
function limitMemory() {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65536 > MEMORY_LIMIT) throw new RangeError("memory limit of the page");
    return grow.call(this, pages);
  };
}

/** Replace the trimmed standard library by the whole one. Synchronous: an import waits for it.
 * @param {Pyodide} pyodide */
function fetchLibrary(pyodide) {
  return (/** @type {string} */ path) => {
    const request = new XMLHttpRequest();
    request.open("GET", new URL(`${__PYODIDE__}python_stdlib.zip`, here), false);
    request.responseType = "arraybuffer";
    try {
      request.send();
    } catch {
      return false;
    }
    if (request.status !== 200) return false;
    pyodide.FS.writeFile(path, new Uint8Array(request.response));
    return true;
  };
}
