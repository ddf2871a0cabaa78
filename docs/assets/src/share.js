// Share links: a cell's source, deflated, in the URL's fragment, which no server sees.

/** Some mail and chat programs cut longer URLs. */
export const LINK_LIMIT = 8000;

/** @param {string} text @returns {Promise<string>} base64url of the deflated text */
export async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Unpack what `pack` packed; rejects when it is damaged. @param {string} packed @returns {Promise<string>} */
export async function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/** The URL that opens the page `address` with `source` in cell `cell`.
 * @param {string} address @param {string} cell @param {string} source */
export async function link(address, cell, source) {
  const url = new URL(address);
  url.hash = `cell-${cell}=${await pack(source)}`;
  return url.href;
}

/** The cell and source that a fragment carries, or null when it is no share link; `source` is null when it is damaged.
 * @param {string} hash @returns {Promise<{ cell: string, source: string | null } | null>} */
export async function shared(hash) {
  const match = /^#cell-(\d+)=(.*)$/.exec(hash);
  if (!match) return null;
  return { cell: match[1], source: await unpack(match[2]).catch(() => null) };
}
