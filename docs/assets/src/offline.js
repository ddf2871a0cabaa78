// Offline reading: registers the service worker of a finished site, and says in the footer what is kept on the device.

import { python } from "./python-client.js";

/** The book's address: this script lies in its assets/dist. */
const root = new URL("../../", import.meta.url);

/** Milliseconds between a first visit's page and the download of the whole book. */
const QUIET_FOR = 3000;

/** `held`: the new edition waits for other tabs of the book.
 * @type {{ pages: boolean, python: boolean, update: boolean, held: boolean }} */
const kept = { pages: false, python: false, update: false, held: false };

/** Keep the book for offline reading. Whatever fails here leaves everything else as it is. */
export async function keepOffline() {
  if (!document.querySelector('meta[name="occusite-offline"]') || !("serviceWorker" in navigator)) return;
  try {
    await quiet();
    const registration = await navigator.serviceWorker.register(new URL("sw.js", root), { scope: root.pathname });
    if (registration.waiting && navigator.serviceWorker.controller) takeOver(registration.waiting);
    // The browser may have found an update before this script came.
    watch(registration.installing);
    registration.addEventListener("updatefound", () => watch(registration.installing));
    void registration.update().catch(() => {});
    await navigator.serviceWorker.ready;
    kept.pages = true;
    await askPython("what is kept?");
    python.subscribe(() => {
      if (python.state === "ready" && !kept.python) void askPython("keep Python");
      if (python.state === "failed") void registration.update().catch(() => {});
    });
    if (python.state === "ready") void askPython("keep Python");
    window.addEventListener("online", note);
    window.addEventListener("offline", note);
  } catch (error) {
    console.log("The book is not kept for offline reading.", error);
  }
}

/** Say it when a new edition is whole. @param {ServiceWorker | null} coming */
function watch(coming) {
  coming?.addEventListener("statechange", () => {
    kept.update = coming.state === "installed" && Boolean(navigator.serviceWorker.controller);
    note();
  });
}

/** Resolves some seconds after the page came, and not while Python loads: what the reader waits for goes first. */
async function quiet() {
  if (navigator.serviceWorker.controller) return;
  do await new Promise((resolve) => setTimeout(resolve, QUIET_FOR));
  while (python.state === "loading");
}

/** Let a new edition take over while the page opens, before the reader did anything in it; the page loads anew then.
 * The page before may still be on its way out, so the new edition is asked more than once.
 * @param {ServiceWorker} waiting */
function takeOver(waiting) {
  kept.update = true;
  let asks = 0;
  const reload = () => location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", reload);
  const timer = setInterval(() => {
    asks += 1;
    const untouched = python.state === "off" && !navigator.userActivation?.hasBeenActive;
    if (untouched && asks <= 6) return waiting.postMessage({ ask: "replace" });
    clearInterval(timer);
    navigator.serviceWorker.removeEventListener("controllerchange", reload);
    kept.held = untouched;
    note();
  }, 250);
}

/** @param {string} ask */
async function askPython(ask) {
  const { active } = await navigator.serviceWorker.ready;
  const channel = new MessageChannel();
  /** @type {Promise<boolean>} */
  const answer = new Promise((resolve) => (channel.port1.onmessage = ({ data }) => resolve(data.python)));
  active?.postMessage({ ask }, [channel.port2]);
  kept.python = await answer;
  note();
}

/** Say in the footer what is kept; called for each page. */
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
  if (kept.update && kept.held) return "A new edition of the book is here: close its other tabs, then reload.";
  if (kept.update) return "A new edition of the book is here: reload to read it.";
  if (!kept.pages) return "";
  if (!navigator.onLine) return kept.python ? "Offline: pages and Python come from this device." : "Offline: pages come from this device, Python is not on it yet.";
  return kept.python ? "Available offline, Python included." : "Available offline. Run a cell once to keep Python too.";
}
