// Constants that the bundler puts in: see scripts/assets.mjs.

/** File names beside the script that uses them. */
declare const __WORKER__: string;
declare const __EDITOR__: string;
declare const __CHARTS__: string;
declare const __PACK__: string;
declare const __LIBRARY__: string;
declare const __PYODIDE__: string;
/** What the service worker caches: put in by occusite.book.build.deploy. */
declare const __SITE__: import("./sw-route.js").Site;
/** Bytes that Python's start downloads, by file name. */
declare const __SIZES__: Record<string, number>;
/** The lock file Pyodide wants, without the packages the book does not use. */
declare const __LOCK__: import("pyodide").Lockfile;
