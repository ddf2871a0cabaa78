// The code editor: CodeMirror, loaded on intent, in the page's colours.

import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { signatures } from "./signatures.js";

/** Material's own names for the colours of code, so that an editor looks like the page it replaces. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--md-code-hl-keyword-color)" },
  { tag: [tags.bool, tags.null, tags.self], color: "var(--md-code-hl-constant-color)" },
  { tag: tags.number, color: "var(--md-code-hl-number-color)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--md-code-hl-string-color)" },
  { tag: tags.comment, color: "var(--md-code-hl-comment-color)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--md-code-hl-function-color)" },
  { tag: [tags.operator, tags.derefOperator, tags.compareOperator], color: "var(--md-code-hl-operator-color)" },
  { tag: [tags.punctuation, tags.bracket, tags.separator], color: "var(--md-code-hl-punctuation-color)" },
  { tag: tags.meta, color: "var(--md-code-hl-special-color)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--md-code-fg-color)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflow: "auto" },
  ".cm-content": { caretColor: "var(--md-code-fg-color)", padding: "0" },
  ".cm-cursor": { borderLeftColor: "var(--md-code-fg-color)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--md-default-fg-color--light)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--md-code-hl-color--light)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--md-default-bg-color)",
    border: "1px solid var(--md-default-fg-color--lighter)",
    borderRadius: "0.2rem",
    color: "var(--md-default-fg-color)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "inherit", margin: "0" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { margin: "0", padding: "0.15rem 0.5rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--md-accent-fg-color)",
    color: "var(--md-accent-bg-color)",
  },
  ".cm-tooltip.occ-signature code": { background: "none", padding: "0" },
  ".cm-tooltip.occ-signature": { padding: "0.3rem 0.6rem", maxWidth: "36rem" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--md-code-hl-color--light)", outline: "none" },
});

/** @typedef {(what: "complete" | "signature", source: string, at: number) => Promise<any>} Ask  help from Python
 * @typedef {{ source: string, label: string, onChange: (source: string) => void, onRun: () => void, ask?: Ask }} Options */

/** Completions by Python, from the page's own variables. @param {Ask} ask @returns {import("@codemirror/autocomplete").CompletionSource} */
const completions = (ask) => async (context) => {
  if (!context.explicit && !context.matchBefore(/[\w.]$/)) return null;
  const before = context.state.sliceDoc(0, context.pos);
  // Python counts characters, the editor UTF-16 units.
  const at = [...before].length;
  const answer = await ask("complete", context.state.doc.toString(), at);
  if (!answer?.options.length) return null;
  return { from: context.pos - (at - answer.from), options: answer.options, validFor: /^\w*$/ };
};

/** Put an editor into `parent`.
 * @param {HTMLElement} parent @param {Options} options */
export function open(parent, { source, label, onChange, onRun, ask }) {
  const run = () => {
    onRun();
    return true;
  };
  // After Escape, Tab moves the focus out instead of indenting.
  let leaving = false;
  const keys = keymap.of([
    { key: "Shift-Enter", run },
    { key: "Mod-Enter", run },
    { key: "Ctrl-Enter", run },
    {
      key: "Escape",
      run: () => {
        leaving = true;
        return false;
      },
    },
    {
      any: (view, event) => {
        if (event.key === "Escape" || event.key === "Shift") return false;
        const leave = leaving && event.key === "Tab";
        leaving = false;
        if (leave) view.setTabFocusMode(500);
        return false;
      },
    },
  ]);
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: source,
      extensions: [
        Prec.highest(keys),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        bracketMatching(),
        closeBrackets(),
        lineNumbers(),
        python(),
        autocompletion({ override: ask ? [completions(ask)] : [], icons: false }),
        ask ? signatures(ask) : [],
        syntaxHighlighting(colours),
        look,
        EditorView.contentAttributes.of({ "aria-label": label, autocapitalize: "off", spellcheck: "false" }),
        keymap.of([{ key: "Tab", run: acceptCompletion }, ...completionKeymap, ...closeBracketsKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap]),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
      ],
    }),
  });
  return {
    focus: () => view.focus(),
    /** @param {number} x @param {number} y  client coordinates of the click that opened the editor */
    caretAt(x, y) {
      const at = view.posAtCoords({ x, y }, false);
      view.dispatch({ selection: { anchor: at } });
    },
    /** @param {string} text */
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    end: () => view.destroy(),
  };
}
