// Plays and steps sliders that carry data-playable (values per second). Nothing starts by itself.

import { icon } from "./icons.js";

/** Add buttons to the page's playable sliders; returns a function that removes them. */
export function attachPlayers() {
  const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[type=range][data-playable]"));
  const ends = [...inputs].map(player);
  return () => ends.forEach((end) => end());
}

/** @param {HTMLInputElement} input */
function player(input) {
  const [low, high, step] = [input.min, input.max, input.step].map(Number);
  const form = input.form;
  const output = form?.querySelector(`output[for="${input.id}"]`);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const name = input.labels?.[0]?.textContent ?? input.name;

  const box = document.createElement("div");
  box.className = "occ-player";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", name);
  const back = button("back", `${name}: one back`, () => set(Number(input.value) - step));
  const play = button("run", "Play", () => (frame ? pause() : start()));
  const forward = button("forward", `${name}: one forward`, () => set(Number(input.value) + step));
  box.append(back, play, forward);
  input.parentElement?.append(box);

  let frame = 0;
  let lastTick = 0;
  /** The played value, not rounded to a step. */
  let at = 0;

  /** @param {string} picture @param {string} label @param {() => void} act */
  function button(picture, label, act) {
    const node = document.createElement("button");
    node.type = "button";
    node.innerHTML = icon(picture);
    node.setAttribute("aria-label", label);
    node.title = label;
    node.addEventListener("click", () => {
      if (node !== play) pause();
      act();
    });
    return node;
  }

  /** @param {number} value */
  function set(value) {
    const text = String(Math.min(high, Math.max(low, value)));
    if (text === input.value) return;
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {boolean} playing */
  function show(playing) {
    play.innerHTML = icon(playing ? "pause" : "run");
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
    play.title = playing ? "Pause" : "Play";
    // Do not announce every value while playing.
    output?.setAttribute("aria-live", playing ? "off" : "polite");
  }

  function start() {
    if (Number(input.value) >= high) set(low);
    at = Number(input.value);
    lastTick = 0;
    show(true);
    frame = requestAnimationFrame(tick);
  }

  function pause() {
    cancelAnimationFrame(frame);
    frame = 0;
    show(false);
  }

  /** @param {number} now */
  function tick(now) {
    // Wait while Python loads: the picture could not follow.
    if (lastTick && form?.dataset.state !== "loading") at += ((now - lastTick) / 1000) * Number(input.dataset.playable);
    lastTick = now;
    set(low + Math.floor((at - low) / step) * step);
    if (at >= high) pause();
    else frame = requestAnimationFrame(tick);
  }

  // The reader's input, and a hidden page, pause.
  const hand = () => frame && pause();
  const hidden = () => document.hidden && hand();
  // With reduced motion, only the step buttons remain.
  const respect = () => {
    if (calm.matches) pause();
    play.hidden = calm.matches;
  };
  input.addEventListener("pointerdown", hand);
  input.addEventListener("keydown", hand);
  document.addEventListener("visibilitychange", hidden);
  calm.addEventListener("change", respect);
  respect();

  return () => {
    pause();
    input.removeEventListener("pointerdown", hand);
    input.removeEventListener("keydown", hand);
    document.removeEventListener("visibilitychange", hidden);
    calm.removeEventListener("change", respect);
    box.remove();
  };
}
