// Keys in this browser's Cache Storage under which the worker stores Python's snapshot, and the page looks for it.

export const CACHE_NAME = "occusite-python";

export const CHECKSUM_HEADER = "X-Checksum";

/** The snapshot's key. The worker's file name holds the digest of all it loads, so it names the version.
 * @param {URL} worker */
export const snapshotUrl = (worker) => `${worker.origin}${worker.pathname}?snapshot`;
