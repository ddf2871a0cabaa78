// What Python's boot finds in Cache Storage, and what it gives the page to keep there: its unpacked files, and a snapshot
// of its memory. The worker itself does not write: a reader's code runs in it.

import { XzReadableStream } from "xz-decompress";

import { CACHE_NAME, CHECKSUM_HEADER, snapshotUrl } from "./cache-keys.js";
import { checksum } from "./checksum.js";
import { dense, sparse } from "./sparse.js";

const SNAPSHOT = snapshotUrl(new URL(import.meta.url));

/** What is to be kept: an entry of the cache. @typedef {{ url: string, type: string, checksum: string, data: Uint8Array }} Entry */

/** The URLs this version uses; other versions own the other entries. @type {Set<string>} */
const used = new Set([SNAPSHOT]);

/** Count `url` among what this version uses, where a boot has no need to fetch it. @param {URL} url */
export const use = (url) => void used.add(url.href);

/** What was downloaded and unpacked, or null where it was not whole. @type {Array<Promise<Entry | null>>} */
const unpackedFiles = [];

/** @param {string} url @param {string} type @param {Uint8Array} data @returns {Entry} */
const entryOf = (url, type, data) => ({ url, type, checksum: checksum(data), data });

/** The cache, or null where the browser forbids it: boot then works as on a first visit. */
async function openCache() {
  try {
    return await caches.open(CACHE_NAME);
  } catch {
    return null;
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
  unpackedFiles.push(copy.arrayBuffer().then((buffer) => entryOf(url.href, type, new Uint8Array(buffer)), () => null));
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

/** What the page is to keep of this boot, with the URLs that this version uses.
 * @param {Uint8Array | null} memory  Python's memory for a snapshot, or null where there is one
 * @returns {Promise<{ entries: Entry[], used: string[] }>} */
export async function toKeep(memory) {
  const files = (await Promise.all(unpackedFiles)).filter((entry) => entry !== null);
  const snapshot = memory ? [entryOf(SNAPSHOT, "application/octet-stream", sparse(memory))] : [];
  return { entries: [...files, ...snapshot], used: [...used] };
}
