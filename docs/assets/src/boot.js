// Boots Pyodide: trimmed library first, a snapshot of this device's first boot on later ones, always the plain road as well.

import { loadPyodide } from "pyodide";

import { recallSnapshot, rememberSnapshot } from "./snapshot.js";

/** @typedef {import("pyodide").PyodideAPI} Pyodide */
/** @typedef {{ module?: WebAssembly.Module, snapshots?: boolean }} Given  what the page knows from an earlier worker */

/** Python may not take more memory than this, in bytes: beyond, a tab may be ended by the system. */
const MEMORY_LIMIT = 1 << 30;

const here = new URL(".", import.meta.url);
const plainFetch = self.fetch.bind(self);
const plainInstantiate = WebAssembly.instantiateStreaming?.bind(WebAssembly);

/** What the boot downloads, by file name: its size, what of it came, and what its bytes weigh on the wire. */
const downloads = new Map(Object.entries(__SIZES__).map(([name, [size, packed]]) => [name, { size, packed, wire: packed, came: 0 }]));
let told = 0;

/** @param {Record<string, unknown>} message @param {Transferable[]} [transfer] */
export const post = (message, transfer = []) => self.postMessage(message, { transfer });

/** Tell the page how far the downloads are, at most every 60 ms. */
function tell() {
  const now = performance.now();
  const all = [...downloads.values()];
  if (now - told < 60 && all.some(({ came, size }) => came < size)) return;
  told = now;
  /** @param {(d: { size: number, wire: number, came: number }) => number} of */
  const sum = (of) => all.reduce((total, d) => total + of(d), 0);
  post({ kind: "progress", loaded: sum((d) => (d.wire * d.came) / d.size), total: sum((d) => d.wire) });
}

/** Fetch that counts the bytes of the boot's files. @param {RequestInfo | URL} input @param {RequestInit} [init] */
async function countedFetch(input, init) {
  const response = await plainFetch(input, init);
  if (!response.ok) throw new Error(`${new URL(response.url).pathname.split("/").pop()} answered ${response.status}`);
  const download = downloads.get(new URL(response.url).pathname.split("/").pop() ?? "");
  if (!download || !response.body) return response;
  download.wire = response.headers.has("Content-Encoding") ? download.packed : download.size;
  download.came = 0;
  const count = new TransformStream({
    transform: (chunk, controller) => {
      download.came += chunk.byteLength;
      tell();
      controller.enqueue(chunk);
    },
  });
  const type = response.headers.get("Content-Type") ?? "";
  return new Response(response.body.pipeThrough(count), { headers: { "Content-Type": type } });
}

/** Python ready to be called: `restored` says by which road it came, `live` is `occusite.book.live`.
 * @param {Given} given @returns {Promise<{ pyodide: Pyodide, live: any, restored: boolean }>} */
export async function boot(given) {
  limitMemory();
  const kept = given.snapshots === false ? null : await recallSnapshot();
  if (kept) {
    try {
      return { ...(await start(given, kept.bytes)), restored: true };
    } catch {
      // A snapshot that does not fit costs the reader only time: the plain road follows.
    }
  }
  return { ...(await start(given, null)), restored: false };
}

/** @param {Given} given @param {Promise<Uint8Array> | null} snapshot */
async function start(given, snapshot) {
  const fetch = snapshot ? plainFetch : countedFetch;
  const book = fetch(new URL(__PACK__, here), { priority: "low" }).then((response) => unpacked(response).arrayBuffer());
  book.catch(() => {});
  const fresh = !snapshot && given.snapshots !== false;
  hookDownloads(given, fetch);
  /** @type {Pyodide} */
  let pyodide;
  try {
    pyodide = await loadPyodide(
      /** @type {any} */ ({
        indexURL: new URL(__PYODIDE__, here).href,
        packageBaseUrl: new URL(__PYODIDE__, here).href,
        stdLibURL: new URL(__LIBRARY__, here).href,
        lockFileContents: __LOCK__,
        ...(snapshot ? { _loadSnapshot: snapshot } : { _makeSnapshot: fresh }),
      }),
    );
  } finally {
    self.fetch = plainFetch;
    if (plainInstantiate) WebAssembly.instantiateStreaming = plainInstantiate;
  }
  pyodide.FS.writeFile("/book.zip", new Uint8Array(await book));
  if (!snapshot) pyodide.runPython("import sys; sys.path.insert(1, '/book.zip'); from occusite.book import browser; browser.warm()");
  if (fresh) {
    try {
      rememberSnapshot(/** @type {any} */ (pyodide).makeMemorySnapshot());
    } catch (error) {
      console.error(error);
    }
  }
  return { pyodide, live: pyodide.pyimport("occusite.book.live") };
}

/** The content of a gzip file, whatever the server thinks of its type. @param {Response} response */
const unpacked = (response) => new Response(response.body?.pipeThrough(new DecompressionStream("gzip")));

/** Count what Pyodide downloads, unpack its library, and let the page's compiled module stand in for a download.
 * @param {Given} given @param {typeof self.fetch} fetch */
function hookDownloads({ module }, fetch) {
  self.fetch = async (input, init) => {
    const name = String(input);
    if (module && name.endsWith(".wasm")) return new Response();
    const response = await fetch(input, init);
    return name.endsWith(__LIBRARY__) ? unpacked(response) : response;
  };
  if (!plainInstantiate) return;
  WebAssembly.instantiateStreaming = async (source, imports) => {
    const made = module ? { module, instance: await WebAssembly.instantiate(module, imports) } : await plainInstantiate(source, imports);
    if (!module) post({ kind: "module", module: made.module });
    return made;
  };
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
export function fetchLibrary(pyodide) {
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
