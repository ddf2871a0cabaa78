// The theme's search by keyboard: Tab leads past the field, and leaving the search closes it.

/** The theme blurs the field at Tab, after which WebKit starts over at the top of the page and never gets past it. */
export function keepPlaceInSearch() {
  document.addEventListener("keydown", (event) => event.key === "Tab" && search(event.target) && event.stopPropagation(), true);
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    const toggle = /** @type {HTMLInputElement | null} */ (document.getElementById("__search"));
    if (toggle?.checked && relatedTarget && search(target) && !search(relatedTarget)) toggle.click();
  });
}

/** @param {EventTarget | null} target */
const search = (target) => (target instanceof Element ? target.closest(".md-search") : null);
