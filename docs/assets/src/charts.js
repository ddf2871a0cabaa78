// Live charts: draws a Vega-Lite spec as SVG without eval; updates give new rows to the existing view.

import { parse, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";

/** A live chart. `width` is its box's, in pixels: measuring the box during an update would force another layout.
 * @typedef {{ view: View, spec: any, width: number, frame: string, names: string[] }} Live */

/** @type {Map<Element, Live>} */
const charts = new Map();
/** The spec each figure is to draw next, while it is still drawing. @type {Map<Element, any>} */
const waiting = new Map();
/** @type {WeakMap<Element, Promise<void>>} */
const drawing = new WeakMap();
// In the next frame: a box must not change while it is observed.
const resized = new ResizeObserver((entries) => requestAnimationFrame(() => redraw(entries)));

/** @param {ResizeObserverEntry[]} entries */
function redraw(entries) {
  for (const { target } of entries) {
    const figure = target.closest("figure");
    const live = figure && charts.get(figure);
    const width = target.clientWidth;
    if (!live || !width || width === live.width) continue;
    live.width = width;
    void update(figure, waiting.get(figure) ?? live.spec);
  }
}

/** Draw `spec` into `figure`, or give its rows to the live chart there. Of the specs that arrive while it draws, it draws
 * only the newest. Resolves when `figure` shows `spec` or a newer one.
 * @param {Element} figure @param {any} spec @returns {Promise<void>} */
export function update(figure, spec) {
  waiting.set(figure, spec);
  const now = drawing.get(figure) ?? drain(figure);
  drawing.set(figure, now);
  return now;
}

/** @param {Element} figure */
async function drain(figure) {
  try {
    while (waiting.has(figure)) {
      const spec = waiting.get(figure);
      waiting.delete(figure);
      await show(figure, spec);
    }
  } finally {
    // Synchronously after the last look at `waiting`: a later spec must start a new drain.
    drawing.delete(figure);
  }
}

/** @param {Element} figure @param {any} spec */
async function show(figure, spec) {
  const box = /** @type {HTMLElement} */ (figure.querySelector(".occ-chart"));
  const { datasets = {}, ...rest } = spec;
  const { left = 0, right = 0 } = typeof spec.padding === "object" ? spec.padding : {};
  const live = charts.get(figure);
  const width = live?.width ?? box.clientWidth;
  rest.width = width ? width - left - right : spec.width;
  const frame = JSON.stringify(rest);
  if (live?.frame === frame) {
    live.spec = spec;
    for (const name of live.names) live.view.data(name, datasets[name] ?? []);
    await live.view.runAsync();
    return;
  }
  prune();
  const compiled = compile({ ...rest, datasets }).spec;
  const used = new Set((compiled.data ?? []).map((d) => d.name));
  const next = document.createElement("div");
  next.className = "occ-chart-live";
  const view = new View(parse(compiled, undefined, { ast: true }), {
    renderer: "svg",
    expr: expressionInterpreter,
    hover: true,
    tooltip: (_handler, event, _item, value) => tooltip(box, /** @type {PointerEvent} */ (event), value),
  }).initialize(next);
  await view.runAsync();
  box.replaceChildren(next);
  live?.view.finalize();
  if (!live) resized.observe(box);
  charts.set(figure, { view, spec, width, frame, names: Object.keys(datasets).filter((n) => used.has(n)) });
}

/** Free charts that have left the page: a cell that runs again draws new ones. */
function prune() {
  for (const figure of charts.keys()) if (!figure.isConnected) forget(figure);
}

/** @param {Element} figure */
function forget(figure) {
  charts.get(figure)?.view.finalize();
  charts.delete(figure);
  for (const box of figure.querySelectorAll(".occ-chart")) resized.unobserve(box);
  // Remove its marks: they reference the view, and anything that holds the old page would hold the view.
  for (const drawn of figure.querySelectorAll(".occ-chart-live")) drawn.remove();
}

/** Free all charts when the reader leaves the page. */
export function forgetAll() {
  for (const figure of charts.keys()) forget(figure);
}

/** One line beside the pointer. @param {HTMLElement} box @param {PointerEvent} event @param {unknown} value */
function tooltip(box, event, value) {
  let tip = /** @type {HTMLElement | null} */ (box.querySelector(".occ-tooltip"));
  if (value === null || value === undefined || value === "") return tip?.remove();
  if (!tip) {
    tip = document.createElement("div");
    tip.className = "occ-tooltip";
    tip.setAttribute("aria-hidden", "true");
    box.append(tip);
  }
  tip.textContent = String(value);
  const { left, top, width } = box.getBoundingClientRect();
  const x = event.clientX - left;
  tip.style.position = "absolute";
  tip.style.pointerEvents = "none";
  tip.style.top = `${event.clientY - top + 14}px`;
  tip.style.left = x < width / 2 ? `${x + 12}px` : "";
  tip.style.right = x < width / 2 ? "" : `${width - x + 12}px`;
}
