// A snapshot of memory without its empty pages, which are more than half of it: less to keep, to read and to check.

const PAGE = 4096;

/** The length of `data`, how many of its pages are not all zero, their numbers, and those pages (4-byte numbers).
 * @param {Uint8Array} data @returns {Uint8Array} */
export function sparse(data) {
  const filled = [];
  for (let page = 0; page * PAGE < data.length; page += 1) {
    if (holds(data.subarray(page * PAGE, (page + 1) * PAGE))) filled.push(page);
  }
  const head = new Uint32Array([data.length, filled.length, ...filled]);
  const found = new Uint8Array(head.byteLength + filled.length * PAGE);
  found.set(new Uint8Array(head.buffer));
  let at = head.byteLength;
  for (const page of filled) {
    found.set(data.subarray(page * PAGE, (page + 1) * PAGE), at);
    at += PAGE;
  }
  return found;
}

/** What `sparse` was given. @param {Uint8Array} kept @returns {Uint8Array} */
export function dense(kept) {
  const [length, count] = new Uint32Array(kept.buffer, kept.byteOffset, 2);
  const filled = new Uint32Array(kept.buffer, kept.byteOffset + 8, count);
  // The last page may be longer than what is left of the data.
  const pages = new Uint8Array(Math.ceil(length / PAGE) * PAGE);
  let at = 8 + filled.byteLength;
  for (const page of filled) {
    pages.set(kept.subarray(at, at + PAGE), page * PAGE);
    at += PAGE;
  }
  return pages.subarray(0, length);
}

/** Whether a page has anything but zeros. @param {Uint8Array} page */
function holds(page) {
  const words = new Int32Array(page.buffer, page.byteOffset, page.byteLength >> 2);
  for (let i = 0; i < words.length; i += 1) if (words[i]) return true;
  return page.subarray(words.byteLength).some(Boolean);
}
