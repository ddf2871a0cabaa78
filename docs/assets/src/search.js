// Keyboard in the theme's search: lets Tab move past the field, and closes the search when the focus leaves it.

/** Hide Tab from the theme, which blurs the field: WebKit would then restart at the top of the page. */
export function keepPlaceInSearch() {
  document.addEventListener("keydown", (event) => event.key === "Tab" && search(event.target) && event.stopPropagation(), true);
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    const toggle = /** @type {HTMLInputElement | null} */ (document.getElementById("__search"));
    if (toggle?.checked && relatedTarget && search(target) && !search(relatedTarget)) toggle.click();
  });
}

/** @param {EventTarget | null} target */
const search = (target) => (target instanceof Element ? target.closest(".md-search") : null);
