// Plays and steps a slider: for controls flagged data-playable (values per second). Nothing starts by itself.

import { icon } from "./icons.js";

/** Give the page's playable sliders their buttons; returns what ends them. */
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
  let before = 0;
  /** Where play has come to, in fractions of a step. */
  let at = 0;

  /** @param {string} picture @param {string} label @param {() => void} act */
  function button(picture, label, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.innerHTML = icon(picture);
    made.setAttribute("aria-label", label);
    made.title = label;
    made.addEventListener("click", () => {
      if (made !== play) pause();
      act();
    });
    return made;
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
    // A value that runs is not read out at every step.
    output?.setAttribute("aria-live", playing ? "off" : "polite");
  }

  function start() {
    if (Number(input.value) >= high) set(low);
    at = Number(input.value);
    before = 0;
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
    // While Python loads, the picture could not follow.
    if (before && form?.dataset.state !== "loading") at += ((now - before) / 1000) * Number(input.dataset.playable);
    before = now;
    set(low + Math.floor((at - low) / step) * step);
    if (at >= high) pause();
    else frame = requestAnimationFrame(tick);
  }

  // The reader's hand on the slider, and a hidden page, end the play.
  const hand = () => frame && pause();
  const hidden = () => document.hidden && hand();
  // Who asked for less motion steps instead.
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
