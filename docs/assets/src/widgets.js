// Widgets: patches in the view that Python, or the table of first answers, gives for the controls' values; keeps the
// widgets' state in the URL.

import morphdom from "morphdom";

import { embedded } from "./embedded.js";
import { drawChart } from "./figures.js";
import { answer, firstView, nearest } from "./first-answers.js";
import { onIntent, whenIdle } from "./intent.js";
import { loading, python } from "./python-client.js";
import { loadCharts } from "./retry.js";
import { say } from "./say.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

/** Milliseconds (one frame) that the value beside a slider waits for Python's answer. */
const PATIENCE = 16;

/** Attach behaviour to the page's widgets; returns a function that detaches it. @param {string} page */
export function attachWidgets(page) {
  const widgets = [...document.querySelectorAll("form.occ-widget")].map((form, index) => new Widget(/** @type {HTMLFormElement} */ (form), page, index));
  if (!widgets.length) return () => {};
  const restore = () => widgets.forEach((widget) => widget.restore());
  window.addEventListener("popstate", restore);
  // What the reader changed before this ran stays.
  for (const widget of widgets) widget.restore(true);
  return () => {
    window.removeEventListener("popstate", restore);
    for (const widget of widgets) widget.end();
  };
}

class Widget {
  /** @type {Array<() => void>} */ #ends = [];
  /** @type {Map<string, string>} */ #shown = new Map();
  #requests = 0;
  /** The newest request that was answered without Python: what Python says to older ones comes too late. */
  #answered = 0;
  /** @type {import("./first-answers.js").Table | null} */ #table = null;
  /** @type {Promise<void> | undefined} */ #fetching;
  #dragging = false;

  /** @param {HTMLFormElement} form @param {string} page @param {number} index */
  constructor(form, page, index) {
    this.form = form;
    this.page = page;
    this.name = form.dataset.widget ?? "";
    // Number the second widget of the same name on a page: each has its own state.
    const twins = [...document.querySelectorAll(`form.occ-widget[data-widget="${this.name}"]`)].indexOf(form);
    this.prefix = twins > 0 ? `${this.name}-${twins + 1}.` : `${this.name}.`;
    this.key = `${page}#${index}`;
    this.status = form.querySelector(".occ-status");
    this.notice = document.createElement("p");
    this.notice.className = "occ-notice";
    this.notice.setAttribute("role", "status");
    form.querySelector(".occ-view")?.before(this.notice);
    this.defaults = this.values(true);
    form.dataset.state = "idle";
    this.room = new Room([...form.querySelectorAll(/** @type {"div"} */ (".occ-status, .occ-view [data-part]"))]);
    this.#listen("pointerdown", () => (this.#dragging = true));
    for (const over of ["pointerup", "pointercancel", "keydown"]) this.#listen(over, () => (this.#dragging = false));
    this.#listen("submit", (event) => event.preventDefault());
    this.#listen("input", (event) => this.#input(/** @type {Control} */ (event.target)));
    this.#listen("reset", () => {
      this.room.free();
      setTimeout(() => this.refresh());
    });
    this.#ends.push(onIntent(form, () => this.#warm(), { visible: true }));
    this.#ends.push(onIntent(form, () => void this.#firstAnswers()));
    this.#ends.push(whenIdle(() => void this.#firstAnswers()));
    this.#ends.push(python.subscribe(() => this.#waiting()));
    this.#ends.push(() => this.room.free());
  }

  end() {
    for (const end of this.#ends) end();
  }

  /** @param {string} type @param {(event: Event) => void} handler */
  #listen(type, handler) {
    this.form.addEventListener(type, handler);
    this.#ends.push(() => this.form.removeEventListener(type, handler));
  }

  #warm() {
    python.warm();
    if (this.form.querySelector("[data-kind=chart]")) void loadCharts();
  }

  /** Fetch the answers that were computed at build. */
  #firstAnswers() {
    const name = this.form.dataset.first;
    if (!name || this.#table) return Promise.resolve();
    return (this.#fetching ??= fetch(new URL(`../first/${name}`, import.meta.url))
      .then(async (response) => {
        if (response.ok) this.#table = await response.json();
      })
      // Python answers in their place; the next touch fetches again.
      .catch(() => {})
      .then(() => (this.#fetching = undefined)));
  }

  /** The answer computed at build for the controls as they stand, where there is one. */
  #known() {
    const table = this.#table;
    if (!table) return null;
    const presets = /** @type {HTMLSelectElement | null} */ (this.form.querySelector("[data-presets]"));
    if (presets?.value) return answer(table, "", presets.value);
    const moved = Object.entries(this.values()).filter(([name, value]) => value !== this.defaults[name]);
    if (!moved.length) return firstView(table);
    return moved.length === 1 ? answer(table, moved[0][0], String(moved[0][1])) : null;
  }

  /** While Python is not there, let a drag along a long track stop where an answer is known. @param {Control} control */
  #snap(control) {
    if (!this.#table || control.type !== "range" || !this.#dragging || python.state === "ready") return;
    const others = Object.entries(this.values()).some(([name, value]) => name !== control.name && value !== this.defaults[name]);
    const start = Number(this.defaults[control.name]);
    const value = others ? null : nearest(this.#table, control.name, Number(control.value), start);
    if (value !== null) control.value = String(value);
  }

  /** The controls' values by name, as their author would write them. @param {boolean} [initial] */
  values(initial = false) {
    /** @type {Record<string, string | number | boolean>} */
    const values = {};
    for (const control of this.#controls()) {
      if (control instanceof HTMLTextAreaElement) values[control.name] = initial ? control.defaultValue : control.value;
      else if (control instanceof HTMLSelectElement) {
        const first = [...control.options].find((o) => o.defaultSelected) ?? control.options[0];
        values[control.name] = initial ? (first?.value ?? "") : control.value;
      } else if (control.type === "radio") {
        if (initial ? control.defaultChecked : control.checked) values[control.name] = control.value;
      } else if (control.type === "checkbox") values[control.name] = initial ? control.defaultChecked : control.checked;
      else {
        const value = initial ? control.defaultValue : control.value;
        values[control.name] = (control.type === "range" || control.type === "number") && value !== "" ? Number(value) : value;
      }
    }
    return values;
  }

  /** Take values from the URL, else the defaults; with `keep`, else what the controls say. @param {boolean} [keep] */
  restore(keep = false) {
    const query = new URLSearchParams(location.search);
    const before = JSON.stringify(this.values());
    const presets = /** @type {HTMLSelectElement | null} */ (this.form.querySelector("[data-presets]"));
    if (presets && !keep) presets.selectedIndex = 0;
    for (const control of this.#controls()) {
      if (control instanceof HTMLTextAreaElement || (keep && !query.has(this.prefix + control.name))) continue;
      const fallback = String(this.defaults[control.name] ?? "");
      let value = query.get(this.prefix + control.name) ?? fallback;
      if (control instanceof HTMLSelectElement) {
        if ([...control.options].some((o) => o.value === value)) control.value = value;
      } else if (control.type === "radio") {
        const known = this.#controls().some((c) => c.name === control.name && c.value === value);
        if (!known) value = fallback;
        control.checked = control.value === value;
      } else if (control.type === "checkbox") control.checked = value === "true";
      else control.value = value;
    }
    this.#captions();
    this.room.free();
    const now = JSON.stringify(this.values());
    if (this.#requests ? now !== before : now !== JSON.stringify(this.defaults)) void this.refresh();
  }

  /** Show the view of the current values: Python's, or the one computed at build where Python would keep the reader waiting. */
  async refresh() {
    if (python.state !== "ready") {
      const fetching = this.#fetching;
      const known = this.#known();
      if (known) return this.#show(known);
      // The answers are on their way, and nearer than Python.
      if (!this.#table && fetching) {
        void fetching.then(() => {
          if (this.form.dataset.state === "loading" && this.#table) void this.refresh();
        });
      }
    }
    return this.#ask();
  }

  /** Show an answer without Python. @param {import("./python-client.js").View} view */
  async #show(view) {
    this.#requests += 1;
    const request = (this.#answered = this.#requests);
    this.#captions();
    await this.#patch(view);
    if (request !== this.#requests) return;
    this.form.dataset.state = view.error ? "error" : "done";
    this.#waiting();
  }

  /** Request the view of the current values from Python, and patch it in. */
  async #ask() {
    // Update captions with the answer if it arrives soon: one layout instead of two.
    const captions = setTimeout(() => this.#captions(), python.state === "ready" ? PATIENCE : 0);
    this.#requests += 1;
    const request = this.#requests;
    this.form.dataset.state = python.state === "ready" || python.state === "running" ? "running" : "loading";
    this.#waiting();
    try {
      const view = await python.view(this.key, this.name, this.values(), this.page);
      clearTimeout(captions);
      this.#captions();
      if (view && request > this.#answered) await this.#patch(view);
      if (request !== this.#requests) return;
      this.form.dataset.state = view?.error ? "error" : "done";
      this.#waiting();
    } catch (error) {
      if (request !== this.#requests) return;
      this.form.dataset.state = "error";
      this.#waiting();
      if (this.status) this.status.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {Control} control */
  #input(control) {
    if (control.matches("[data-presets]")) this.#preset(/** @type {HTMLSelectElement} */ (control));
    else {
      const presets = /** @type {HTMLSelectElement | null} */ (this.form.querySelector("[data-presets]"));
      if (presets) presets.selectedIndex = 0;
    }
    this.#snap(control);
    if (control.type === "range") this.room.keep();
    else this.room.free();
    void this.refresh();
    this.#address();
  }

  /** @param {HTMLSelectElement} select */
  #preset(select) {
    const sets = JSON.parse((select.parentElement && embedded(select.parentElement, "template")) || "{}");
    const chosen = sets[select.value];
    for (const control of chosen ? this.#controls() : []) {
      if (!(control.name in chosen)) continue;
      const value = String(chosen[control.name]);
      if (control instanceof HTMLInputElement && control.type === "radio") control.checked = control.value === value;
      else if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === "true";
      else control.value = value;
    }
  }

  /** Write values other than the defaults to the URL, so that a link or a reload restores them. */
  #address() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      if (location.pathname !== this.page) return;
      const url = new URL(location.href);
      for (const name of [...url.searchParams.keys()]) if (name.startsWith(this.prefix)) url.searchParams.delete(name);
      for (const [name, value] of Object.entries(this.values())) {
        // Leave out pasted text: it may be long or private.
        if (this.form.querySelector(`textarea[name="${name}"]`)) continue;
        if (value !== this.defaults[name]) url.searchParams.set(this.prefix + name, String(value));
      }
      history.replaceState(history.state, "", url);
    }, 150);
  }

  #controls() {
    const named = this.form.querySelectorAll(".occ-controls :is(input, select, textarea)[name]");
    return /** @type {Control[]} */ ([...named]);
  }

  /** Show each slider's value beside it. */
  #captions() {
    for (const output of this.form.querySelectorAll("output")) {
      const control = /** @type {Control | null} */ (output.htmlFor.length ? document.getElementById(output.htmlFor[0]) : null);
      if (control && output.textContent !== control.value) output.textContent = control.value;
    }
  }

  /** While Python loads, say so beside the old answer, which stands. */
  #waiting() {
    if (this.form.dataset.state === "loading" && python.state === "ready") this.form.dataset.state = "running";
    if (this.form.dataset.state === "loading") say(this.notice, ...loading());
    else this.notice.replaceChildren();
  }

  /** Show `view`; resolves when its charts are drawn. @param {import("./python-client.js").View} view */
  async #patch(view) {
    /** @type {Array<Promise<unknown>>} */
    const drawn = [];
    const answer = view.error ?? view.status ?? "";
    if (this.status && this.status.innerHTML !== answer) {
      if (view.error) this.status.textContent = answer;
      else this.status.innerHTML = answer;
    }
    for (const [name, part] of Object.entries(view.parts ?? {})) {
      const box = this.form.querySelector(`[data-part="${name}"]`);
      if (!box) continue;
      if (part.kind === "chart") {
        box.querySelector(".occ-chart")?.setAttribute("aria-label", part.alt);
        // The chart's code may still be on its way: until then it shows the old values.
        if (!box.querySelector(".occ-chart-live")) /** @type {HTMLElement} */ (box).dataset.stale = "";
        drawn.push(drawChart(box, part.spec).then(() => delete (/** @type {HTMLElement} */ (box).dataset.stale)));
      } else if (this.#shown.get(name) !== part.data) {
        this.#shown.set(name, part.data);
        const next = /** @type {Element} */ (box.cloneNode(false));
        next.innerHTML = part.data;
        // Unchanged elements are neither laid out nor painted again.
        morphdom(box, next, { childrenOnly: true });
      }
    }
    await Promise.all(drawn);
  }
}

/** The height of boxes while a slider moves: it only grows, so that nothing below them jumps and a smaller view costs no
 * page layout. */
class Room {
  /** The size of each box in CSS pixels. @type {Map<HTMLElement, { width: number, height: number }>} */
  #sizes = new Map();
  #observer = new ResizeObserver((entries) => {
    // In the next frame: a box must not change while it is observed, and an engine may round a height.
    requestAnimationFrame(() => {
      for (const { target, borderBoxSize } of entries) this.#sized(/** @type {HTMLElement} */ (target), borderBoxSize[0]);
    });
  });

  /** @param {HTMLElement[]} boxes */
  constructor(boxes) {
    this.boxes = boxes;
  }

  /** Keep the boxes' heights from now on. */
  keep() {
    if (this.#sizes.size) return;
    for (const box of this.boxes) {
      this.#sizes.set(box, { width: 0, height: 0 });
      this.#observer.observe(box);
    }
  }

  /** @param {HTMLElement} box @param {ResizeObserverSize | undefined} size */
  #sized(box, size) {
    const before = this.#sizes.get(box);
    if (!before || !size) return;
    const { inlineSize: width, blockSize: height } = size;
    // Another width needs another height.
    if (before.width && before.width !== width) box.style.minHeight = "";
    else if (Math.abs(before.height - height) > 0.5) box.style.minHeight = `${height}px`;
    this.#sizes.set(box, { width, height });
  }

  /** Let the boxes shrink to their content. */
  free() {
    this.#observer.disconnect();
    this.#sizes.clear();
    for (const box of this.boxes) box.style.minHeight = "";
  }
}
