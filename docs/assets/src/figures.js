// Figures that hold a chart: a static picture until the reader points at it, then live; its code is loaded then.

import { embedded } from "./embedded.js";
import { onIntent } from "./intent.js";
import { loadCharts } from "./retry.js";

/** Whether a chart was drawn. */
let drawn = false;

/** The chart code, or null when it cannot be loaded. */
async function chartCode() {
  const code = await loadCharts().catch(() => null);
  drawn ||= code !== null;
  return code;
}

/** Draw `spec` in `figure`. When the chart code does not come, the figure says so: its picture may be of other values.
 * @param {Element} figure @param {any} spec */
export async function drawChart(figure, spec) {
  const code = await chartCode();
  if (code) return code.update(figure, spec).catch(console.error);
  const message = document.createElement("p");
  message.textContent = "The chart could not be loaded. Try again.";
  figure.querySelector(".occ-chart")?.replaceChildren(message);
}

/** Make a built picture live; it stays as it is when the chart code does not come.
 * @param {Element} figure @param {any} spec */
async function enliven(figure, spec) {
  const code = await chartCode();
  if (code && figure.isConnected) await code.update(figure, spec).catch(console.error);
}

/** Make the page's charts live at the reader's intent; returns what ends them. */
export function attachCharts() {
  const ends = [...document.querySelectorAll("figure[data-kind=chart]")].map((figure) => {
    const spec = embedded(figure, ".occ-spec");
    return onIntent(figure, () => {
      if (spec && !figure.querySelector(".occ-chart-live")) void enliven(figure, JSON.parse(spec));
    });
  });
  return () => {
    for (const end of ends) end();
    if (drawn) void loadCharts().then(({ forgetAll }) => forgetAll());
  };
}
