// The reader's edits of cells: each is stored with the code the book had, and so finds its cell in a later edition.

import { recall, remember } from "./storage.js";

/** @typedef {{ original: string, source: string }} Edit  the book's code when the reader changed it, and the reader's */

/** The least share of lines that the book's code of then and of now have in common in one and the same cell. */
const ALIKE = 0.5;

/** Which stored edit belongs to which of the page's cells, and which belong to none any more.
 * @param {Edit[]} edits @param {string[]} originals  the book's code of each cell
 * @returns {{ placed: Map<number, Edit>, homeless: Edit[] }} */
export function place(edits, originals) {
  /** @type {Map<number, Edit>} */
  const placed = new Map();
  const free = (/** @type {number} */ i) => !placed.has(i);
  const every = [...originals.keys()];
  const changed = edits.filter((edit) => {
    const same = every.find((i) => free(i) && originals[i] === edit.original);
    if (same !== undefined) placed.set(same, edit);
    return same === undefined;
  });
  const homeless = changed.filter((edit) => {
    const [best] = every.filter(free).sort((a, b) => alike(edit.original, originals[b]) - alike(edit.original, originals[a]));
    const found = best !== undefined && alike(edit.original, originals[best]) >= ALIKE;
    if (found) placed.set(best, edit);
    return !found;
  });
  return { placed, homeless };
}

/** The share of lines that two programs have in common, from 0 to 1. @param {string} one @param {string} other */
export function alike(one, other) {
  const lines = (/** @type {string} */ text) => text.split("\n").filter((line) => line.trim());
  const [here, there] = [lines(one), lines(other)];
  const all = Math.max(here.length, there.length);
  const common = here.filter((line) => {
    const at = there.indexOf(line);
    return at >= 0 && there.splice(at, 1);
  });
  return all ? common.length / all : 1;
}

/** The edits stored for a page. @param {string} page @returns {Edit[]} */
export function stored(page) {
  const edits = recall(`cells:${page}`);
  return Array.isArray(edits) ? edits.filter((e) => typeof e?.original === "string" && typeof e?.source === "string") : [];
}

/** Store `after` in place of `before`; null is none. @param {string} page @param {Edit | null} before @param {Edit | null} after */
export function replace(page, before, after) {
  // Other tabs may have stored edits meanwhile.
  const others = stored(page).filter((edit) => !before || edit.original !== before.original || edit.source !== before.source);
  const edits = after ? [...others, after] : others;
  remember(`cells:${page}`, edits.length ? edits : null);
}
