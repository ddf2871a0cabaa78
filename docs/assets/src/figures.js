// Figures that hold a chart: a static picture until the reader points at it, then live; its code is loaded then.

import { load } from "./again.js";
import { embedded } from "./embedded.js";
import { onIntent } from "./intent.js";

/** @type {Promise<typeof import("./charts.js")> | null} */
let charts = null;

/** The chart code, loaded once; a failed load may be tried again. */
export function loadCharts() {
  charts = load(() => import("./charts.js"));
  return charts;
}

/** Draw `spec` in `figure`. When the chart code does not come, the figure says so: its picture may be of other values.
 * @param {Element} figure @param {any} spec */
export async function drawChart(figure, spec) {
  const code = await loadCharts().catch(() => null);
  if (code) return code.update(figure, spec).catch(console.error);
  const told = document.createElement("p");
  told.textContent = "The chart could not be loaded. Try again.";
  figure.querySelector(".occ-chart")?.replaceChildren(told);
}

/** Make a built picture live; it stays as it is when the chart code does not come.
 * @param {Element} figure @param {any} spec */
async function enliven(figure, spec) {
  const code = await loadCharts().catch(() => null);
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
    charts?.then(({ forgetAll }) => forgetAll()).catch(() => {});
  };
}
