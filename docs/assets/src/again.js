// A part of the page's program that did not come: the next try asks for it by another address.

/** @type {Map<string, Promise<any>>} */
const came = new Map();

/** What `part` imports. A browser may keep a failed import for as long as the page is open, so the second try goes by
 * an address of its own; the first one stands in the text of `part`, where the bundler put it.
 * @template T @param {() => Promise<T>} part @returns {Promise<T>} */
export function load(part) {
  const path = /import\(["'](.+?)["']\)/.exec(String(part))?.[1] ?? "";
  const before = came.get(path);
  if (before) return before;
  const coming = part().catch(() => import(new URL(`${path}?again=${performance.now()}`, import.meta.url).href));
  came.set(path, coming);
  coming.catch(() => came.delete(path));
  return coming;
}

/** The editor, for cells and exercises. */
export const loadEditor = () => load(() => import("./editor.js"));
