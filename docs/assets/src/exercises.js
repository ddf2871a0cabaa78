// Exercises: ranges in the page judge numbers and choices, Python judges programs; progress stays in the browser.

import { loadEditor } from "./retry.js";
import { embedded } from "./embedded.js";
import { onIntent, warmOnIntent } from "./intent.js";
import { draw } from "./output.js";
import { attachPanel, note } from "./progress.js";
import { loading, python } from "./python-client.js";
import { say } from "./say.js";
import { recall, remember } from "./storage.js";

/** @typedef {ReturnType<typeof import("./editor.js").open>} Editor */
/** @typedef {{ low: number | null, high: number | null, right: boolean, html: string }} Outcome */
/** @typedef {{ blanks: { label: string, outcomes: Outcome[] }[], options: { right: boolean, html: string }[], starter: string }} Data */

/** Attach behaviour to the page's exercises and progress panel; returns a function that detaches it. @param {string} page */
export function attachExercises(page) {
  const exercises = [...document.querySelectorAll("section.occ-exercise")].map((section) => {
    const box = /** @type {HTMLElement} */ (section);
    return box.dataset.form === "code" ? new Program(box, page) : new Question(box);
  });
  const detachPanel = attachPanel();
  return () => {
    detachPanel();
    for (const exercise of exercises) exercise.end();
  };
}

/** What every exercise does: check an answer, show the verdict, open the solution after a right one. */
class Exercise {
  /** @type {Array<() => void>} */ ends = [];

  /** @param {HTMLElement} section */
  constructor(section) {
    this.section = section;
    this.name = section.dataset.exercise ?? "";
    this.data = /** @type {Data} */ (JSON.parse(embedded(section, ".occ-exercise-data")));
    this.form = /** @type {HTMLFormElement} */ (section.querySelector("form"));
    this.feedback = /** @type {HTMLElement} */ (section.querySelector(".occ-feedback"));
    this.solution = /** @type {HTMLDetailsElement} */ (section.querySelector(".occ-solution"));
    section.dataset.state = "";
    this.on(this.form, "submit", (event) => {
      event.preventDefault();
      void this.check();
    });
    this.#badge();
  }

  end() {
    for (const end of this.ends) end();
  }

  /** @param {EventTarget} target @param {string} type @param {(event: Event) => void} handler */
  on(target, type, handler) {
    target.addEventListener(type, handler);
    this.ends.push(() => target.removeEventListener(type, handler));
  }

  /** @returns {Promise<void> | void} */
  check() {}

  /** Show a verdict and note it in the reader's progress. @param {boolean} right @param {string} html */
  verdict(right, html) {
    this.section.dataset.state = right ? "right" : "wrong";
    this.feedback.innerHTML = html;
    if (this.name) note(this.name, right);
    // A number wants its working; a program that passes is a solution itself.
    if (right && this.section.dataset.form !== "code") this.solution.open = true;
    this.#badge();
  }

  #badge() {
    const title = this.section.querySelector(".occ-exercise-title");
    if (!title || !this.name || !recall("progress")?.[this.name]?.solved) return;
    if (title.querySelector(".occ-solved")) return;
    const badge = document.createElement("span");
    badge.className = "occ-solved";
    badge.textContent = "solved";
    title.append(" ", badge);
  }
}

/** Numbers to fill in, or one choice. */
class Question extends Exercise {
  /** @param {HTMLElement} section */
  constructor(section) {
    super(section);
    this.on(this.form, "input", () => {
      this.section.dataset.state = "";
    });
  }

  check() {
    if (!this.form.reportValidity()) return;
    const answers = new FormData(this.form);
    if (this.data.options) {
      const [chosen] = answers.values();
      const { right, html } = this.data.options[Number(chosen)];
      return this.verdict(right, html);
    }
    const verdicts = this.data.blanks.map(({ label, outcomes }, i) => {
      const value = Number(answers.get(String(i)));
      const outcome = outcomes.find(({ low, high }) => (low ?? -Infinity) <= value && value <= (high ?? Infinity));
      return { label, right: outcome?.right ?? false, html: outcome?.html ?? "" };
    });
    const items = verdicts.map(({ label, right, html }) => `<li class="occ-${right ? "right" : "wrong"}"><span>${label}</span>${html}</li>`);
    const html = verdicts.length === 1 ? verdicts[0].html : `<ul class="occ-judged">${items.join("")}</ul>`;
    this.verdict(verdicts.every(({ right }) => right), html);
  }
}

/** A program to correct or to write, in an editor; Python judges it. */
class Program extends Exercise {
  /** @type {Editor | null} */ #editor = null;
  /** @type {Promise<Editor | null> | null} */ #opening = null;
  #ended = false;

  /** @param {HTMLElement} section @param {string} page */
  constructor(section, page) {
    super(section);
    this.page = page;
    this.key = `exercise:${this.name}`;
    this.view = /** @type {HTMLElement} */ (section.querySelector(".occ-cell-source"));
    this.source = this.data.starter;
    const actions = /** @type {HTMLElement} */ (section.querySelector(".occ-exercise-actions"));
    this.checkButton = /** @type {HTMLButtonElement} */ (actions.querySelector("button[type=submit]"));
    this.stopButton = this.#button(actions, "Stop", () => python.stop());
    this.resetButton = this.#button(actions, "Start again", () => void this.#show(this.data.starter));
    this.stopButton.hidden = true;
    this.status = document.createElement("span");
    this.status.className = "occ-state";
    this.status.setAttribute("role", "status");
    actions.append(this.status);
    this.output = document.createElement("div");
    this.output.className = "occ-output";
    this.feedback.before(this.output);
    this.view.tabIndex = 0;
    this.view.setAttribute("role", "group");
    this.view.setAttribute("aria-label", "Your program. Press Enter to edit.");
    this.on(this.view, "click", (event) => void this.#edit(/** @type {MouseEvent} */ (event)));
    this.on(this.view, "keydown", (event) => {
      if (/** @type {KeyboardEvent} */ (event).key !== "Enter" || event.target !== this.view || this.#editor) return;
      event.preventDefault();
      void this.#edit();
    });
    this.ends.push(warmOnIntent(section));
    this.ends.push(onIntent(this.view, loadEditor));
    this.ends.push(python.subscribe(() => this.#waiting()));
    const stored = recall(this.key);
    this.#changed(typeof stored === "string" ? stored : this.source);
    if (this.source !== this.data.starter) void this.#open();
  }

  end() {
    this.#ended = true;
    super.end();
    this.#editor?.end();
  }

  async check() {
    if (this.section.dataset.state === "checking") return;
    this.#busy(true);
    try {
      const { passed, message, outputs } = await python.check(this.name, this.source, this.page);
      if (this.#ended) return;
      await draw(this.output, outputs);
      this.#busy(false);
      this.verdict(passed, message);
    } catch (error) {
      if (this.#ended) return;
      this.#busy(false);
      const message = document.createElement("p");
      // A program under check has no variables of the reader's.
      message.textContent = (error instanceof Error ? error.message : String(error)).replace(/^(Stopped\.).*/, "$1");
      this.feedback.replaceChildren(message);
    }
  }

  /** @param {Element} box @param {string} text @param {() => void} act */
  #button(box, text, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    this.on(button, "click", act);
    box.append(button);
    return button;
  }

  /** @param {string} source */
  #changed(source) {
    this.source = source;
    const edited = source !== this.data.starter;
    this.resetButton.hidden = !edited;
    remember(this.key, edited ? source : null);
    if (this.section.dataset.state !== "checking") this.section.dataset.state = "";
  }

  /** @param {string} source */
  async #show(source) {
    this.#changed(source);
    const editor = await this.#open();
    editor?.set(source);
    editor?.focus();
  }

  /** @param {MouseEvent} [event] */
  async #edit(event) {
    // A click that ends a selection is for copying.
    if (this.#editor || (event && String(getSelection()) !== "")) return;
    const editor = await this.#open();
    editor?.focus();
    if (event) editor?.caretAt(event.clientX, event.clientY);
  }

  #open() {
    this.#opening ??= loadEditor().then(
      ({ open }) => {
        if (this.#ended) return null;
        const holder = document.createElement("div");
        holder.className = "occ-editor";
        this.#editor = open(holder, {
          source: this.source,
          label: "Your program. Escape, then Tab leaves.",
          onChange: (source) => this.#changed(source),
          onRun: () => void this.check(),
        });
        this.view.replaceChildren(holder);
        for (const name of ["tabindex", "role", "aria-label"]) this.view.removeAttribute(name);
        return this.#editor;
      },
      () => {
        this.#opening = null;
        this.status.textContent = "The editor could not be loaded. Try again.";
        return null;
      },
    );
    return this.#opening;
  }

  /** @param {boolean} busy */
  #busy(busy) {
    this.section.dataset.state = busy ? "checking" : "";
    this.checkButton.hidden = busy;
    this.stopButton.hidden = !busy;
    const [from, to] = busy ? [this.checkButton, this.stopButton] : [this.stopButton, this.checkButton];
    if (document.activeElement === from || document.activeElement === document.body) to.focus({ preventScroll: true });
    this.#waiting();
    if (!busy) this.status.textContent = "";
  }

  #waiting() {
    if (this.section.dataset.state !== "checking") return;
    if (python.state === "ready" || python.state === "running") say(this.status, "checking…");
    else say(this.status, ...loading());
  }
}
