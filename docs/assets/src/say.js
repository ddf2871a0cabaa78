// Status lines: a screen reader announces changed words; the figures beside them are only seen.

/** @param {Element | null | undefined} line @param {string} words @param {string} [figures] */
export function say(line, words, figures = "") {
  if (!line) return;
  const [text, detail] = line.childNodes;
  const same = line.childNodes.length === 2 && text instanceof Text && detail instanceof HTMLElement && text.data === words;
  if (same) {
    if (detail.textContent !== figures) detail.textContent = figures;
    return;
  }
  const seen = document.createElement("span");
  seen.setAttribute("aria-hidden", "true");
  seen.textContent = figures;
  line.replaceChildren(words, seen);
}
