// Draws a run's outputs: text, HTML, SVG, charts and errors, long text folded.

import { drawChart } from "./figures.js";

/** Lines and characters of text shown before "Show more". */
const SHOWN_LINES = 60;
const SHOWN_CHARACTERS = 12_000;

/** @param {Element} box @param {import("./python-client.js").Output[]} outputs */
export async function draw(box, outputs) {
  const drawn = outputs.map(element);
  box.replaceChildren(...drawn.map((d) => d.node));
  for (const { node, spec } of drawn) {
    if (spec) await drawChart(node, spec);
  }
}

/** The same elements as `occusite.book.build.fences.output` makes at build.
 * @param {import("./python-client.js").Output} output @returns {{ node: HTMLElement, spec?: any }} */
function element({ kind, data, alt }) {
  if (kind === "chart") {
    const node = make("figure", "occ-figure");
    node.dataset.kind = "chart";
    const chart = make("div", "occ-chart");
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", alt || "A chart");
    node.append(chart);
    return { node, spec: JSON.parse(data) };
  }
  if (kind === "html" || kind === "svg") {
    const node = make("div", `occ-out occ-out--${kind}`);
    node.innerHTML = data;
    // These would act on the whole page: a refresh leads the tab elsewhere.
    for (const acting of node.querySelectorAll("meta, base")) acting.remove();
    return { node };
  }
  if (kind === "text") return { node: folded(data) };
  const node = make("pre", `occ-out occ-out--${kind}`);
  node.textContent = data;
  node.tabIndex = 0;
  return { node };
}

/** Text in a pre; long text ends behind a button. @param {string} text @returns {HTMLElement} */
function folded(text) {
  const pre = make("pre", "occ-out occ-out--text");
  pre.tabIndex = 0;
  const cut = foldAt(text);
  pre.textContent = text.slice(0, cut);
  if (cut === text.length) return pre;
  const box = make("div", "occ-folded");
  const more = /** @type {HTMLButtonElement} */ (make("button", "occ-button occ-more"));
  more.type = "button";
  const rest = text.slice(cut).replace(/\n$/, "").split("\n").length;
  more.textContent = `Show ${rest.toLocaleString("en")} more ${rest === 1 ? "line" : "lines"}`;
  more.addEventListener("click", () => {
    pre.textContent = text;
    pre.focus();
    more.remove();
  });
  box.append(pre, more);
  return box;
}

/** Where to fold: after the last line shown. @param {string} text */
function foldAt(text) {
  let at = 0;
  for (let line = 0; line < SHOWN_LINES; line += 1) {
    const next = text.indexOf("\n", at);
    if (next < 0 || next >= SHOWN_CHARACTERS) return Math.min(text.length, Math.max(at, SHOWN_CHARACTERS));
    at = next + 1;
  }
  return at;
}

/** Text of a run that is still printing, folded, so that the page does not grow without end.
 * @param {Element} box */
export function streamed(box) {
  const pre = make("pre", "occ-out occ-out--text");
  let text = "";
  let drawing = 0;
  box.replaceChildren(pre);
  return (/** @type {string} */ more) => {
    text += more;
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      const cut = foldAt(text);
      pre.textContent = cut < text.length ? `${text.slice(0, cut)}…\n` : text;
    });
  };
}

/** @param {string} tag @param {string} [name] */
function make(tag, name = "") {
  const node = document.createElement(tag);
  if (name) node.className = name;
  return node;
}
