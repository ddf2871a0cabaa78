// Boots Pyodide: trimmed library first, a snapshot of this device's first boot on later ones.

import { loadPyodide } from "pyodide";

import { wait } from "./stop.js";
import { file, recallSnapshot, rememberSnapshot } from "./store.js";

/** @typedef {import("pyodide").PyodideAPI} Pyodide */
/** What the page gives: the interpreter compiled by an earlier worker; `plain` leaves aside what was kept on the device.
 * @typedef {{ module?: WebAssembly.Module, plain?: boolean }} Given */

/** Python may not take more memory than this, in bytes: beyond, a tab may be ended by the system. */
const MEMORY_LIMIT = 1 << 30;

const here = new URL(".", import.meta.url);
const plainFetch = self.fetch.bind(self);
const plainInstantiate = WebAssembly.instantiateStreaming;

/** Bytes of each download: how many there are, and how many came. */
const downloads = new Map(Object.entries(__SIZES__).map(([name, size]) => [name, { size, came: 0 }]));
let told = 0;

/** @param {Record<string, unknown>} message */
export const post = (message) => self.postMessage(message);

/** Tell the page how far the downloads are, at most every 60 ms. */
function tell() {
  const now = performance.now();
  const all = [...downloads.values()];
  if (now - told < 60 && all.some(({ came, size }) => came < size)) return;
  told = now;
  /** @param {"came" | "size"} what */
  const sum = (what) => all.reduce((total, download) => total + download[what], 0);
  post({ kind: "progress", loaded: sum("came"), total: sum("size") });
}

/** Fetch one of the boot's files, counting its bytes. @param {URL} url @returns {Promise<Response>} */
async function download(url) {
  const name = url.pathname.split("/").pop() ?? "";
  // The interpreter comes first: it is compiled while the rest is on its way.
  const response = await plainFetch(url, { priority: name.includes(".wasm") ? "high" : "auto" });
  if (!response.ok) throw new Error(`${name} answered ${response.status}`);
  const counted = downloads.get(name);
  if (!counted || !response.body) return response;
  counted.came = 0;
  const count = new TransformStream({
    transform: (chunk, controller) => {
      counted.came += chunk.byteLength;
      tell();
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count));
}

/** Python ready to be called: `restored` says by which road it came, `live` is `occusite.book.runtime.api`.
 * @param {Given} given @returns {Promise<{ pyodide: Pyodide, live: any, restored: boolean }>} */
export async function boot({ module, plain }) {
  limitMemory();
  /** @param {string} name @param {string} [type] */
  const get = (name, type = "application/octet-stream") => file(new URL(name, here), type, download, !plain);
  // Everything is asked for at once, first what takes longest: the interpreter compiles while the rest is on its way.
  const compiled = module ? Promise.resolve(module) : compile(get(`${__PYODIDE__}pyodide.asm.wasm`, "application/wasm"));
  const found = plain ? Promise.resolve(null) : recallSnapshot();
  const library = get(__LIBRARY__);
  const book = get(__PACK__).then((response) => response.arrayBuffer());
  // Pyodide will ask for this one again and get the same.
  const program = import(new URL(`${__PYODIDE__}pyodide.asm.mjs`, here).href);
  // Pyodide waits for ever when a file does not come or does not compile.
  /** @type {(reason: unknown) => void} */
  let breakOff = () => {};
  const broken = new Promise((_, reject) => (breakOff = reject));
  broken.catch(() => {});
  for (const promise of [compiled, library, book, program]) promise.catch(breakOff);
  const snapshot = await found;
  self.fetch = async (input, init) => {
    if (String(input).endsWith(".wasm")) return new Response();
    return String(input).endsWith(__LIBRARY__) ? library : plainFetch(input, init);
  };
  WebAssembly.instantiateStreaming = async (_source, imports) => {
    const ready = await compiled;
    return { module: ready, instance: await WebAssembly.instantiate(ready, imports) };
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
    pyodide = /** @type {Pyodide} */ (await Promise.race([loadPyodide(/** @type {any} */ (options)), broken]));
  } finally {
    self.fetch = plainFetch;
    WebAssembly.instantiateStreaming = plainInstantiate;
  }
  pyodide.FS.writeFile("/book.zip", new Uint8Array(await book));
  if (!snapshot) {
    pyodide.runPython("import sys; sys.path.insert(1, '/book.zip'); from occusite.book.runtime import interpreter; interpreter.warm()");
    takeSnapshot(pyodide);
  }
  const rest = pyodide.runPython("import zipimport; zipimport.zipimporter('/lib/python314.zip').get_data('REST').decode()");
  pyodide.pyimport("occusite.book.runtime.interpreter").install(rest, fetchLibrary(pyodide), wait);
  return { pyodide, live: pyodide.pyimport("occusite.book.runtime.api"), restored: snapshot !== null };
}

/** The interpreter; the page keeps it for the workers that come after this one. @param {Promise<Response>} wasm */
async function compile(wasm) {
  const module = await WebAssembly.compileStreaming(wasm);
  post({ kind: "module", module });
  return module;
}

/** @param {Pyodide} pyodide */
function takeSnapshot(pyodide) {
  try {
    void rememberSnapshot(/** @type {any} */ (pyodide).makeMemorySnapshot());
  } catch (error) {
    console.error(error);
  }
}

/** Let Python see a MemoryError before the system ends the tab. */
function limitMemory() {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65536 > MEMORY_LIMIT) throw new RangeError("memory limit of the page");
    return grow.call(this, pages);
  };
}

/** Put the whole standard library where the trimmed one is. Synchronous: an import waits for it.
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
