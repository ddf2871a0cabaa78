// The page keeps in Cache Storage what Python's worker gives it after its boot, before any reader's code runs there.

import { CACHE_NAME, CHECKSUM_HEADER } from "./cache-keys.js";

/** Store the entries of one boot and delete those that other versions of this site stored. What the browser refuses to
 * store is downloaded again at the next visit.
 * @param {{ entries: import("./store.js").Entry[], used: string[] }} kept @param {string} here  the folder of all entries */
export async function keep({ entries, used }, here) {
  try {
    const cache = await caches.open(CACHE_NAME);
    // Other versions' entries go only once this version's snapshot replaces them.
    const snapshot = entries.some(({ url }) => url.endsWith("?snapshot"));
    for (const { url } of snapshot ? await cache.keys() : []) {
      if (url.startsWith(here) && !used.includes(url)) await cache.delete(url);
    }
    for (const { url, type, checksum, data } of entries) {
      if (!url.startsWith(here)) continue;
      const headers = { "Content-Type": type, [CHECKSUM_HEADER]: checksum };
      await cache.put(url, new Response(/** @type {BodyInit} */ (data), { headers }));
    }
  } catch {
    // Storage is blocked or full.
  }
}
