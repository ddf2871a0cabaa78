// Entry: attaches behaviour to each page, also after instant navigation, and detaches it when the reader leaves.

import { attachCells } from "./cells.js";
import { attachExercises } from "./exercises.js";
import { attachCharts } from "./figures.js";
import { attachPlayers } from "./player.js";
import { keepOffline, note } from "./offline.js";
import { python } from "./python-client.js";
import { keepPlaceInSearch } from "./search.js";
import { keepPageForSections } from "./sections.js";
import { attachWidgets } from "./widgets.js";

document.documentElement.dataset.python = "off";
document.documentElement.dataset.js = "on";

/** Detaches the previous page's behaviour. */
let leave = () => {};

function enter() {
  leave();
  const page = location.pathname;
  const ends = [attachCells(page), attachWidgets(page), attachExercises(page), attachCharts(), attachPlayers()];
  note();
  leave = () => {
    for (const end of ends) end();
    python.leave(page);
  };
}

keepPlaceInSearch();
keepPageForSections(window);

/** The theme emits each page here, the first one included. */
const pages = /** @type {any} */ (window).document$;
if (pages?.subscribe) pages.subscribe(enter);
else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enter);
else enter();

window.addEventListener("pagehide", () => python.rest());
window.addEventListener("pageshow", () => python.wake());

if (document.readyState === "complete") void keepOffline();
else window.addEventListener("load", () => void keepOffline());
