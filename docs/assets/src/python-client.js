// The page's client of the Python worker: one worker for the site, started on intent, with its queue, progress and Stop.

import { CACHE_NAME, snapshotUrl } from "./cache-keys.js";
import { keep } from "./keep.js";

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

/** The worker by way of a blob: URL: it then inherits this page's Content Security Policy, which reaches no worker that has
 * an address of its own. */
const INHERITING = URL.createObjectURL(new Blob([`import ${JSON.stringify(WORKER.href)};`], { type: "text/javascript" }));

/** Where the worker begins. The service worker gives the policy as a header, and alone can serve it offline.
 * @param {number} failures  boots that failed: a browser may not know such workers */
const start = (failures) => (navigator.serviceWorker?.controller || failures ? WORKER : INHERITING);

/** Calls that run the reader's own code, which may never return. */
const READER_CALLS = new Set(["run", "check"]);

/** Milliseconds within which a run must notice Stop; then its worker is terminated. */
const STOP_WITHIN = 1000;

/** Milliseconds before each retry of a failed boot. The first retry ignores what is cached on the device, which may be
 * damaged; the second waits for the network. */
const RETRY_AFTER = [0, 800];

/** Milliseconds without a byte after which a download is tried anew, and after which the reader is told of the silence. */
const SILENT = 12_000;
const QUIET = 4_000;

export const LOST = "Python was restarted, so variables are lost.";

/** Whether an earlier visit stored a snapshot. `keys` is enough: `match` reads the whole entry in some browsers. */
async function hasSnapshot() {
  try {
    const keys = await (await caches.open(CACHE_NAME)).keys(snapshotUrl(WORKER));
    return keys.length > 0;
  } catch {
    return false;
  }
}

/** Python was stopped or crashed before it answered; the message is a sentence for the reader. */
export class Interrupted extends Error {}

class PythonClient {
  /** @type {PythonState} */ state = "off";
  /** @type {Progress} */ progress = { loaded: 0, total: 0 };
  /** Counts interpreters: variables of an earlier generation are lost. */
  generation = 0;
  /** @type {Worker | null} */ #worker = null;
  /** @type {WebAssembly.Module | undefined} */ #module;
  /** @type {Task[]} */ #queue = [];
  /** @type {Task | null} */ #current = null;
  /** The blob URL whose revocation stops the current run. */
  #token = "";
  #stopping = false;
  #failures = 0;
  /** Whether this worker has still to say what the page is to keep. Later messages of the kind are a reader's code's. */
  #mayKeep = false;
  /** Whether the next boot must ignore what is cached: it may be what failed. */
  #anew = false;
  /** When the worker was heard of last, while it boots. */
  #heard = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #watch;
  /** @type {Promise<boolean> | undefined} */ #snapshot;
  /** @type {Set<() => void>} */ #listeners = new Set();

  /** Call `listener` at each change of state or progress; returns a function that ends this.
   * @param {() => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether Python has started, or starts from a snapshot on this device. */
  async atHand() {
    return Boolean(this.#worker) || (this.#snapshot ??= hasSnapshot());
  }

  /** Start Python unless it has been started. */
  warm() {
    if (this.#worker) return;
    this.generation += 1;
    this.progress = { loaded: 0, total: 0 };
    this.#set("loading");
    const worker = new Worker(start(this.#failures), { type: "module", name: "python" });
    this.#worker = worker;
    this.#mayKeep = true;
    worker.onmessage = (event) => worker === this.#worker && this.#receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message || "its program could not be loaded");
    };
    worker.postMessage({ boot: this.#anew ? { plain: true } : { module: this.#module } });
    this.#heard = performance.now();
    clearInterval(this.#watch);
    this.#watch = setInterval(() => this.#listen(), 1000);
  }

  /** Milliseconds for which a download has brought nothing. */
  get silence() {
    const { loaded, total } = this.progress;
    return this.state === "loading" && (!total || loaded < total) ? performance.now() - this.#heard : 0;
  }

  /** While Python loads: tell of silence, and give a download up that hangs. */
  #listen() {
    if (this.state !== "loading") return clearInterval(this.#watch);
    // A page out of sight hears late.
    if (document.hidden) this.#heard = performance.now();
    if (this.silence > SILENT) this.#fail("the download stopped");
    else if (this.silence > QUIET) this.#notify();
  }

  /** End a boot when the browser puts the page into its back/forward cache: its downloads would delay the next page's. */
  rest() {
    if (this.state !== "loading") return;
    this.#end();
    this.#set("off");
  }

  /** Boot again for the requests that wait, when the page is shown from the back/forward cache. */
  wake() {
    if (this.#queue.length) this.warm();
  }

  /** Run a cell. Rejects with `Interrupted` when Python ends during the run.
   * @param {{ page: string, label: string, source: string, onText?: (text: string) => void, onStart?: () => void }} cell
   * @returns {Promise<Ran>} */
  run({ page, label, source, onText, onStart }) {
    return this.#request({ call: "run", args: [page, label, source], page, onText, onStart });
  }

  /** Judge a program written for an exercise. Rejects with `Interrupted` when Python ends during the run.
   * @param {string} name @param {string} source @param {string} page
   * @returns {Promise<{ passed: boolean, message: string, outputs: Output[] }>} */
  check(name, source, page) {
    return this.#request({ call: "check", args: [name, source], page });
  }

  /** The view of a widget, or null when a newer request replaced this one.
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

  /** Completions or a signature for an editor: undefined while Python is busy, null if it does not run. Typing never waits
   * for Python or starts it.
   * @param {string} page @param {"complete" | "signature"} what @param {string} source @param {number} at */
  async help(page, what, source, at) {
    if (this.state === "running") return undefined;
    if (this.state !== "ready") return null;
    return this.#request({ call: what, args: [page, source, at], page, key: `${page} ${what}` }).catch(() => null);
  }

  /** Interrupt the current run, and drop those that wait. Variables survive when the code can be interrupted. */
  stop() {
    this.#drop((task) => READER_CALLS.has(task.call), "Not run.");
    const task = this.#current;
    if (!task || !READER_CALLS.has(task.call) || this.#stopping) return;
    this.#stopping = true;
    URL.revokeObjectURL(this.#token);
    setTimeout(() => this.#current === task && this.#replace(`Stopped. ${LOST}`), STOP_WITHIN);
  }

  /** Start Python anew: the readers' runs end, and a widget's question is asked again. */
  restart() {
    if (!this.#worker || this.state === "loading") return;
    this.#drop((task) => READER_CALLS.has(task.call), "Not run.");
    const task = this.#current;
    if (task && !READER_CALLS.has(task.call)) {
      this.#release();
      this.#queue.unshift(task);
    }
    this.#replace(LOST);
  }

  /** Drop the requests and the variables of a page that the reader leaves. @param {string} page */
  leave(page) {
    this.#drop((task) => task.page === page, "The page was left.");
    if (this.#current?.page === page) this.stop();
    if (this.#worker && this.state !== "loading") this.ask(page, "forget", page).catch(() => {});
  }

  /** Reject the waiting tasks that `which` selects. @param {(task: Task) => boolean} which @param {string} reason */
  #drop(which, reason) {
    const dropped = this.#queue.filter(which);
    this.#queue = this.#queue.filter((task) => !which(task));
    for (const task of dropped) task.reject(new Interrupted(reason));
  }

  /** Queue a request. It replaces a waiting one of the same key, which resolves with null.
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

  /** Send the next task to an idle worker. */
  #pump() {
    if (this.#current || (this.state !== "ready" && this.state !== "running")) return;
    const task = this.#queue.shift();
    if (!task) return this.#set("ready");
    this.#current = task;
    if (READER_CALLS.has(task.call)) {
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
        // A reader's code may post messages too, but does not run yet.
        if (this.state === "loading") this.#module = message.module;
        return;
      case "keep":
        if (this.#mayKeep) void keep(message, new URL(".", WORKER).href);
        this.#mayKeep = false;
        return;
      case "progress":
        this.progress = message;
        this.#heard = performance.now();
        return this.#notify();
      case "ready":
        this.#failures = 0;
        this.#anew = false;
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

  /** @param {{ value?: string, large: boolean }} message  `large`: Python has taken more memory than it gives back */
  #result({ value, large }) {
    const parsed = JSON.parse(value ?? "null");
    const spent = large && ranOut(parsed);
    this.#finish((task, stopped) => {
      if (task.call !== "run") return task.resolve(parsed);
      const note = spent ? `Memory ran out. ${LOST}` : stopped ? "Stopped. Variables are kept." : "";
      task.resolve({ outputs: parsed, note });
    }, spent);
  }

  /** Release the current task, settle it, and send the next. Only a new worker frees memory, so `spent` restarts.
   * @param {(task: Task, stopped: boolean) => void} settle @param {boolean} [spent] */
  #finish(settle, spent = false) {
    const task = this.#current;
    const stopped = this.#stopping;
    this.#release();
    if (spent) this.#restart();
    if (task) settle(task, stopped);
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

  /** Terminate the worker during its task and start another, which takes the waiting tasks. @param {string} reason */
  #replace(reason) {
    const task = this.#current;
    this.#release();
    this.#restart();
    task?.reject(new Interrupted(reason));
  }

  /** A boot failed: retry, or reject everything. @param {string} reason */
  #fail(reason) {
    this.#end();
    this.#module = undefined;
    this.#anew = true;
    this.#failures += 1;
    const pause = RETRY_AFTER[this.#failures - 1];
    if (pause !== undefined) return void setTimeout(() => this.warm(), pause);
    this.#failures = 0;
    const task = this.#current;
    this.#release();
    this.#set("failed");
    const why = navigator.onLine ? reason : "you are offline, and Python is not on this device yet";
    const error = new Interrupted(`Python could not be loaded: ${why}. Try again.`);
    task?.reject(error);
    this.#drop(() => true, error.message);
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

/** Whether a run's or a check's outputs end with Python's word for too little memory. @param {any} result */
function ranOut(result) {
  /** @type {Output[]} */
  const outputs = Array.isArray(result) ? result : (result?.outputs ?? []);
  return outputs.some(({ kind, data }) => kind === "error" && /^MemoryError\b/m.test(data));
}

export const python = new PythonClient();

/** The state of the boot, for a cell or widget that waits: words, and figures that change too often to be read aloud.
 * @returns {[string, string]} */
export function loading() {
  const { loaded, total } = python.progress;
  if (python.state !== "loading") return ["waiting…", ""];
  if (python.silence > QUIET) return ["the network is silent, ", `${Math.round(python.silence / 1000)} s`];
  if (!total || loaded >= total) return ["starting Python…", ""];
  return ["loading Python, ", `${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`];
}
