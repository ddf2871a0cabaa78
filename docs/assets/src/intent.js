// Reader's intent: the moment to start loading what a part of the page will need.

import { python } from "./python-client.js";

/** Call `start` once the reader points at, focuses, touches or scrolls to `element`; returns what ends the watch.
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

/** Whether the reader asked the browser to spare data. */
function saveData() {
  return Boolean(/** @type {any} */ (navigator).connection?.saveData);
}

/** Start Python at the reader's intent; where it costs no download, to see the element is enough.
 * @param {Element} element */
export function warmOnIntent(element) {
  const warm = () => python.warm();
  const ends = [onIntent(element, warm)];
  let over = false;
  void python.atHand().then((kept) => kept && !over && ends.push(onIntent(element, warm, { visible: true })));
  return () => {
    over = true;
    for (const end of ends) end();
  };
}
