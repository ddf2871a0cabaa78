// Links to sections of the page shown: the theme would fetch the page anew at the first of them, and outputs would be lost.

/** Keep the page that was loaded while the reader moves within it. The theme learns which page is shown, and begins to scroll
 * within it, only when it has turned one; what it misses before is done here. @param {any} theme  the window, where the theme
 * puts its streams */
export function keepPageForSections({ document$, location$ }) {
  if (!document$?.subscribe || !location$?.subscribe) return;
  const shown = location.pathname;
  let pages = 0;
  let told = false;
  /** @type {string | undefined} */
  let at;

  /** @param {string | undefined} path  of the page that a reader is about to ask for */
  const tell = (path) => {
    if (told || pages > 1 || path !== shown) return;
    // The theme asks for the page at once. The request is left unsent, so its answer never takes the page's place.
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = () => {};
    location$.next(new URL(shown, location.origin));
    XMLHttpRequest.prototype.send = send;
    told = true;
  };
  document.addEventListener("click", ({ target }) => target instanceof Element && tell(target.closest("a")?.pathname), true);
  window.addEventListener("popstate", () => tell(location.pathname), true);

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
