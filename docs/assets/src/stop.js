// Stop without shared memory: Python asks, now and then, whether an address the page gave is still there.

/** Milliseconds between two looks. */
const LOOK_EVERY = 100;

/** KeyboardInterrupt, as signals count. */
const SIGINT = 2;

let token = "";
let looked = 0;
let told = false;
/** @type {() => void} */
let pausing = () => {};

/** Watch `url`, a blob address that the page revokes to stop this run; "" ends the watch.
 * @param {string} url @param {() => void} [onPause]  called before each look */
export function watch(url, onPause = () => {}) {
  token = url;
  told = false;
  looked = performance.now();
  pausing = onPause;
}

/** Whether the page took the address back. */
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

/** Whether Stop was pressed; true once a run. @param {boolean} [now] */
function stopped(now = false) {
  if (!token || told) return false;
  const time = performance.now();
  if (!now && time - looked < LOOK_EVERY) return false;
  pausing();
  looked = time;
  told = revoked();
  return told;
}

/** What Pyodide takes for its interrupt buffer: reading the first item looks for Stop. */
export const interruptBuffer = {
  get 0() {
    return stopped() ? SIGINT : 0;
  },
  set 0(_value) {},
};

/** Memory to sleep on. A page may not share it without special headers, but a worker may wait on its own. */
const bed = (() => {
  try {
    return new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
  } catch {
    return null;
  }
})();

/** Wait `seconds`; returns whether Stop was pressed meanwhile. @param {number} seconds */
export function wait(seconds) {
  const end = performance.now() + seconds * 1000;
  for (let left = seconds * 1000; left > 0; left = end - performance.now()) {
    const pause = Math.min(left, LOOK_EVERY);
    if (stopped(pause >= LOOK_EVERY)) return true;
    if (bed) Atomics.wait(bed, 0, 0, pause);
    else for (const until = performance.now() + pause; performance.now() < until; );
  }
  return stopped();
}
