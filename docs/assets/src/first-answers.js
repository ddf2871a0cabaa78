// A widget's first answers, computed at build (first_answers.py): shown while Python is not there yet, or is busy.

/** Of each text of a view what differs from the first view's: pieces alike before, pieces alike after, pieces between.
 * @typedef {Array<0 | number[]>} Changes
 * @typedef {{ parts: Array<[string, "html" | "chart"]>, pieces: string[], first: number[][],
 *   views: Record<string, Record<string, string | Changes>> }} Table
 * @typedef {import("./python-client.js").View} View */

/** The view of `table` with `control` at `value`, or null where it has none; control "": the preset of that name.
 * @param {Table} table @param {string} control @param {string} value @returns {View | null} */
export function answer(table, control, value) {
  const entry = table.views[control]?.[value];
  if (typeof entry === "string") return { error: entry };
  return entry ? assembled(table, entry) : null;
}

/** The view of the values the page came with. @param {Table} table @returns {View} */
export function firstView(table) {
  return assembled(table, []);
}

/** The value nearest to `value` at which `table` answers for `control`, or null. A drag may take it in place of its own.
 * @param {Table} table @param {string} control @param {number} value @param {number} start  the value the page came with */
export function nearest(table, control, value, start) {
  const known = Object.keys(table.views[control] ?? {}).map(Number);
  return known.length ? [start, ...known].reduce((best, v) => (Math.abs(v - value) < Math.abs(best - value) ? v : best)) : null;
}

/** @param {Table} table @param {Changes} changes @returns {View} */
function assembled({ parts, pieces, first }, changes) {
  const texts = first.map((before, i) => {
    const change = changes[i];
    if (!change) return before;
    const [head, tail, ...between] = change;
    return [...before.slice(0, head), ...between, ...before.slice(before.length - tail)];
  });
  let at = 0;
  const next = () => texts[at++].map((piece) => pieces[piece]).join("");
  const status = next();
  /** @type {Record<string, import("./python-client.js").Part>} */
  const made = {};
  for (const [name, kind] of parts) {
    made[name] = kind === "html" ? { kind, data: next() } : { kind, spec: JSON.parse(next()), alt: next() };
  }
  return { status, parts: made };
}
