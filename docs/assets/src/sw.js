// Service worker: keeps one whole version of the book on the device; the next version replaces it, never mixes with it.

/** What occusite.book.build.deploy found in the site: `shell` is kept at once (path to SHA-256), `runtime` is Python's own
 * files, kept once a reader has used Python, `more` is kept when asked for.
 * @type {{ version: string, shell: Record<string, string>, runtime: string[], more: string[] }} */
const site = __SITE__;

const worker = /** @type {any} */ (self);
/** @type {string} */
const scope = worker.registration.scope;
// Other books of the same origin keep their versions too.
const PREFIX = `occusite-book:${new URL(scope).pathname}:`;
const NAME = PREFIX + site.version;
const MANIFEST = "manifest.json";
const later = new Set([...site.runtime, ...site.more]);

/** @param {string} path */
const address = (path) => new URL(path, scope).href;

/** Fetch this version's pages and scripts; what did not change comes from the version before. */
async function fill() {
  const earlier = await versions();
  const cache = await caches.open(NAME);
  try {
    const paths = Object.keys(site.shell);
    while (paths.length) await Promise.all(paths.splice(0, 8).map((path) => keep(cache, path, earlier)));
    for (const { cache: old } of earlier) {
      for (const path of later) {
        const kept = await old.match(address(path));
        if (kept) await cache.put(address(path), kept);
      }
    }
    await cache.put(address(MANIFEST), new Response(JSON.stringify(site.shell)));
  } catch (error) {
    await caches.delete(NAME);
    throw error;
  }
}

/** The versions kept before, with what they hold. */
async function versions() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  return Promise.all(
    names.map(async (name) => {
      const cache = await caches.open(name);
      const manifest = await cache.match(address(MANIFEST));
      return { cache, shell: /** @type {Record<string, string>} */ (manifest ? await manifest.json() : {}) };
    }),
  );
}

/** @param {Cache} cache @param {string} path @param {Awaited<ReturnType<typeof versions>>} earlier */
async function keep(cache, path, earlier) {
  const digest = site.shell[path];
  const same = earlier.find(({ shell }) => shell[path] === digest);
  const kept = await same?.cache.match(address(path));
  await cache.put(address(path), kept ?? (await checked(address(path), digest)));
}

/** The file of this version: a cache on the way may still hold that of another.
 * @param {string} url @param {string} digest @returns {Promise<Response>} */
async function checked(url, digest) {
  for (const cache of /** @type {RequestCache[]} */ (["default", "reload"])) {
    const response = await fetch(url, { cache });
    const data = await response.arrayBuffer();
    const found = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    if (!response.ok || btoa(String.fromCharCode(...found)) !== digest) continue;
    // The browser must ask here each time: what it keeps of its own may be of another version.
    return new Response(data, { headers: { "Content-Type": response.headers.get("Content-Type") ?? "", "Cache-Control": "no-cache" } });
  }
  throw new Error(`${url} is not the file this version was built with`);
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(fill()));

worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  let path = new URL(request.url).pathname.slice(new URL(scope).pathname.length);
  if (path === "" || path.endsWith("/")) path += "index.html";
  if (path in site.shell) event.respondWith(fromShell(path, request));
  else if (later.has(path)) event.respondWith(fromLater(path, request));
  else if (request.mode === "navigate") event.respondWith(elsewhere(path, request));
});

/** @param {string} path @param {Request} request */
async function fromShell(path, request) {
  return (await (await caches.open(NAME)).match(address(path))) ?? fetch(request);
}

/** @param {string} path @param {Request} request */
async function fromLater(path, request) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(address(path));
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) cache.put(address(path), response.clone()).catch(() => {});
  return response;
}

/** A page this version does not have. @param {string} path @param {Request} request */
async function elsewhere(path, request) {
  if (`${path}/index.html` in site.shell) return Response.redirect(address(`${path}/`));
  try {
    return await fetch(request);
  } catch (error) {
    const page = await (await caches.open(NAME)).match(address("404.html"));
    if (!page) throw error;
    return new Response(page.body, { status: 404, headers: page.headers });
  }
}

worker.addEventListener("message", (/** @type {any} */ event) => {
  const { ask } = event.data;
  if (ask === "replace") event.waitUntil(replace());
  else event.waitUntil(keepRuntime(ask === "keep Python").then((python) => event.ports[0]?.postMessage({ python })));
});

/** Take over from the version before, when the page that asks is the only one open. */
async function replace() {
  const open = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const readers = open.filter((/** @type {{ url: string }} */ { url }) => url.startsWith(scope));
  if (readers.length <= 1) await worker.skipWaiting();
}

/** Whether all of Python is here, after fetching what is missing when `fill` says so. @param {boolean} fill */
async function keepRuntime(fill) {
  const cache = await caches.open(NAME);
  let all = true;
  for (const path of site.runtime) {
    if (await cache.match(address(path))) continue;
    if (fill) await cache.add(address(path)).catch(() => (all = false));
    else all = false;
  }
  return all;
}
