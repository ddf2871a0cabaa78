// The page's side of Python: one worker for the whole site, started on intent, with its queue, progress and Stop.

import { KEPT_IN, snapshotOf } from "./kept.js";

/**
 * @typedef {"off" | "loading" | "ready" | "running" | "failed"} PythonState
 * @typedef {{ loaded: number, total: number }} Progress  bytes
 * @typedef {{ kind: string, data: string, alt?: string }} Output
 * @typedef {{ outputs: Output[], note: string }} Ran  `note`: what the reader should know about Python after the run
 * @typedef {{ kind: "html", data: string } | { kind: "chart", spec: any, alt: string }} Part
 * @typedef {{ status?: string, parts?: Record<string, Part>, error?: string }} View
 * @typedef {{ call: string, args: any[], page: string, key?: string, onText?: (text: string) => void,
 *   onStart?: () => void }} Request
 * @typedef {Request & { resolve: (value: any) => void, reject: (reason: Error) => void }} Task
 */

const WORKER = new URL(__WORKER__, import.meta.url);

/** Calls that run the reader's own code, which may not end. */
const READERS = new Set(["run", "check"]);

/** How long a run may take to notice Stop, in milliseconds, before its worker is ended. */
const STOP_WITHIN = 1000;

/** Pauses before a failed load is tried again, in milliseconds. The first one is for what was kept on the device: it may be
 * damaged or not fit, and is left aside from then on. The second one is for the network. */
const TRY_AGAIN_AFTER = [0, 800];

const LOST = "Python was restarted, so variables are lost.";

/** Whether an earlier visit kept a snapshot. Some browsers read a whole entry to find it, so its name alone is asked for. */
async function keptEarlier() {
  try {
    const names = await (await caches.open(KEPT_IN)).keys(snapshotOf(WORKER));
    return names.length > 0;
  } catch {
    return false;
  }
}

/** Python ended before it could answer; the message is a sentence for the reader. */
export class Interrupted extends Error {}

class PythonClient {
  /** @type {PythonState} */ state = "off";
  /** @type {Progress} */ progress = { loaded: 0, total: 0 };
  /** Counts fresh interpreters: variables made under another generation are gone. */
  generation = 0;
  /** @type {Worker | null} */ #worker = null;
  /** @type {WebAssembly.Module | undefined} */ #module;
  /** @type {Task[]} */ #queue = [];
  /** @type {Task | null} */ #current = null;
  /** The address whose end tells the current run to stop. */
  #token = "";
  #stopping = false;
  #tries = 0;
  /** @type {Promise<boolean> | undefined} */ #kept;
  /** @type {Set<() => void>} */ #listeners = new Set();

  /** Call `listener` at each change of state or progress; returns what ends it.
   * @param {() => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether Python has started, or can from what an earlier visit kept on this device. */
  async atHand() {
    return Boolean(this.#worker) || (this.#kept ??= keptEarlier());
  }

  /** Start Python unless it is there already. */
  warm() {
    if (this.#worker) return;
    this.generation += 1;
    this.progress = { loaded: 0, total: 0 };
    this.#set("loading");
    const worker = new Worker(WORKER, { type: "module", name: "python" });
    this.#worker = worker;
    worker.onmessage = (event) => worker === this.#worker && this.#receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message || "its program could not be loaded");
    };
    worker.postMessage({ given: this.#tries ? { plain: true } : { module: this.#module } });
  }

  /** The browser puts the page aside, perhaps to show it again: downloads put aside with it would hold up the next page's. */
  rest() {
    if (this.state !== "loading") return;
    this.#end();
    this.#set("off");
  }

  /** The page is shown again: what waits for Python goes on. */
  wake() {
    if (this.#queue.length) this.warm();
  }

  /** Run a cell. Rejects with `Interrupted` when Python ended under it.
   * @param {{ page: string, label: string, source: string, onText?: (text: string) => void, onStart?: () => void }} cell
   * @returns {Promise<Ran>} */
  run({ page, label, source, onText, onStart }) {
    return this.#request({ call: "run", args: [page, label, source], page, onText, onStart });
  }

  /** Judge a program written for an exercise. Rejects with `Interrupted` when Python ended under it.
   * @param {string} name @param {string} source @param {string} page
   * @returns {Promise<{ passed: boolean, message: string, outputs: Output[] }>} */
  check(name, source, page) {
    return this.#request({ call: "check", args: [name, source], page });
  }

  /** The view of a widget, or null when newer values came before it was computed.
   * @param {string} key  tells one widget on the page from another
   * @param {string} name @param {Record<string, unknown>} values @param {string} page
   * @returns {Promise<View | null>} */
  view(key, name, values, page) {
    return this.#request({ call: "view", args: [name, JSON.stringify(values)], key, page });
  }

  /** Call any function of `occusite.book.runtime.api`; resolves with the JSON it returns.
   * @param {string} page @param {string} call @param {Array<string | number>} args @returns {Promise<any>} */
  ask(page, call, ...args) {
    return this.#request({ call, args, page });
  }

  /** Help for an editor, or null while Python has something else to do: typing never waits and never starts it.
   * @param {string} page @param {"complete" | "signature"} what @param {string} source @param {number} at */
  async help(page, what, source, at) {
    if (this.state !== "ready") return null;
    return this.#request({ call: what, args: [page, source, at], page, key: `${page} ${what}` }).catch(() => null);
  }

  /** End what runs, and what waits to run. Variables are kept when the code lets itself be interrupted. */
  stop() {
    this.#drop((task) => READERS.has(task.call), "Not run.");
    const task = this.#current;
    if (!task || !READERS.has(task.call) || this.#stopping) return;
    this.#stopping = true;
    URL.revokeObjectURL(this.#token);
    setTimeout(() => this.#current === task && this.#replace(`Stopped. ${LOST}`), STOP_WITHIN);
  }

  /** Drop what a page asked for, and its variables, when the reader leaves it. @param {string} page */
  leave(page) {
    this.#drop((task) => task.page === page, "The page was left.");
    if (this.#current?.page === page) this.stop();
    if (this.#worker && this.state !== "loading") this.ask(page, "forget", page).catch(() => {});
  }

  /** @param {(task: Task) => boolean} which @param {string} reason */
  #drop(which, reason) {
    const dropped = this.#queue.filter(which);
    this.#queue = this.#queue.filter((task) => !which(task));
    for (const task of dropped) task.reject(new Interrupted(reason));
  }

  /** Only the newest request of a key waits; the one it replaces resolves with null.
   * @param {Request} request @returns {Promise<any>} */
  #request(request) {
    this.warm();
    const older = request.key ? this.#queue.find((task) => task.key === request.key) : undefined;
    if (older) {
      this.#queue.splice(this.#queue.indexOf(older), 1);
      older.resolve(null);
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...request, resolve, reject });
      this.#pump();
    });
  }

  #pump() {
    if (this.#current || (this.state !== "ready" && this.state !== "running")) return;
    const task = this.#queue.shift();
    if (!task) return this.#set("ready");
    this.#current = task;
    if (READERS.has(task.call)) {
      this.#token = URL.createObjectURL(new Blob(["go on"], { type: "text/plain" }));
      this.#set("running");
    }
    this.#worker?.postMessage({ call: task.call, args: task.args, token: this.#token });
    task.onStart?.();
  }

  /** @param {any} message */
  #receive(message) {
    switch (message.kind) {
      case "module":
        this.#module = message.module;
        return;
      case "progress":
        this.progress = message;
        return this.#notify();
      case "ready":
        this.#tries = 0;
        document.documentElement.dataset.pythonBoot = message.restored ? "restored" : "plain";
        this.#set("ready");
        return this.#pump();
      case "failed":
        return this.#fail(message.reason);
      case "text":
        return this.#current?.onText?.(message.text);
      case "result":
        return this.#result(message);
      case "error":
        return this.#finish((task, stopped) => task.reject(stopped ? new Interrupted("Stopped. Variables are kept.") : new Error(message.reason)));
      case "died":
        return this.#replace(`Python ended with a fatal error. ${LOST}`);
    }
  }

  /** @param {{ value?: string, spent: boolean }} message */
  #result({ value, spent }) {
    const parsed = JSON.parse(value ?? "null");
    this.#finish((task, stopped) => {
      if (task.call !== "run") return task.resolve(parsed);
      const note = spent ? `Memory ran out. ${LOST}` : stopped ? "Stopped. Variables are kept." : "";
      task.resolve({ outputs: parsed, note });
    }, spent);
  }

  /** Let go of the current task, hand it to `end`, and take the next. Memory once taken is only freed by a fresh worker.
   * @param {(task: Task, stopped: boolean) => void} end @param {boolean} [spent] */
  #finish(end, spent = false) {
    const task = this.#current;
    const stopped = this.#stopping;
    this.#release();
    if (spent) this.#restart();
    if (task) end(task, stopped);
    this.#pump();
  }

  #release() {
    this.#current = null;
    this.#stopping = false;
    if (this.#token) URL.revokeObjectURL(this.#token);
    this.#token = "";
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #restart() {
    this.#end();
    this.warm();
  }

  /** End the worker under the current task and start another; what waits goes on there. @param {string} reason */
  #replace(reason) {
    const task = this.#current;
    this.#release();
    this.#restart();
    task?.reject(new Interrupted(reason));
  }

  /** @param {string} reason */
  #fail(reason) {
    this.#end();
    this.#module = undefined;
    this.#tries += 1;
    const pause = TRY_AGAIN_AFTER[this.#tries - 1];
    if (pause !== undefined) return void setTimeout(() => this.warm(), pause);
    this.#tries = 0;
    const task = this.#current;
    this.#release();
    this.#set("failed");
    const why = navigator.onLine ? reason : "you are offline, and Python is not on this device yet";
    const told = new Interrupted(`Python could not be loaded: ${why}. Try again.`);
    task?.reject(told);
    this.#drop(() => true, told.message);
  }

  /** @param {PythonState} state */
  #set(state) {
    if (this.state === state) return;
    this.state = state;
    document.documentElement.dataset.python = state;
    this.#notify();
  }

  #notify() {
    for (const listener of this.#listeners) listener();
  }
}

export const python = new PythonClient();

/** What Python is doing, for a cell or widget that waits: words, and figures that change too often to be read aloud.
 * @returns {[string, string]} */
export function loading() {
  const { loaded, total } = python.progress;
  if (python.state !== "loading") return ["waiting…", ""];
  if (!total || loaded >= total) return ["starting Python…", ""];
  return ["loading Python, ", `${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`];
}
