// Figures that hold a chart: a static picture until the reader points at it, then live; its code is loaded then.

import { embedded } from "./embedded.js";
import { onIntent } from "./intent.js";

/** @type {Promise<typeof import("./charts.js")> | null} */
let charts = null;

/** The chart code, loaded once; a failed load may be tried again. */
export function loadCharts() {
  charts ??= import("./charts.js").catch((error) => {
    charts = null;
    throw error;
  });
  return charts;
}

/** Draw `spec` in `figure`, or leave the picture that is there when the chart code cannot be loaded.
 * @param {Element} figure @param {any} spec */
export async function drawChart(figure, spec) {
  try {
    const { update } = await loadCharts();
    await update(figure, spec);
  } catch (error) {
    console.error(error);
  }
}

/** Make the page's charts live at the reader's intent; returns what ends them. */
export function attachCharts() {
  const ends = [...document.querySelectorAll("figure[data-kind=chart]")].map((figure) => {
    const spec = embedded(figure, ".occ-spec");
    return onIntent(figure, () => {
      if (spec && !figure.querySelector(".occ-chart-live")) void drawChart(figure, JSON.parse(spec));
    });
  });
  return () => {
    for (const end of ends) end();
    charts?.then(({ forgetAll }) => forgetAll());
  };
}
