// The service worker's choice: which file a request is for, and where its answer comes from. Pure, so that Node can test it.

/** The site's files, path to SHA-256: `shell` is cached at install, `runtime` is Python's own files, cached once a reader
 * has used Python, `more` is cached on its first request. `policy`: the Content Security Policy of Python's worker.
 * @typedef {{ version: string, shell: Record<string, string>, runtime: Record<string, string>,
 *   more: Record<string, string>, policy: string }} Site */

/** `shell` and `lazy`: the cached file at `path`, else the network; `lazy` then caches it. `redirect`: to the page's own
 * address, `path`. `missing`: the network, else the error page. `network`: the worker keeps out of it.
 * @typedef {{ from: "shell" | "lazy" | "redirect" | "missing" | "network", path: string }} Route */

/** @param {Site} site @param {string} scope  the worker's scope, with its final slash
 * @param {{ method: string, url: string, mode: string }} request @returns {Route} */
export function route(site, scope, { method, url, mode }) {
  if (method !== "GET" || !url.startsWith(scope)) return { from: "network", path: "" };
  let path = new URL(url).pathname.slice(new URL(scope).pathname.length);
  if (path === "" || path.endsWith("/")) path += "index.html";
  if (Object.hasOwn(site.shell, path)) return { from: "shell", path };
  if (Object.hasOwn(site.runtime, path) || Object.hasOwn(site.more, path)) return { from: "lazy", path };
  if (mode !== "navigate") return { from: "network", path };
  return Object.hasOwn(site.shell, `${path}/index.html`) ? { from: "redirect", path: `${path}/` } : { from: "missing", path };
}

/** The media types of the site's files by the end of their names. */
const TYPES = {
  html: "text/html; charset=utf-8", js: "text/javascript", mjs: "text/javascript", css: "text/css", json: "application/json",
  ipynb: "application/x-ipynb+json", svg: "image/svg+xml", png: "image/png", ico: "image/x-icon", woff2: "font/woff2",
  xml: "application/xml", txt: "text/plain; charset=utf-8", wasm: "application/wasm", zip: "application/zip", xz: "application/x-xz",
};

/** The headers of a kept file's answer. They are made here: what is cached on the device may have been changed by a page's code.
 * @param {Site} site @param {string} path @returns {Record<string, string>} */
export function headers(site, path) {
  const ending = /** @type {keyof typeof TYPES} */ (path.split(".").at(-1) ?? "");
  /** @type {Record<string, string>} The browser must ask the service worker each time: its HTTP cache may hold another version. */
  const made = { "Content-Type": TYPES[ending] ?? "application/octet-stream", "Cache-Control": "no-cache" };
  if (/(^|\/)python-worker-[^/]*\.js$/.test(path)) made["Content-Security-Policy"] = site.policy;
  return made;
}
