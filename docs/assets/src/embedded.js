// Data that the build left in the page, as text in a template: the theme would run a script element on navigation.

/** The text of the template `selector` finds in `box`, or "". @param {ParentNode} box @param {string} selector */
export function embedded(box, selector) {
  return /** @type {HTMLTemplateElement | null} */ (box.querySelector(selector))?.content.textContent ?? "";
}
