// What Python's start needs again on the next visit, kept in this browser's Cache Storage: its files, and a snapshot.

import { XzReadableStream } from "xz-decompress";

const CACHE = "occusite-python";

/** Where the snapshot is kept. The worker's own name holds the digest of all it loads, so it names the version. */
const SNAPSHOT = `${new URL(import.meta.url).origin}${new URL(import.meta.url).pathname}?snapshot`;

/** The addresses this version uses; what else is kept belongs to others. @type {Set<string>} */
const used = new Set([SNAPSHOT]);

/** The store, or null where the browser does not allow one: everything here then works as on a first visit. */
async function open() {
  try {
    return await caches.open(CACHE);
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

/** The file that lies packed at `url`.xz: from the store, else by `download`, unpacked and kept.
 * @param {URL} url @param {string} type @param {((url: URL) => Promise<Response>)} download @param {boolean} look
 * @returns {Promise<Response>} */
export async function file(url, type, download, look) {
  used.add(url.href);
  const kept = look ? await (await open())?.match(url.href) : null;
  if (kept) return kept;
  const { body } = await download(new URL(`${url.href}.xz`));
  if (!body) throw new Error("nothing came");
  const unpacked = new Response(new XzReadableStream(body), { headers: { "Content-Type": type } });
  void keep(url.href, unpacked.clone());
  return unpacked;
}

/** Python's memory after its first boot in this browser, or null; it is still on its way, and checked when it comes.
 * @returns {Promise<{ bytes: Promise<Uint8Array> } | null>} */
export async function recallSnapshot() {
  const found = await (await open())?.match(SNAPSHOT);
  if (!found) return null;
  const bytes = found.arrayBuffer().then((buffer) => {
    const data = new Uint8Array(buffer);
    if (checksum(data) === found.headers.get("X-Checksum")) return data;
    throw new Error("damaged snapshot");
  });
  bytes.catch(() => {});
  return { bytes };
}

/** Keep a snapshot, and drop what other versions kept. @param {Uint8Array} data */
export async function rememberSnapshot(data) {
  const headers = { "Content-Type": "application/octet-stream", "X-Checksum": checksum(data) };
  const cache = await open();
  for (const old of (await cache?.keys()) ?? []) if (!used.has(old.url)) await cache?.delete(old);
  await keep(SNAPSHOT, new Response(/** @type {BodyInit} */ (data), { headers }));
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
  return `${first >>> 0}-${second >>> 0}`;
}
