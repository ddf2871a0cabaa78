// Imports modules that are loaded later, and retries a failed import under a new URL: browsers cache a failed module.

/** The import of each module that was asked for and has not failed. @type {Map<string, Promise<any>>} */
const imports = new Map();
/** How many imports of each module have failed. @type {Map<string, number>} */
const failures = new Map();

/** Import the module `name`, a file beside the bundle; a failed import is retried once now, and again at the next call.
 * @param {string} name @param {(url: string) => Promise<any>} [importModule] @returns {Promise<any>} */
export function load(name, importModule = (url) => import(url)) {
  const earlier = imports.get(name);
  if (earlier) return earlier;
  const attempt = () => {
    const failed = failures.get(name) ?? 0;
    const url = new URL(failed ? `${name}?retry=${failed}` : name, import.meta.url);
    return importModule(url.href).catch((error) => {
      failures.set(name, failed + 1);
      throw error;
    });
  };
  const loading = attempt().catch(attempt);
  imports.set(name, loading);
  loading.catch(() => imports.delete(name));
  return loading;
}

/** The editor, for cells and exercises. @returns {Promise<typeof import("./editor.js")>} */
export const loadEditor = () => load(__EDITOR__);

/** Live charts. @returns {Promise<typeof import("./charts.js")>} */
export const loadCharts = () => load(__CHARTS__);
