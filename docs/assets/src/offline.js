// Offline reading: registers the service worker of a deployed site, and shows in the footer what the device has cached.

import { python } from "./python-client.js";

/** The book's URL: this script is in its assets/dist. */
const root = new URL("../../", import.meta.url);

/** Milliseconds between a first visit's page load and the download of the whole book. */
const QUIET_FOR = 3000;

/** Whether the device has cached the pages, and Python; whether there is a new edition, `held` while other tabs are open.
 * @type {{ pages: boolean, python: boolean, update: boolean, held: boolean }} */
const cached = { pages: false, python: false, update: false, held: false };

/** Cache the book for offline reading; a failure affects nothing else. */
export async function keepOffline() {
  if (!document.querySelector('meta[name="occusite-offline"]') || !("serviceWorker" in navigator)) return;
  try {
    await quiet();
    const registration = await navigator.serviceWorker.register(new URL("sw.js", root), { scope: root.pathname });
    if (registration.waiting && navigator.serviceWorker.controller) takeOver(registration.waiting);
    // The browser may have found an update before this script ran.
    watch(registration.installing);
    registration.addEventListener("updatefound", () => watch(registration.installing));
    void registration.update().catch(() => {});
    await navigator.serviceWorker.ready;
    cached.pages = true;
    await askPython("what is kept?");
    python.subscribe(() => {
      if (python.state === "ready" && !cached.python) void askPython("keep Python");
      if (python.state === "failed") void registration.update().catch(() => {});
    });
    if (python.state === "ready") void askPython("keep Python");
    window.addEventListener("online", note);
    window.addEventListener("offline", note);
  } catch (error) {
    console.log("The book is not kept for offline reading.", error);
  }
}

/** Note when a new edition has been installed. @param {ServiceWorker | null} installing */
function watch(installing) {
  installing?.addEventListener("statechange", () => {
    cached.update = installing.state === "installed" && Boolean(navigator.serviceWorker.controller);
    note();
  });
}

/** Resolves some seconds after the page loaded, and once Python does not load: downloads the reader waits for go first. */
async function quiet() {
  if (navigator.serviceWorker.controller) return;
  do await new Promise((resolve) => setTimeout(resolve, QUIET_FOR));
  while (python.state === "loading");
}

/** Activate a new edition and reload, unless the reader has already acted on the page. The previous page may still be
 * closing, so the new edition is asked more than once.
 * @param {ServiceWorker} waiting */
function takeOver(waiting) {
  cached.update = true;
  let asks = 0;
  const reload = () => location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", reload);
  const timer = setInterval(() => {
    asks += 1;
    const untouched = python.state === "off" && !navigator.userActivation?.hasBeenActive;
    if (untouched && asks <= 6) return waiting.postMessage({ ask: "replace" });
    clearInterval(timer);
    navigator.serviceWorker.removeEventListener("controllerchange", reload);
    cached.held = untouched;
    note();
  }, 250);
}

/** Ask the service worker whether it has cached Python; "keep Python" makes it do so. @param {string} ask */
async function askPython(ask) {
  const { active } = await navigator.serviceWorker.ready;
  const channel = new MessageChannel();
  /** @type {Promise<boolean>} */
  const answer = new Promise((resolve) => (channel.port1.onmessage = ({ data }) => resolve(data.python)));
  active?.postMessage({ ask }, [channel.port2]);
  cached.python = await answer;
  note();
}

/** Show in the footer what is cached; called for each page. */
export function note() {
  const footer = document.querySelector(".md-footer-meta__inner");
  if (!footer) return;
  let line = footer.querySelector(".occ-offline");
  if (!line) {
    line = document.createElement("p");
    line.className = "occ-offline";
    line.setAttribute("role", "status");
    footer.append(line);
  }
  const text = sentence();
  if (line.textContent !== text) line.textContent = text;
}

function sentence() {
  if (cached.update && cached.held) return "A new edition of the book is here: close its other tabs, then reload.";
  if (cached.update) return "A new edition of the book is here: reload to read it.";
  if (!cached.pages) return "";
  if (!navigator.onLine) return cached.python ? "Offline: pages and Python come from this device." : "Offline: pages come from this device, Python is not on it yet.";
  return cached.python ? "Available offline, Python included." : "Available offline. Run a cell once to keep Python too.";
}
