// Shows the signature of the call around the caret; Python finds it.

import { StateEffect, StateField } from "@codemirror/state";
import { showTooltip, ViewPlugin } from "@codemirror/view";

/** Milliseconds without a change before Python is asked. */
const IDLE = 150;

/** Milliseconds until a Python that was busy is asked again. */
const BUSY = 600;

/** @typedef {{ text: string, doc: string, at: number } | null} Signature */

/** @type {import("@codemirror/state").StateEffectType<Signature>} */
const setSignature = StateEffect.define();

const shown = StateField.define({
  create: () => /** @type {Signature} */ (null),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setSignature)) return effect.value;
    return value;
  },
  provide: (field) => showTooltip.from(field, (value) => value && { pos: value.at, above: true, create: () => ({ dom: element(value) }) }),
});

/** @param {NonNullable<Signature>} signature */
function element({ text, doc }) {
  const dom = document.createElement("div");
  dom.className = "occ-signature";
  const code = document.createElement("code");
  code.textContent = text;
  dom.append(code);
  if (doc) dom.append(document.createElement("br"), doc);
  return dom;
}

/** @param {import("./editor.js").Ask} ask */
export function signatures(ask) {
  const watcher = ViewPlugin.define((view) => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let ended = false;
    const look = async () => {
      const { state } = view;
      const before = state.sliceDoc(0, state.selection.main.head);
      const answer = before.includes("(") && view.hasFocus ? await ask("signature", state.doc.toString(), [...before].length) : null;
      // A change of text or caret asks anew; other transactions, such as a completion that closes, leave the answer true.
      if (ended || view.state.doc !== state.doc || !view.state.selection.eq(state.selection)) return;
      if (answer === undefined) {
        clearTimeout(timer);
        timer = setTimeout(() => void look(), BUSY);
        return;
      }
      // Python counts characters, the editor UTF-16 units.
      const value = answer && { ...answer, at: [...before].slice(0, answer.at).join("").length };
      if (value || view.state.field(shown)) view.dispatch({ effects: setSignature.of(value) });
    };
    return {
      update(update) {
        if (!update.docChanged && !update.selectionSet && !update.focusChanged) return;
        clearTimeout(timer);
        timer = setTimeout(() => void look(), IDLE);
      },
      destroy() {
        ended = true;
        clearTimeout(timer);
      },
    };
  });
  return [shown, watcher];
}
