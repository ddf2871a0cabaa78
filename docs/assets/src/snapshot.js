// Python's memory after its first boot, kept in this browser's Cache Storage for the visits that follow.

const CACHE = "occusite-python";

/** The worker's own name holds the digest of all it loads, so it names the snapshot's version. */
const KEY = `${new URL(import.meta.url).origin}${new URL(import.meta.url).pathname}?snapshot`;

/** The snapshot of this version, checked, or null. Everything that can go wrong here means only: none.
 * @returns {Promise<{ bytes: Promise<Uint8Array> } | null>}  the bytes may still be on their way */
export async function recallSnapshot() {
  try {
    const cache = await caches.open(CACHE);
    const found = await cache.match(KEY);
    if (!found) return null;
    const bytes = found.arrayBuffer().then((buffer) => {
      const data = new Uint8Array(buffer);
      if (checksum(data) === found.headers.get("X-Checksum")) return data;
      void cache.delete(KEY);
      throw new Error("damaged snapshot");
    });
    bytes.catch(() => {});
    return { bytes };
  } catch {
    return null;
  }
}

/** Keep `data`, and drop what other versions kept. @param {Uint8Array} data */
export async function rememberSnapshot(data) {
  try {
    const cache = await caches.open(CACHE);
    for (const old of await cache.keys()) if (old.url !== KEY) await cache.delete(old);
    const headers = { "Content-Type": "application/octet-stream", "X-Checksum": checksum(data) };
    await cache.put(KEY, new Response(/** @type {BodyInit} */ (data), { headers }));
  } catch {
    // No room or no storage: the next visit boots as this one did.
  }
}

/** Forget all snapshots. */
export async function forgetSnapshots() {
  try {
    await caches.delete(CACHE);
  } catch {
    // Storage is blocked, so there is nothing to forget.
  }
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
