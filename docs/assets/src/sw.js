// Service worker: caches one whole version of the book on the device; the next version replaces it, never mixes with it.

import { route } from "./sw-route.js";

/** What occusite.book.build.deploy lists of the site. @type {import("./sw-route.js").Site} */
const site = __SITE__;

const worker = /** @type {any} */ (self);
/** @type {string} */
const scope = worker.registration.scope;
// Another book of the same origin has caches too.
const PREFIX = `occusite-book:${new URL(scope).pathname}:`;
const NAME = PREFIX + site.version;
const MANIFEST = "manifest.json";

/** @param {string} path */
const address = (path) => new URL(path, scope).href;

/** Cache this version's pages and scripts; files that did not change come from the version before. */
async function fill() {
  const earlier = await earlierVersions();
  const cache = await caches.open(NAME);
  try {
    const paths = Object.keys(site.shell);
    while (paths.length) await Promise.all(paths.splice(0, 8).map((path) => fillOne(cache, path, earlier)));
    for (const { cache: old } of earlier) {
      for (const path of [...site.runtime, ...site.more]) {
        const response = await old.match(address(path));
        if (response) await cache.put(address(path), response);
      }
    }
    await cache.put(address(MANIFEST), new Response(JSON.stringify(site.shell)));
  } catch (error) {
    await caches.delete(NAME);
    throw error;
  }
}

/** The versions cached before, each with its manifest. */
async function earlierVersions() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  return Promise.all(
    names.map(async (name) => {
      const cache = await caches.open(name);
      const manifest = await cache.match(address(MANIFEST));
      return { cache, shell: /** @type {Record<string, string>} */ (manifest ? await manifest.json() : {}) };
    }),
  );
}

/** @param {Cache} cache @param {string} path @param {Awaited<ReturnType<typeof earlierVersions>>} earlier */
async function fillOne(cache, path, earlier) {
  const digest = site.shell[path];
  const same = earlier.find(({ shell }) => shell[path] === digest);
  const response = await same?.cache.match(address(path));
  await cache.put(address(path), response ?? (await fetchVersion(address(path), digest)));
}

/** Fetch the file with this digest: an HTTP cache on the way may still hold another version's.
 * @param {string} url @param {string} digest @returns {Promise<Response>} */
async function fetchVersion(url, digest) {
  for (const cache of /** @type {RequestCache[]} */ (["default", "reload"])) {
    const response = await fetch(url, { cache });
    const data = await response.arrayBuffer();
    const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    if (!response.ok || btoa(String.fromCharCode(...sha256)) !== digest) continue;
    // The browser must ask this worker each time: its HTTP cache may hold another version.
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
  const { from, path } = route(site, scope, request);
  if (from === "shell") event.respondWith(fromShell(path, request));
  else if (from === "lazy") event.respondWith(fromLazy(path, request));
  else if (from === "redirect") event.respondWith(Response.redirect(address(path)));
  else if (from === "missing") event.respondWith(missing(request));
});

/** @param {string} path @param {Request} request */
async function fromShell(path, request) {
  return (await (await caches.open(NAME)).match(address(path))) ?? fetch(request);
}

/** @param {string} path @param {Request} request */
async function fromLazy(path, request) {
  const cache = await caches.open(NAME);
  const cached = await cache.match(address(path));
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) cache.put(address(path), response.clone()).catch(() => {});
  return response;
}

/** A page this version does not have: the network's answer, else the error page. @param {Request} request */
async function missing(request) {
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
  else event.waitUntil(cacheRuntime(ask === "keep Python").then((python) => event.ports[0]?.postMessage({ python })));
});

/** Replace the version before, when the page that asks is the only one open. */
async function replace() {
  const open = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const readers = open.filter((/** @type {{ url: string }} */ { url }) => url.startsWith(scope));
  if (readers.length <= 1) await worker.skipWaiting();
}

/** Whether all of Python is cached, after fetching what is missing when `fetchMissing`. @param {boolean} fetchMissing */
async function cacheRuntime(fetchMissing) {
  const cache = await caches.open(NAME);
  let complete = true;
  for (const path of site.runtime) {
    if (await cache.match(address(path))) continue;
    if (fetchMissing) await cache.add(address(path)).catch(() => (complete = false));
    else complete = false;
  }
  return complete;
}
