// Section links within the page: stops the theme from fetching the page again at the first one, which would lose outputs.

/** Keep the page, and the widgets' state in its URL, while the reader moves within it. The theme knows which page is shown,
 * and scrolls within it, only after its first navigation; until then this module does both.
 * @param {any} theme  the window, where the theme puts its streams */
export function keepPageForSections({ document$, location$ }) {
  if (!document$?.subscribe || !location$?.subscribe) return;
  const shown = location.pathname;
  let pages = 0;
  let synced = false;
  /** @type {string | undefined} */
  let lastHash;

  const syncTheme = () => {
    if (synced || pages > 1 || location.pathname !== shown) return;
    // The theme requests the page at once. Leave the request unsent, so that no response replaces the page.
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = () => {};
    location$.next(new URL(shown, location.origin));
    XMLHttpRequest.prototype.send = send;
    synced = true;
  };
  window.addEventListener("popstate", syncTheme, true);
  // Chromium calls a window's listeners in the order of registration, the theme's first.
  /** @type {any} */ (window).navigation?.addEventListener("navigate", (/** @type {any} */ { destination, navigationType }) => {
    if (navigationType !== "replace" && destination.sameDocument && new URL(destination.url).pathname === shown) syncTheme();
  });
  window.addEventListener(
    "click",
    ({ target }) => {
      const link = target instanceof Element && target.closest("a");
      if (!link || link.origin + link.pathname !== location.origin + location.pathname) return;
      syncTheme();
      keepState(link);
    },
    true,
  );

  document$.subscribe(() => (pages += 1));
  location$.subscribe((/** @type {URL} */ { pathname, hash }) => {
    if (!synced || pages > 1 || pathname !== shown || hash === lastHash) return;
    lastHash = hash;
    if (history.state || !hash) return window.scrollTo(0, history.state?.y ?? 0);
    // Click a link: that also makes the section the document's :target.
    const link = document.createElement("a");
    link.href = hash;
    link.click();
  });
}

/** Add the widgets' state, which the page's URL has, to the link for this click. @param {HTMLAnchorElement} link */
function keepState(link) {
  const state = new URLSearchParams(location.search);
  state.delete("h"); // the search's highlight
  for (const [name, value] of new URLSearchParams(link.search)) state.set(name, value);
  const href = link.getAttribute("href") ?? "";
  link.search = String(state);
  setTimeout(() => link.setAttribute("href", href));
}
