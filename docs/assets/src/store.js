// What Python's start needs again on the next visit, kept in this browser's Cache Storage: its files, and a snapshot.

import { XzReadableStream } from "xz-decompress";

import { KEPT_IN, snapshotOf } from "./kept.js";
import { dense, sparse } from "./sparse.js";

const CHECKSUM = "X-Checksum";

const SNAPSHOT = snapshotOf(new URL(import.meta.url));

/** The addresses this version uses; what else is kept belongs to others. @type {Set<string>} */
const used = new Set([SNAPSHOT]);

/** The store, or null where the browser does not allow one: everything here then works as on a first visit. */
async function open() {
  try {
    return await caches.open(KEPT_IN);
  } catch {
    return null;
  }
}

/** @param {string} address @param {Response} response */
async function keep(address, response) {
  try {
    await (await open())?.put(address, response);
  } catch {
    // No room: the next visit loads it again.
  }
}

/** Keep `data` with what tells later whether it is whole. @param {string} address @param {Uint8Array} data @param {string} type */
async function keepWhole(address, data, type) {
  const headers = { "Content-Type": type, [CHECKSUM]: checksum(data) };
  await keep(address, new Response(/** @type {BodyInit} */ (data), { headers }));
}

/** What was kept, whole. Throws where it is not. @param {Response} found */
async function whole(found) {
  const data = new Uint8Array(await found.arrayBuffer());
  if (checksum(data) !== found.headers.get(CHECKSUM)) throw new Error(`damaged: ${found.url}`);
  return data;
}

/** The file that lies packed at `url`.xz: from the store, else by `download`, unpacked and kept.
 * @param {URL} url @param {string} type @param {((url: URL) => Promise<Response>)} download @param {boolean} look
 * @returns {Promise<Response>} */
export async function file(url, type, download, look) {
  used.add(url.href);
  const kept = look ? await (await open())?.match(url.href) : null;
  if (kept) return new Response(await whole(kept), { headers: { "Content-Type": type } });
  const { body } = await download(new URL(`${url.href}.xz`));
  if (!body) throw new Error("nothing came");
  const unpacked = new Response(new XzReadableStream(body), { headers: { "Content-Type": type } });
  const copy = unpacked.clone();
  copy.arrayBuffer().then((buffer) => keepWhole(url.href, new Uint8Array(buffer), type), () => {});
  return unpacked;
}

/** Python's memory after its first boot in this browser, or null; it is still on its way, and checked when it comes.
 * @returns {Promise<{ bytes: Promise<Uint8Array> } | null>} */
export async function recallSnapshot() {
  const found = await (await open())?.match(SNAPSHOT);
  if (!found) return null;
  const bytes = whole(found).then(dense);
  bytes.catch(() => {});
  return { bytes };
}

/** Keep a snapshot, and drop what other versions of this site kept. @param {Uint8Array} data */
export async function rememberSnapshot(data) {
  const cache = await open();
  const here = new URL(".", import.meta.url).href;
  for (const { url } of (await cache?.keys()) ?? []) if (url.startsWith(here) && !used.has(url)) await cache?.delete(url);
  await keepWhole(SNAPSHOT, sparse(data), "application/octet-stream");
}

/** Two running sums over 32-bit words: fast, and any damaged or missing stretch shows. @param {Uint8Array} data */
function checksum(data) {
  const words = new Int32Array(data.buffer, data.byteOffset, data.byteLength >> 2);
  let first = data.byteLength;
  let second = 0;
  for (let i = 0; i < words.length; i += 1) {
    first = (first + words[i]) | 0;
    second = (second + first) | 0;
  }
  for (let i = words.length * 4; i < data.byteLength; i += 1) {
    first = (first + data[i]) | 0;
    second = (second + first) | 0;
  }
  return `${first >>> 0}-${second >>> 0}`;
}
