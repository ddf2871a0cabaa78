// The page's side of Python: one worker for the whole site, started on intent, with its queue, progress and Stop.

/**
 * @typedef {"off" | "loading" | "ready" | "running" | "failed"} PythonState
 * @typedef {{ loaded: number, total: number }} Progress  bytes
 * @typedef {{ kind: string, data: string, alt?: string }} Output
 * @typedef {{ kind: "html", data: string } | { kind: "chart", spec: any, alt: string }} Part
 * @typedef {{ status?: string, parts?: Record<string, Part>, error?: string }} View
 * @typedef {{ call: string, args: any[], key?: string, scope?: string, onText?: (text: string) => void,
 *   onStart?: () => void, resolve: (value: any) => void, reject: (reason: Error) => void }} Task
 */

/** Python ended before it could answer: the reason is a sentence for the reader. */
export class Interrupted extends Error {}

class PythonClient {
  /** @type {PythonState} */ state = "off";
  /** @type {Progress} */ progress = { loaded: 0, total: 0 };
  /** Counts fresh interpreters: variables made under another generation are gone. */
  generation = 0;
  /** @type {string} */ failure = "";
  /** @type {Worker | null} */ #worker = null;
  /** @type {Task[]} */ #queue = [];
  /** @type {Task | null} */ #current = null;
  /** @type {Set<() => void>} */ #listeners = new Set();

  /** Call `listener` at each change of state or progress; returns what ends it.
   * @param {() => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Start Python unless it is there already. */
  warm() {
    if (this.#worker) return;
    this.generation += 1;
    this.progress = { loaded: 0, total: 0 };
    this.#set("loading");
    const worker = new Worker(new URL(__WORKER__, import.meta.url), { type: "module", name: "python" });
    this.#worker = worker;
    worker.onmessage = (event) => this.#receive(worker, event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message || "its program could not be loaded");
    };
  }

  /** Run a cell; resolves with its outputs.
   * @param {{ page: string, label: string, source: string, onText?: (text: string) => void, onStart?: () => void }} cell
   * @returns {Promise<Output[]>} */
  run({ page, label, source, onText, onStart }) {
    return this.#request({ call: "run", args: [page, label, source], scope: page, onText, onStart });
  }

  /** The view of a widget, or null when newer values came before it was computed.
   * @param {string} key  tells one widget on the page from another
   * @param {string} name @param {Record<string, unknown>} values @param {string} page
   * @returns {Promise<View | null>} */
  view(key, name, values, page) {
    const waiting = this.#queue.find((task) => task.key === key);
    if (waiting) {
      waiting.resolve(null);
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
    }
    return this.#request({ call: "view", args: [name, JSON.stringify(values)], key, scope: page });
  }

  /** End what runs. The interpreter is replaced, so variables are lost. */
  stop() {
    const task = this.#current;
    if (!task) return;
    this.#end();
    task.reject(new Interrupted("Stopped. Python was restarted, so variables are lost."));
    this.warm();
  }

  /** Drop what a page asked for, when the reader leaves it.
   * @param {string} page */
  leave(page) {
    for (const task of this.#queue.filter((t) => t.scope === page)) task.reject(new Interrupted("The page was left."));
    this.#queue = this.#queue.filter((task) => task.scope !== page);
    if (this.#current?.call === "run" && this.#current.scope === page) this.stop();
  }

  /** @param {Omit<Task, "resolve" | "reject">} task */
  #request(task) {
    this.warm();
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...task, resolve, reject });
      this.#pump();
    });
  }

  #pump() {
    if (this.#current || (this.state !== "ready" && this.state !== "running")) return;
    const task = this.#queue.shift();
    if (!task) return this.#set("ready");
    this.#current = task;
    if (task.call === "run") this.#set("running");
    this.#worker?.postMessage({ call: task.call, args: task.args });
    task.onStart?.();
  }

  /** @param {Worker} worker @param {any} message */
  #receive(worker, message) {
    if (worker !== this.#worker) return;
    const task = this.#current;
    switch (message.kind) {
      case "progress":
        this.progress = message;
        return this.#notify();
      case "ready":
        this.#set("ready");
        return this.#pump();
      case "failed":
        return this.#fail(message.reason);
      case "text":
        return task?.onText?.(message.text);
      case "result":
        this.#current = null;
        task?.resolve(JSON.parse(message.value));
        return this.#pump();
      case "error":
        this.#current = null;
        task?.reject(new Error(message.reason));
        return this.#pump();
    }
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#current = null;
  }

  /** @param {string} reason */
  #fail(reason) {
    const tasks = [...(this.#current ? [this.#current] : []), ...this.#queue];
    this.#end();
    this.#queue = [];
    this.failure = reason;
    this.#set("failed");
    for (const task of tasks) task.reject(new Interrupted(`Python did not load: ${reason}.`));
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

/** A sentence on what Python is doing, for a cell or widget that waits. */
export function loadingText() {
  const { loaded, total } = python.progress;
  if (python.state === "failed") return `Python did not load: ${python.failure}.`;
  if (python.state !== "loading") return "waiting…";
  if (!total) return "starting Python…";
  if (loaded >= total) return "starting Python…";
  return `loading Python, ${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`;
}
