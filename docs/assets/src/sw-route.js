// The service worker's choice: which file a request is for, and where its answer comes from. Pure, so that Node can test it.

/** The site's files: `shell` (path to SHA-256) is cached at install, `runtime` is Python's own files, cached once a reader
 * has used Python, `more` is cached on its first request.
 * @typedef {{ version: string, shell: Record<string, string>, runtime: string[], more: string[] }} Site */

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
  if (site.runtime.includes(path) || site.more.includes(path)) return { from: "lazy", path };
  if (mode !== "navigate") return { from: "network", path };
  return Object.hasOwn(site.shell, `${path}/index.html`) ? { from: "redirect", path: `${path}/` } : { from: "missing", path };
}
