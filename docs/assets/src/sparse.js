// Packs a memory snapshot without its all-zero pages, which are more than half of it: fewer bytes to store, read and check.

const PAGE = 4096;

/** Pack `memory`: its length, the count of its non-zero pages and their numbers (4 bytes each), then those pages.
 * @param {Uint8Array} memory @returns {Uint8Array} */
export function sparse(memory) {
  const pages = [];
  for (let page = 0; page * PAGE < memory.length; page += 1) {
    if (hasData(memory.subarray(page * PAGE, (page + 1) * PAGE))) pages.push(page);
  }
  const head = new Uint32Array([memory.length, pages.length, ...pages]);
  const packed = new Uint8Array(head.byteLength + pages.length * PAGE);
  packed.set(new Uint8Array(head.buffer));
  let at = head.byteLength;
  for (const page of pages) {
    packed.set(memory.subarray(page * PAGE, (page + 1) * PAGE), at);
    at += PAGE;
  }
  return packed;
}

/** Unpack what `sparse` packed. @param {Uint8Array} packed @returns {Uint8Array} */
export function dense(packed) {
  const [length, count] = new Uint32Array(packed.buffer, packed.byteOffset, 2);
  const pages = new Uint32Array(packed.buffer, packed.byteOffset + 8, count);
  // A whole number of pages: the last page may reach beyond the memory's end.
  const memory = new Uint8Array(Math.ceil(length / PAGE) * PAGE);
  let at = 8 + pages.byteLength;
  for (const page of pages) {
    memory.set(packed.subarray(at, at + PAGE), page * PAGE);
    at += PAGE;
  }
  return memory.subarray(0, length);
}

/** Whether a page has a byte other than zero. @param {Uint8Array} page */
function hasData(page) {
  const words = new Int32Array(page.buffer, page.byteOffset, page.byteLength >> 2);
  for (let i = 0; i < words.length; i += 1) if (words[i]) return true;
  return page.subarray(words.byteLength).some(Boolean);
}
