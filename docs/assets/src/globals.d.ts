// Names that the build puts in: see scripts/assets.mjs.

/** File names beside the script that uses them. */
declare const __WORKER__: string;
declare const __EDITOR__: string;
declare const __CHARTS__: string;
declare const __PACK__: string;
declare const __LIBRARY__: string;
declare const __PYODIDE__: string;
/** What the service worker keeps: put in by occusite.book.build.deploy. */
declare const __SITE__: { version: string; shell: Record<string, string>; runtime: string[]; more: string[] };
/** Bytes that Python's start downloads, by file name. */
declare const __SIZES__: Record<string, number>;
/** The lock file Pyodide wants, without the packages the book does not use. */
declare const __LOCK__: import("pyodide").Lockfile;
