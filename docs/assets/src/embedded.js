// Reads the data that the build embeds in templates: on navigation the theme would run a script element.

/** The text of the template `selector` finds in `box`, or "". @param {ParentNode} box @param {string} selector */
export function embedded(box, selector) {
  return /** @type {HTMLTemplateElement | null} */ (box.querySelector(selector))?.content.textContent ?? "";
}
