// Share links: a cell's source, compressed into the address's fragment, so that no server sees it.

/** Longer addresses are cut by some mail and chat programs. */
export const LINK_LIMIT = 8000;

/** @param {string} text @returns {Promise<string>} base64url of the deflated text */
export async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} packed @returns {Promise<string>} */
export async function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/** The address that opens this page with `source` in cell `cell`. @param {string} cell @param {string} source */
export async function link(cell, source) {
  const url = new URL(location.href);
  url.hash = `cell-${cell}=${await pack(source)}`;
  return url.href;
}

/** The cell and source that a share link carries, or null; no source where the link is damaged.
 * @returns {Promise<{ cell: string, source: string | null } | null>} */
export async function shared() {
  const match = /^#cell-(\d+)=(.*)$/.exec(location.hash);
  if (!match) return null;
  return { cell: match[1], source: await unpack(match[2]).catch(() => null) };
}
