// Service worker: caches one whole version of the book on the device; the next version replaces it, never mixes with it.

import { headers, route } from "./sw-route.js";

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
      for (const [path, digest] of Object.entries({ ...site.runtime, ...site.more })) {
        const data = await sound(await old.match(address(path)), digest);
        if (data) await cache.put(address(path), answer(path, data));
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
  const data = await sound(await same?.cache.match(address(path)), digest);
  await cache.put(address(path), answer(path, data ?? (await fetchVersion(address(path), digest))));
}

/** @param {string} path @param {ArrayBuffer} data */
const answer = (path, data) => new Response(data, { headers: headers(site, path) });

/** The bytes of a response, or null where they have another digest: code that ran in a page can write to its caches.
 * @param {Response | undefined} response @param {string} digest */
async function sound(response, digest) {
  const data = await response?.arrayBuffer();
  if (!data) return null;
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return btoa(String.fromCharCode(...sha256)) === digest ? data : null;
}

/** Fetch the file with this digest: an HTTP cache on the way may still hold another version's.
 * @param {string} url @param {string} digest @returns {Promise<ArrayBuffer>} */
async function fetchVersion(url, digest) {
  for (const cache of /** @type {RequestCache[]} */ (["default", "reload"])) {
    const response = await fetch(url, { cache });
    const data = response.ok ? await sound(response, digest) : null;
    if (data) return data;
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
  const cache = await caches.open(NAME);
  const cached = await cache.match(address(path));
  if (!cached) return fetch(request);
  const data = await sound(cached, site.shell[path]);
  if (data) return answer(path, data);
  const anew = await fetchVersion(address(path), site.shell[path]);
  await cache.put(address(path), answer(path, anew));
  return answer(path, anew);
}

/** @param {string} path @param {Request} request */
async function fromLazy(path, request) {
  const digest = site.runtime[path] ?? site.more[path];
  const cache = await caches.open(NAME);
  const data = await sound(await cache.match(address(path)), digest);
  if (data) return answer(path, data);
  const response = await fetch(request);
  if (!response.ok) return response;
  // The answer does not wait until all of it is here and is kept.
  sound(response.clone(), digest)
    .then((whole) => whole && cache.put(address(path), answer(path, whole)))
    .catch(() => {});
  return new Response(response.body, { headers: headers(site, path) });
}

/** A page this version does not have: the network's answer, else the error page. @param {Request} request */
async function missing(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const page = await (await caches.open(NAME)).match(address("404.html"));
    const data = await sound(page, site.shell["404.html"]);
    if (!data) throw error;
    return new Response(data, { status: 404, headers: headers(site, "404.html") });
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
  for (const [path, digest] of Object.entries(site.runtime)) {
    if (await cache.match(address(path))) continue;
    if (!fetchMissing) complete = false;
    else {
      await fetchVersion(address(path), digest)
        .then((data) => cache.put(address(path), answer(path, data)))
        .catch(() => (complete = false));
    }
  }
  return complete;
}
