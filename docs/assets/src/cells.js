// Cells: edit, run, stop, reset, copy and share. Edits are stored for the next visit; a page's cells share one namespace.

import { place, replace, stored } from "./edits.js";
import { embedded } from "./embedded.js";
import { icon } from "./icons.js";
import { onIntent, warmOnIntent } from "./intent.js";
import { draw, streamed } from "./output.js";
import { Interrupted, loading, LOST, python } from "./python-client.js";
import { say } from "./say.js";
import { loadEditor } from "./retry.js";
import { link, LINK_LIMIT, shared } from "./share.js";

/** @typedef {ReturnType<typeof import("./editor.js").open>} Editor */

/** Milliseconds after Run in which Stop, in its place, takes no press: it is a double click's second, or a held key's. */
const DOUBLE = 400;

/** Attach behaviour to the page's cells; returns a function that detaches it. @param {string} page */
export function attachCells(page) {
  /** @type {Cell[]} */
  const cells = [];
  for (const section of document.querySelectorAll("section.occ-cell")) {
    cells.push(new Cell(/** @type {HTMLElement} */ (section), page, cells));
  }
  if (!cells.length) return () => {};
  restore(cells, page);
  const open = () => void openShared(cells);
  window.addEventListener("hashchange", open);
  open();
  return () => {
    window.removeEventListener("hashchange", open);
    for (const cell of cells) cell.end();
  };
}

/** Show each stored edit in its cell; offer those whose cell this edition no longer has. @param {Cell[]} cells @param {string} page */
function restore(cells, page) {
  const { placed, homeless } = place(stored(page), cells.map((cell) => (cell.hidden ? "\0" : cell.original)));
  for (const [i, edit] of placed) cells[i].restore(edit);
  for (const edit of homeless) offer(cells[0].section, page, edit);
}

/** Offer an edit that has no cell any more. @param {HTMLElement} before @param {string} page @param {import("./edits.js").Edit} edit */
function offer(before, page, edit) {
  const note = document.createElement("div");
  note.className = "occ-homeless";
  const words = document.createElement("p");
  words.textContent = "You once edited a cell that this edition of the page no longer has. Your code:";
  const code = document.createElement("pre");
  code.tabIndex = 0;
  code.textContent = edit.source;
  /** @param {string} text @param {() => void} act */
  const button = (text, act) => {
    const node = document.createElement("button");
    node.type = "button";
    node.className = "occ-button";
    node.textContent = text;
    node.addEventListener("click", act);
    return node;
  };
  const copy = button("Copy it", () => {
    navigator.clipboard.writeText(edit.source).then(
      () => (copy.textContent = "Copied"),
      () => (copy.textContent = "The browser did not allow copying"),
    );
  });
  const forget = button("Forget it", () => {
    replace(page, edit, null);
    note.remove();
  });
  note.append(words, code, copy, forget);
  before.before(note);
}

/** Show the code of a share link in its cell, without running it. @param {Cell[]} cells */
async function openShared(cells) {
  const fromLink = await shared(location.hash);
  const cell = fromLink && cells.find((c) => c.number === fromLink.cell);
  if (!cell) return;
  if (fromLink.source !== null) {
    cell.linkedSource = fromLink.source;
    await cell.show(fromLink.source);
  }
  cell.section.scrollIntoView({ block: "center" });
  cell.say(fromLink.source === null ? "The code in this link is not whole. Ask for the link again." : "This code came with the link. Read it, then run it.");
}

class Cell {
  /** @type {Array<() => void>} */ #ends = [];
  /** @type {Editor | null} */ #editor = null;
  /** @type {Promise<Editor | null> | null} */ #opening = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #clock;
  /** When Run was pressed last. */
  #pressed = -DOUBLE;
  /** @type {Promise<boolean> | null}  the run that waits or goes on */ #current = null;
  /** The generation of the interpreter this cell last ran in. */
  ranIn = -1;
  ended = false;
  /** Whether the reader has run what the cell shows. */
  #trusted = false;
  /** What is stored of the reader's for this cell. @type {import("./edits.js").Edit | null} */ #edit = null;
  /** Code from a share link: it replaces the reader's stored edit only once the reader changes it. */
  linkedSource = "";

  /** Whether it shows code of a link that the reader has not run: nothing else may run it. */
  get foreign() {
    return this.linkedSource !== "" && this.source === this.linkedSource && !this.#trusted;
  }

  /** @param {HTMLElement} section @param {string} page @param {Cell[]} above  the page's cells before this one; later, all of them */
  constructor(section, page, above) {
    this.section = section;
    this.page = page;
    this.above = [...above];
    this.all = above;
    this.number = section.dataset.cell ?? "";
    this.original = String(JSON.parse(embedded(section, ".occ-cell-code") || '""'));
    this.source = this.original;
    /** The code that made the output shown. */
    this.outputOf = this.original;
    this.view = /** @type {HTMLElement} */ (section.querySelector(".occ-cell-source"));
    this.output = /** @type {HTMLElement} */ (section.querySelector(".occ-output"));
    this.built = [...(this.output?.childNodes ?? [])];
    this.hidden = !this.view || section.hidden;
    section.dataset.state = "idle";
    if (!this.view || !this.output) return;
    this.#toolbar();
    this.view.querySelector("pre")?.removeAttribute("tabindex");
    this.view.tabIndex = 0;
    this.view.setAttribute("role", "group");
    this.view.setAttribute("aria-label", `Code of cell ${this.number}. Press Enter to edit.`);
    this.#on(this.view, "click", (event) => void this.edit(/** @type {MouseEvent} */ (event)));
    this.#on(section, "keydown", (event) => this.#key(/** @type {KeyboardEvent} */ (event)));
    this.#ends.push(warmOnIntent(section));
    this.#ends.push(onIntent(this.view, loadEditor));
    this.#ends.push(python.subscribe(() => this.#waiting()));
  }

  end() {
    this.ended = true;
    clearInterval(this.#clock);
    for (const end of this.#ends) end();
    this.#editor?.end();
  }

  /** @param {EventTarget} target @param {string} type @param {(event: Event) => void} handler */
  #on(target, type, handler) {
    target.addEventListener(type, handler);
    this.#ends.push(() => target.removeEventListener(type, handler));
  }

  #toolbar() {
    const bar = /** @type {HTMLElement} */ (this.section.querySelector(".occ-cell-toolbar"));
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", `Cell ${this.number}`);
    /** @param {string} name @param {string} text @param {string} title @param {() => void} act */
    const button = (name, text, title, act) => {
      const node = document.createElement("button");
      node.type = "button";
      node.className = `occ-button occ-${name}`;
      node.title = title;
      node.setAttribute("aria-label", /page|Python/.test(title) ? title : `${title.replace(/ \(.*/, "")}: cell ${this.number}`);
      node.innerHTML = `${icon(name)}<span>${text}</span>`;
      this.#on(node, "click", act);
      bar.append(node);
      return node;
    };
    bar.replaceChildren();
    this.runButton = button("run", "Run", "Run (Shift+Enter)", () => void this.run());
    this.stopButton = button("stop", "Stop", "Stop", () => this.#stop());
    if (this.above.length) button("above", "Run above", "Run all cells above", () => void this.#runEach(this.above));
    if (this.above.every((cell) => cell.hidden)) {
      button("all", "Run all", "Run all cells of this page", () => void this.#runEach(this.all));
      button("restart", "Restart", "Restart Python: variables are lost", () => this.#restart());
    }
    button("edit", "Edit", "Edit", () => void this.edit());
    this.resetButton = button("reset", "Reset", "Reset to the book's code", () => void this.reset());
    button("copy", "Copy", "Copy the code", () => void this.#copy(this.source, "Code copied."));
    button("share", "Share", "Copy a link to this code", () => void this.#share());
    this.state = document.createElement("span");
    this.state.className = "occ-state";
    this.state.setAttribute("role", "status");
    bar.append(this.state);
    this.stopButton.hidden = true;
    this.resetButton.hidden = true;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.key !== "Enter") return;
    const inside = /** @type {Element} */ (event.target).closest(".cm-editor, button, .occ-output");
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      if (inside?.matches("button")) return;
      event.preventDefault();
      void this.run();
    } else if (event.target === this.view && !this.#editor) {
      event.preventDefault();
      void this.edit();
    }
  }

  /** Show one sentence in the cell's state line. @param {string} words @param {string} [figures] */
  say(words, figures) {
    say(this.state, words, figures);
  }

  /** Show the reader's edit from an earlier visit. @param {import("./edits.js").Edit} edit */
  restore(edit) {
    if (this.hidden) return;
    this.#edit = edit;
    if (edit.source === this.original) return;
    void this.show(edit.source);
    this.say(edit.original === this.original ? "Your edit from last time." : "Your edit from last time; the book’s code has changed since.");
  }

  /** Show `source` in place of the book's code. @param {string} source */
  async show(source) {
    this.#changed(source);
    const editor = await this.#open();
    // The reader may have pressed Reset while the editor loaded.
    editor?.set(this.source);
  }

  /** @param {string} source */
  #changed(source) {
    this.source = source;
    const edited = source !== this.original;
    this.section.toggleAttribute("data-edited", edited);
    this.#mark();
    if (this.resetButton) this.resetButton.hidden = !edited;
    if (source === this.linkedSource) return;
    // An edit of an earlier edition keeps saying so until it is changed.
    if (source === this.#edit?.source) return;
    const edit = edited ? { original: this.original, source } : null;
    replace(this.page, this.#edit, edit);
    this.#edit = edit;
  }

  /** Mark an output that other code has made than what is shown. */
  #mark() {
    this.section.toggleAttribute("data-stale", this.source !== this.outputOf && this.output.childElementCount > 0);
  }

  /** Open the editor, with the caret where the reader clicked. @param {MouseEvent} [event] */
  async edit(event) {
    if (this.#editor) return event ? undefined : this.#editor.focus();
    // A click that ends a selection is for copying.
    if (event && String(getSelection()) !== "") return;
    const at = event && { x: event.clientX, y: event.clientY };
    const editor = await this.#open();
    if (!editor) return;
    editor.focus();
    if (at) editor.caretAt(at.x, at.y);
  }

  #open() {
    this.#opening ??= loadEditor().then(
      ({ open }) => {
        if (this.ended) return null;
        const holder = document.createElement("div");
        holder.className = "occ-editor";
        this.#editor = open(holder, {
          source: this.source,
          label: `Code of cell ${this.number}. Escape, then Tab leaves.`,
          onChange: (source) => this.#changed(source),
          onRun: () => void this.run(),
          ask: (what, source, at) => python.help(this.page, what, source, at),
        });
        const focused = document.activeElement === this.view;
        this.view.replaceChildren(holder);
        this.view.removeAttribute("tabindex");
        this.view.removeAttribute("role");
        this.view.removeAttribute("aria-label");
        if (focused) this.#editor.focus();
        return this.#editor;
      },
      () => {
        this.#opening = null;
        this.say("The editor could not be loaded. Try again.");
        return null;
      },
    );
    return this.#opening;
  }

  async reset() {
    this.outputOf = this.original;
    this.output.replaceChildren(...this.built);
    this.#changed(this.original);
    this.#editor?.set(this.original);
    this.section.dataset.state = "idle";
    this.say("");
  }

  #stop() {
    if (performance.now() - this.#pressed > DOUBLE) python.stop();
  }

  #restart() {
    python.restart();
    this.say(LOST);
  }

  /** Run the cells above that have not run in this interpreter. */
  async #runAbove() {
    for (const cell of this.above) {
      if (cell.ranIn === python.generation && python.generation > 0) continue;
      if (cell.foreign) {
        this.say(`Cell ${cell.number} above shows code that came with the link. Read it, and run it first.`);
        return false;
      }
      this.say(`running cell ${cell.number} first…`);
      if (await cell.#runAlone()) continue;
      this.say(`Cell ${cell.number} above did not finish.`);
      return false;
    }
    return true;
  }

  /** Run cells in their order, until one does not finish. @param {Cell[]} cells */
  async #runEach(cells) {
    python.warm();
    for (const cell of cells) {
      if (cell.foreign && cell !== this) return this.say(`Cell ${cell.number} shows code that came with the link. Read it, and run it first.`);
      cell.#pressed = performance.now();
      if (await cell.#runAlone()) continue;
      if (cell !== this) this.say(`Cell ${cell.number} did not finish.`);
      return;
    }
    this.say(cells === this.all ? "All cells have run." : "All cells above have run.");
  }

  /** Run this cell, after those above it that have not run in this interpreter. */
  async run() {
    if (this.section.dataset.state === "running" || this.section.dataset.state === "loading") return;
    this.#pressed = performance.now();
    this.#trusted = true;
    python.warm();
    this.#busy(true);
    if (await this.#runAbove()) await this.#runAlone();
    else this.#busy(false, "error");
  }

  /** Run this cell alone, unless it is about to; returns whether it ended without an error, or with the one it expects. */
  #runAlone() {
    this.#current ??= this.#runNow().finally(() => (this.#current = null));
    return this.#current;
  }

  async #runNow() {
    this.#busy(true);
    const source = this.source;
    /** @type {ReturnType<typeof streamed> | null} */
    let stream = null;
    const write = (/** @type {string} */ text) => (stream ??= streamed(this.output))(text);
    try {
      const { outputs, note } = await python.run({
        page: this.page,
        label: `cell ${this.number}`,
        source,
        onText: write,
        onStart: () => this.#started(),
      });
      if (this.ended) return false;
      this.ranIn = python.generation;
      await draw(this.output, outputs);
      this.outputOf = source;
      this.#mark();
      const failed = outputs.find((output) => output.kind === "error");
      const expected = this.section.dataset.expect ?? "";
      const fine = !failed || (expected !== "" && failed.data.includes(expected));
      this.#busy(false, fine ? "done" : "error");
      this.say(note || (failed ? "ended with an error" : outputs.length ? "" : "ran; nothing to show"));
      return fine;
    } catch (error) {
      if (this.ended) return false;
      // Remove an earlier run's output.
      if (!stream && this.section.dataset.state === "running") this.output.replaceChildren();
      if (this.section.dataset.state === "running") this.outputOf = source;
      this.#mark();
      this.#busy(false, "error");
      this.say(error instanceof Interrupted ? error.message : `Something went wrong: ${error instanceof Error ? error.message : error}`);
      return false;
    }
  }

  /** @param {boolean} busy @param {"loading" | "done" | "error"} [state] */
  #busy(busy, state = "loading") {
    this.section.dataset.state = state;
    this.output.setAttribute("aria-busy", String(busy));
    if (this.runButton && this.stopButton) {
      const focused = document.activeElement;
      this.runButton.hidden = busy;
      this.stopButton.hidden = !busy;
      if (busy && focused === this.runButton) this.stopButton.focus();
      if (!busy && focused === this.stopButton) this.runButton.focus();
    }
    clearInterval(this.#clock);
    this.#waiting();
  }

  #started() {
    const start = performance.now();
    this.section.dataset.state = "running";
    this.say("running…");
    // The last run's error is not this one's.
    if (this.output.querySelector(".occ-out--error")) this.output.replaceChildren();
    this.#clock = setInterval(() => {
      const seconds = Math.round((performance.now() - start) / 1000);
      this.say("still running, ", `${seconds} s`);
    }, 1000);
  }

  #waiting() {
    if (this.section.dataset.state === "loading") this.say(...loading());
  }

  /** @param {string} text @param {string} done */
  async #copy(text, done) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(done);
    } catch {
      this.say("The browser did not allow copying.");
    }
  }

  async #share() {
    const url = await link(location.href, this.number, this.source);
    if (url.length > LINK_LIMIT) this.say(`Too long for a link: ${url.length.toLocaleString("en")} characters, ${LINK_LIMIT.toLocaleString("en")} at most.`);
    else await this.#copy(url, "Link to this code copied.");
  }
}
