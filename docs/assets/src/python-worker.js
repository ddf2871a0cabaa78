// Python itself: boots Pyodide in a module worker and answers the page's calls, one at a time.

import { loadPyodide } from "pyodide";

/** @typedef {(...args: any[]) => string} Call */

/** How often printed text goes to the page, in milliseconds; the most a run may print, in characters. */
const FLUSH_EVERY = 40;
const PRINT_LIMIT = 400_000;

/** @type {any} */
let live = null;

/** @param {Record<string, unknown>} message */
const post = (message) => self.postMessage(message);

/** What the boot downloads, by file name: its size, what of it came, and what its bytes weigh on the wire. */
const downloads = new Map(Object.entries(__SIZES__).map(([name, [size, packed]]) => [name, { size, packed, wire: packed, came: 0 }]));
let told = 0;

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
  const download = downloads.get(new URL(response.url).pathname.split("/").pop() ?? "");
  if (!download || !response.ok || !response.body) return response;
  download.wire = response.headers.has("Content-Encoding") ? download.packed : download.size;
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
const plainFetch = self.fetch.bind(self);

async function boot() {
  const here = new URL(".", import.meta.url);
  self.fetch = countedFetch;
  const pack = self.fetch(new URL(__PACK__, here));
  const pyodide = await loadPyodide({
    indexURL: new URL(__PYODIDE__, here).href,
    lockFileContents: __LOCK__,
    packageBaseUrl: new URL(__PYODIDE__, here).href,
  });
  const packed = await pack;
  if (!packed.ok) throw new Error(`${packed.status} for the book's own package`);
  pyodide.unpackArchive(await packed.arrayBuffer(), "zip", { extractDir: "/book" });
  self.fetch = plainFetch;
  pyodide.runPython("import sys; sys.path.insert(0, '/book')");
  live = pyodide.pyimport("occusite.book.live");
}

/** Collects what a run prints and hands it on in batches. */
function printer() {
  let text = "";
  let sent = 0;
  let last = 0;
  const flush = () => {
    if (text) post({ kind: "text", text });
    sent += text.length;
    text = "";
    last = performance.now();
  };
  /** @param {string} more */
  const write = (more) => {
    if (sent + text.length > PRINT_LIMIT) return;
    text += more;
    if (performance.now() - last > FLUSH_EVERY) flush();
  };
  return { flush, write };
}

/** @type {Record<string, Call>} */
const calls = {
  view: (name, values) => live.view(name, values),
  run: (page, label, source) => {
    const { flush, write } = printer();
    try {
      return live.run(page, label, source, write);
    } finally {
      flush();
    }
  },
};

const booted = boot().then(
  () => post({ kind: "ready" }),
  (error) => post({ kind: "failed", reason: String(error?.message ?? error).split("\n").slice(-1)[0] }),
);

self.onmessage = async (event) => {
  await booted;
  const { call, args } = event.data;
  try {
    post({ kind: "result", value: calls[call](...args) });
  } catch (error) {
    post({ kind: "error", reason: String(error instanceof Error ? error.message : error) });
  }
};
