// Figures with a chart: shows the static picture until the reader's intent, then loads the chart code and draws live.

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

/** Draw `spec` in `figure`. When the chart code cannot be loaded, say so: the static picture may show other values.
 * @param {Element} figure @param {any} spec */
export async function drawChart(figure, spec) {
  const code = await chartCode();
  if (code) return code.update(figure, spec).catch(console.error);
  const message = document.createElement("p");
  message.textContent = "The chart could not be loaded. Try again.";
  figure.querySelector(".occ-chart")?.replaceChildren(message);
}

/** Replace the static picture by a live chart; it stays when the chart code cannot be loaded.
 * @param {Element} figure @param {any} spec */
async function enliven(figure, spec) {
  const code = await chartCode();
  if (code && figure.isConnected) await code.update(figure, spec).catch(console.error);
}

/** Make the page's charts live on intent; returns a function that detaches this. */
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
