// Links to sections of the page shown: the theme would fetch the page anew at the first of them, and outputs would be lost.

/** Keep the page, and the state in its address, while the reader moves within it. The theme learns which page is shown, and
 * begins to scroll within it, only when it has turned one; what it misses before is done here.
 * @param {any} theme  the window, where the theme puts its streams */
export function keepPageForSections({ document$, location$ }) {
  if (!document$?.subscribe || !location$?.subscribe) return;
  const shown = location.pathname;
  let pages = 0;
  let told = false;
  /** @type {string | undefined} */
  let at;

  const tell = () => {
    if (told || pages > 1 || location.pathname !== shown) return;
    // The theme asks for the page at once. The request is left unsent, so its answer never takes the page's place.
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = () => {};
    location$.next(new URL(shown, location.origin));
    XMLHttpRequest.prototype.send = send;
    told = true;
  };
  window.addEventListener("popstate", tell, true);
  // Chromium calls the listeners of a window in the order they came, the theme's first.
  /** @type {any} */ (window).navigation?.addEventListener("navigate", (/** @type {any} */ { destination, navigationType }) => {
    if (navigationType !== "replace" && destination.sameDocument && new URL(destination.url).pathname === shown) tell();
  });
  window.addEventListener(
    "click",
    ({ target }) => {
      const link = target instanceof Element && target.closest("a");
      if (!link || link.origin + link.pathname !== location.origin + location.pathname) return;
      tell();
      keepState(link);
    },
    true,
  );

  document$.subscribe(() => (pages += 1));
  location$.subscribe((/** @type {URL} */ { pathname, hash }) => {
    if (!told || pages > 1 || pathname !== shown || hash === at) return;
    at = hash;
    if (history.state || !hash) return window.scrollTo(0, history.state?.y ?? 0);
    // By a link, which makes the section the address's target too.
    const link = document.createElement("a");
    link.href = hash;
    link.click();
  });
}

/** Let this click carry the widgets' state along, which the address has and the link has not. @param {HTMLAnchorElement} link */
function keepState(link) {
  const state = new URLSearchParams(location.search);
  state.delete("h"); // what the reader searched for
  for (const [name, value] of new URLSearchParams(link.search)) state.set(name, value);
  const href = link.getAttribute("href") ?? "";
  link.search = String(state);
  setTimeout(() => link.setAttribute("href", href));
}
