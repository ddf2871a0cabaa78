// Stop without shared memory: the worker polls a blob URL, which the page revokes to interrupt the run.

/** Milliseconds between two polls. */
const POLL_EVERY = 100;

/** The number of the signal that Python turns into KeyboardInterrupt. */
const SIGINT = 2;

/** The blob URL of the current run, or "". */
let token = "";
let lastPoll = 0;
/** Whether this run was interrupted already. */
let interrupted = false;
/** @type {() => void} */
let beforePoll = () => {};

/** Poll `url` from now on, a blob URL that the page revokes to interrupt this run; "" ends polling.
 * @param {string} url @param {() => void} [onPoll]  called before each poll */
export function watch(url, onPoll = () => {}) {
  token = url;
  interrupted = false;
  lastPoll = performance.now();
  beforePoll = onPoll;
}

/** Whether the page has revoked the URL. */
function revoked() {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", token, false);
    request.send();
    return request.status !== 200 && request.status !== 0;
  } catch {
    return true;
  }
}

/** Whether Stop was pressed; true at most once a run. @param {boolean} [now]  poll even if the last poll is recent */
function stopped(now = false) {
  if (!token || interrupted) return false;
  const time = performance.now();
  if (!now && time - lastPoll < POLL_EVERY) return false;
  beforePoll();
  lastPoll = time;
  interrupted = revoked();
  return interrupted;
}

/** Pyodide's interrupt buffer: reading its first item polls for Stop. */
export const interruptBuffer = {
  get 0() {
    return stopped() ? SIGINT : 0;
  },
  set 0(_value) {},
};

/** Shared memory for `Atomics.wait`. A page may not share it without special headers, but a worker may wait on its own. */
const waitCell = (() => {
  try {
    return new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
  } catch {
    return null;
  }
})();

/** Wait `seconds`, or until Stop is pressed; returns whether it was. @param {number} seconds */
export function wait(seconds) {
  const end = performance.now() + seconds * 1000;
  for (let left = seconds * 1000; left > 0; left = end - performance.now()) {
    const pause = Math.min(left, POLL_EVERY);
    if (stopped(pause >= POLL_EVERY)) return true;
    if (waitCell) Atomics.wait(waitCell, 0, 0, pause);
    else for (const until = performance.now() + pause; performance.now() < until; );
  }
  return stopped();
}
