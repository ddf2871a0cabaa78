// Progress: stores in this browser which exercises were tried and solved; its page shows, exports, imports and clears it,
// with the programs the reader wrote.

import { recall, remember, storedKeys } from "./storage.js";

/** @typedef {Record<string, { tries: number, solved: string | null }>} Progress */

const KEY = "progress";

/** What is stored of the reader's programs: of exercises, and of a page's cells. */
const PROGRAM = /^(?:exercise:\w{1,80}|cells:\/\S{0,200})$/;
/** Characters of one stored program at most. */
const LONGEST = 200_000;

/** @returns {Progress} */
const progress = () => valid(recall(KEY));

/** Store one more try. @param {string} name @param {boolean} solved */
export function note(name, solved) {
  const all = progress();
  const before = all[name] ?? { tries: 0, solved: null };
  const tries = before.solved ? before.tries : before.tries + 1;
  all[name] = { tries, solved: before.solved ?? (solved ? new Date().toISOString().slice(0, 10) : null) };
  remember(KEY, all);
}

/** The valid entries of `value`. @param {any} value @returns {Progress} */
function valid(value) {
  /** @type {Progress} */
  const entries = {};
  for (const [name, entry] of Object.entries(value && typeof value === "object" ? value : {})) {
    if (!/^\w{1,80}$/.test(name) || !Number.isInteger(entry?.tries) || entry.tries < 0) continue;
    const solved = /^\d{4}-\d\d-\d\d$/.test(entry.solved) ? String(entry.solved) : null;
    entries[name] = { tries: Math.min(entry.tries, 9999), solved };
  }
  return entries;
}

/** Attach behaviour to the progress panel, if the page has one; returns a function that detaches it. */
export function attachPanel() {
  const panel = document.querySelector("section.occ-progress");
  const tools = panel?.querySelector(".occ-progress-tools");
  const summary = panel?.querySelector(".occ-progress-summary");
  if (!panel || !tools || !summary) return () => {};
  const rows = [...panel.querySelectorAll("[data-progress]")].map((row) => /** @type {HTMLElement} */ (row));

  const paint = () => {
    const all = progress();
    for (const row of rows) {
      const { tries = 0, solved = null } = all[row.dataset.progress ?? ""] ?? {};
      const times = tries === 1 ? "first try" : `${tries} tries`;
      row.textContent = solved ? `solved, ${times}` : tries ? `tried ${tries === 1 ? "once" : `${tries} times`}` : "not tried";
      row.toggleAttribute("data-solved", Boolean(solved));
    }
    const done = rows.filter((row) => row.hasAttribute("data-solved")).length;
    summary.textContent = `${done} of ${rows.length} exercises solved.`;
  };

  /** @param {string} text @param {() => void} act */
  const button = (text, act) => {
    const node = document.createElement("button");
    node.type = "button";
    node.textContent = text;
    node.addEventListener("click", act);
    return node;
  };
  const file = document.createElement("input");
  file.type = "file";
  file.accept = "application/json,.json";
  file.hidden = true;
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    try {
      const { occusite, progress: imported, programs: written } = JSON.parse(await chosen.text());
      if (occusite !== "progress") throw new Error("not progress");
      const before = progress();
      remember(KEY, { ...before, ...better(valid(imported), before) });
      const differ = takeIn(written);
      paint();
      if (differ) summary.textContent += ` ${differ === 1 ? "One program" : `${differ} programs`} of that file differ${differ === 1 ? "s" : ""} from yours here: yours stay.`;
    } catch {
      summary.textContent = "That file does not hold progress of this book.";
    }
  });
  tools.replaceChildren(
    button("Export", () => save({ occusite: "progress", progress: progress(), programs: programs() })),
    button("Import", () => file.click()),
    button("Clear", () => {
      if (!confirm("Forget which exercises you solved, and the programs you wrote?")) return;
      for (const key of Object.keys(programs())) remember(key, null);
      remember(KEY, null);
      paint();
    }),
    file,
  );
  paint();
  window.addEventListener("storage", paint);
  return () => window.removeEventListener("storage", paint);
}

/** The reader's programs as they are stored. @returns {Record<string, unknown>} */
function programs() {
  const keys = storedKeys().filter((key) => PROGRAM.test(key));
  return Object.fromEntries(keys.map((key) => [key, recall(key)]));
}

/** Store imported programs where there is none of that place yet; returns how many differ from what is here.
 * @param {unknown} imported */
function takeIn(imported) {
  let differ = 0;
  for (const [key, value] of Object.entries(imported && typeof imported === "object" ? imported : {})) {
    const text = JSON.stringify(value);
    if (!PROGRAM.test(key) || !text || text.length > LONGEST) continue;
    const here = recall(key);
    if (here === null) remember(key, value);
    else if (JSON.stringify(here) !== text) differ += 1;
  }
  return differ;
}

/** The imported entries that do not replace a solved exercise by an unsolved one.
 * @param {Progress} imported @param {Progress} before @returns {Progress} */
function better(imported, before) {
  return Object.fromEntries(Object.entries(imported).filter(([name, { solved }]) => solved || !before[name]?.solved));
}

/** Download `data` as a file. @param {unknown} data */
function save(data) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  link.download = "occusite-progress.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
