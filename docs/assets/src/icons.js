// Icons of the toolbar: small line drawings that take the text's colour.

/** @type {Record<string, string>} */
const PATHS = {
  run: '<path d="M7 4.5v15l12.5-7.5z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" fill="currentColor" stroke="none"/>',
  back: '<path d="M18 5.5v13L8.5 12z" fill="currentColor" stroke="none"/><path d="M6 6v12"/>',
  forward: '<path d="M6 5.5v13l9.5-6.5z" fill="currentColor" stroke="none"/><path d="M18 6v12"/>',
  stop: '<rect x="6" y="6" width="12" height="12" rx="1.5" fill="currentColor" stroke="none"/>',
  above: '<path d="M5 4h14M12 20V9M7 13.5 12 8.5l5 5"/>',
  all: '<path d="M5 5v14l8-7zM12 5v14l8-7z" fill="currentColor" stroke="none"/>',
  restart: '<path d="M20 5v5h-5M19.4 10A8 8 0 1 0 20 13"/>',
  edit: '<path d="M4 20h4L19 9l-4-4L4 16z"/>',
  reset: '<path d="M4 5v5h5M4.6 10A8 8 0 1 1 4 13"/>',
  copy: '<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>',
  share: '<path d="M9.5 14.5l5-5M10.5 6.5l1.6-1.6a4 4 0 0 1 5.7 5.7l-1.9 1.9M13.5 17.5l-1.6 1.6a4 4 0 0 1-5.7-5.7l1.9-1.9"/>',
};

/** @param {string} name */
export function icon(name) {
  return `<svg class="occ-icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${PATHS[name]}</svg>`;
}
