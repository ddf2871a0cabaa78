// The reader's intent to use a part of the page: starts loading what that part needs.

import { python } from "./python-client.js";

/** Call `start` once the reader points at, focuses, touches or scrolls to `element`; returns a function that ends this.
 * @param {Element} element @param {() => void} start @param {{ visible?: boolean }} [options] */
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
  const observer = visible && !saveData() ? new IntersectionObserver((seen) => seen.some((e) => e.isIntersecting) && fire(), { threshold: 0.6 }) : null;
  observer?.observe(element);
  return end;
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
