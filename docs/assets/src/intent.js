// The reader's intent to use a part of the page: starts loading what that part needs.

import { python } from "./python-client.js";

/** Pixels of an element, or the share of it if that is less, which count as the reader's having scrolled to it. */
const SEEN = { pixels: 200, share: 0.6 };

/** Call `start` once the reader points at, focuses, touches or, with `visible`, scrolls to `element`; returns a function
 * that ends this. @param {Element} element @param {() => void} start @param {{ visible?: boolean }} [options] */
export function onIntent(element, start, { visible = false } = {}) {
  const events = ["pointerenter", "focusin", "touchstart", "pointerdown"];
  const end = () => {
    for (const name of events) element.removeEventListener(name, fire);
    observer?.disconnect();
  };
  const fire = () => {
    end();
    start();
  };
  for (const name of events) element.addEventListener(name, fire, { passive: true });
  const thresholds = Array.from({ length: 21 }, (_, i) => i / 20);
  const observer = visible && !saveData() ? new IntersectionObserver((entries) => entries.some(seen) && fire(), { threshold: thresholds }) : null;
  observer?.observe(element);
  return end;
}

/** @param {IntersectionObserverEntry} entry */
function seen({ isIntersecting, intersectionRect, boundingClientRect }) {
  return isIntersecting && intersectionRect.height >= Math.min(SEEN.pixels, SEEN.share * boundingClientRect.height);
}

/** Call `start` once the page has loaded and nothing else is to do, unless the reader saves data; returns a function that
 * ends this. @param {() => void} start */
export function whenIdle(start) {
  if (saveData()) return () => {};
  let ended = false;
  const idle = self.requestIdleCallback ?? setTimeout;
  const begin = () => idle(() => ended || start());
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true });
  return () => void (ended = true);
}

/** Whether the browser is set to save data. */
function saveData() {
  return Boolean(/** @type {any} */ (navigator).connection?.saveData);
}

/** Start Python on intent; where a snapshot makes that free of downloads, as soon as the element is visible.
 * @param {Element} element */
export function warmOnIntent(element) {
  const warm = () => python.warm();
  const ends = [onIntent(element, warm)];
  let ended = false;
  void python.atHand().then((free) => free && !ended && ends.push(onIntent(element, warm, { visible: true })));
  return () => {
    ended = true;
    for (const end of ends) end();
  };
}
