// Cache Storage for Python's boot: its unpacked files, and a snapshot of its memory, for the next visit.

import { XzReadableStream } from "xz-decompress";

import { CACHE_NAME, snapshotUrl } from "./cache-keys.js";
import { checksum } from "./checksum.js";
import { dense, sparse } from "./sparse.js";

const CHECKSUM_HEADER = "X-Checksum";

const SNAPSHOT = snapshotUrl(new URL(import.meta.url));

/** The URLs this version uses; other versions own the other entries. @type {Set<string>} */
const used = new Set([SNAPSHOT]);

/** The cache, or null where the browser forbids it: boot then works as on a first visit. */
async function openCache() {
  try {
    return await caches.open(CACHE_NAME);
  } catch {
    return null;
  }
}

/** Store `data` with its checksum. @param {string} url @param {Uint8Array} data @param {string} type */
async function put(url, data, type) {
  const headers = { "Content-Type": type, [CHECKSUM_HEADER]: checksum(data) };
  try {
    await (await openCache())?.put(url, new Response(/** @type {BodyInit} */ (data), { headers }));
  } catch {
    // The disk is full: the next visit downloads again.
  }
}

/** The bytes of a cached response; throws when their checksum differs. @param {Response} entry */
async function verified(entry) {
  const data = new Uint8Array(await entry.arrayBuffer());
  if (checksum(data) !== entry.headers.get(CHECKSUM_HEADER)) throw new Error(`damaged: ${entry.url}`);
  return data;
}

/** The file packed at `url`.xz: from the cache when `useCache`, else by `download`, unpacked and stored.
 * @param {URL} url @param {string} type @param {((url: URL) => Promise<Response>)} download @param {boolean} useCache
 * @returns {Promise<Response>} */
export async function file(url, type, download, useCache) {
  used.add(url.href);
  const entry = useCache ? await (await openCache())?.match(url.href) : null;
  if (entry) return new Response(await verified(entry), { headers: { "Content-Type": type } });
  const { body } = await download(new URL(`${url.href}.xz`));
  if (!body) throw new Error("the response has no body");
  const unpacked = new Response(new XzReadableStream(body), { headers: { "Content-Type": type } });
  const copy = unpacked.clone();
  copy.arrayBuffer().then((buffer) => put(url.href, new Uint8Array(buffer), type), () => {});
  return unpacked;
}

/** The snapshot of Python's memory after its first boot in this browser, or null. Its bytes are still being read, and
 * reject when they are damaged.
 * @returns {Promise<{ bytes: Promise<Uint8Array> } | null>} */
export async function recallSnapshot() {
  const entry = await (await openCache())?.match(SNAPSHOT);
  if (!entry) return null;
  const bytes = verified(entry).then(dense);
  bytes.catch(() => {});
  return { bytes };
}

/** Store a snapshot, and delete what other versions of this site stored. @param {Uint8Array} memory */
export async function rememberSnapshot(memory) {
  const cache = await openCache();
  const here = new URL(".", import.meta.url).href;
  for (const { url } of (await cache?.keys()) ?? []) if (url.startsWith(here) && !used.has(url)) await cache?.delete(url);
  await put(SNAPSHOT, sparse(memory), "application/octet-stream");
}
