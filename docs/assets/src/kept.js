// Where Python's snapshot lies in this browser's Cache Storage: the worker puts it there, the page looks for it.

export const KEPT_IN = "occusite-python";

/** The worker's name holds the digest of all it loads, so it names the version. @param {URL} worker */
export const snapshotOf = (worker) => `${worker.origin}${worker.pathname}?snapshot`;
