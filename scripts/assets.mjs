// Builds what the pages run in the browser into docs/assets/dist: `npm run build`, or through scripts/build.py.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { loadPyodide, version } from "pyodide";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, "docs/assets/src");
const dist = join(root, "docs/assets/dist");
const cache = join(root, ".cache/assets");
const runtime = join(root, "node_modules/pyodide");

const FONTS = ["inter", "source-serif-4", "jetbrains-mono"];

/** @param {string | Uint8Array} data */
const digest = (data) => createHash("sha256").update(data).digest("hex").slice(0, 10);

/** All files below `folder`, sorted, that `keep` wants. @param {string} folder @param {(path: string) => boolean} keep @returns {string[]} */
function walk(folder, keep) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "__pycache__" ? [] : walk(path, keep);
      return keep(path) ? [path] : [];
    })
    .sort();
}

/** Pack the package, its part of the standard library and the interpreter with Pyodide's own Python, whose bytecode the
 * browser loads. What did not change since the last build is taken from the cache. */
async function packs() {
  const files = walk(join(root, "occusite"), (path) => !path.endsWith(".pyc"));
  const source = files.map((path) => ({ path: relative(root, path).replaceAll("\\", "/"), data: readFileSync(path) }));
  const key = digest([version, ...source.map(({ path, data }) => `${path} ${digest(data)}`)].join("\n"));
  const made = [`book-${key}.xz`, `library-${key}.xz`, `pyodide-${version}.wasm.xz`].map((name) => join(cache, name));
  if (!made.every((path) => existsSync(path))) {
    // Columns of the code in tracebacks take a third of the bytecode, and the book does not show them.
    const python = await loadPyodide({ indexURL: runtime, packageBaseUrl: "./", env: { PYTHONNODEBUGRANGES: "1" } });
    for (const { path, data } of source) {
      python.FS.mkdirTree(`/source/${dirname(path)}`);
      python.FS.writeFile(`/source/${path}`, data);
    }
    python.runPython("import sys; sys.path.insert(0, '/source')");
    const pack = python.pyimport("occusite.book.runtime.pack");
    mkdirSync(cache, { recursive: true });
    for (const old of readdirSync(cache)) if (!made.includes(join(cache, old))) rmSync(join(cache, old));
    const used = pack.used();
    writeFileSync(made[0], pack.package("/source", used).toJs());
    writeFileSync(made[1], pack.library("/lib/python314.zip", used).toJs());
    if (!existsSync(made[2])) writeFileSync(made[2], pack.packed(python.toPy(new Uint8Array(readFileSync(join(runtime, "pyodide.asm.wasm"))))).toJs());
  }
  return made.map((path) => readFileSync(path));
}

/** The licences of everything that is served with the book, one after another.
 * @param {{ metafile: import("esbuild").Metafile }[]} builds */
function licences(builds) {
  const bundled = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs)).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  const fonts = FONTS.map((font) => `@fontsource-variable/${font}`);
  const names = [...new Set([...bundled, ...fonts])].filter((name) => name !== undefined).sort();
  return names
    .map((name) => {
      const folder = join(root, "node_modules", name);
      const { version, license, homepage = "" } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version} (${license}) ${homepage}\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : ""}\n`;
    })
    .join(`\n${"=".repeat(80)}\n\n`);
}

/** The lock file without the packages that the book never loads. */
function lock() {
  const { info } = JSON.parse(readFileSync(join(runtime, "pyodide-lock.json"), "utf8"));
  return { info, packages: {} };
}

const [pack, library, wasm] = await packs().catch((error) => {
  // An uncaught error would print the line it came from: a megabyte of Pyodide.
  console.error(`The package could not be packed for the browser.\n${error.message}`);
  process.exit(1);
});
const packName = `book-${digest(pack)}.zip`;
const libraryName = `library-${digest(library)}.zip`;
const pyodide = `pyodide-${version}`;
/** @type {Set<string>} */
const fresh = new Set();

/** @param {string} name @param {string | Uint8Array} data */
function put(name, data) {
  const path = join(dist, name);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path) || digest(readFileSync(path)) !== digest(data)) writeFileSync(path, data);
  fresh.add(name);
}

put(`${packName}.xz`, pack);
put(`${libraryName}.xz`, library);
put(`${pyodide}/pyodide.asm.wasm.xz`, wasm);
for (const name of ["pyodide.asm.mjs", "python_stdlib.zip"]) {
  const path = join(dist, pyodide, name);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path) || statSync(path).size !== statSync(join(runtime, name)).size) copyFileSync(join(runtime, name), path);
  fresh.add(`${pyodide}/${name}`);
}

for (const font of FONTS) {
  const name = `${font}-latin-wght-normal.woff2`;
  put(`fonts/${name}`, readFileSync(join(root, "node_modules/@fontsource-variable", font, "files", name)));
}

/** Bytes of what the progress line counts. */
const sizes = { "pyodide.asm.wasm.xz": wasm.length, [`${packName}.xz`]: pack.length, [`${libraryName}.xz`]: library.length };

const common = /** @type {const} */ ({
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  write: false,
  outdir: dist,
  external: /** @type {string[]} */ (["node:*"]),
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
const worker = await build({
  ...common,
  entryPoints: [join(src, "python-worker.js")],
  entryNames: "[name]-[hash]",
  define: {
    __PACK__: JSON.stringify(packName),
    __LIBRARY__: JSON.stringify(libraryName),
    __PYODIDE__: JSON.stringify(`${pyodide}/`),
    __SIZES__: JSON.stringify(sizes),
    __LOCK__: JSON.stringify(lock()),
  },
});
const workerName = relative(dist, worker.outputFiles[0].path);
const book = await build({
  ...common,
  entryPoints: [join(src, "book.js")],
  chunkNames: "[name]-[hash]",
  splitting: true,
  define: { __WORKER__: JSON.stringify(workerName) },
});
const offline = await build({ ...common, entryPoints: [join(src, "sw.js")], format: "iife" });
for (const { path, contents } of [...worker.outputFiles, ...book.outputFiles, ...offline.outputFiles]) put(relative(dist, path), contents);

put("licences.txt", licences([worker, book, offline]));

// What an earlier build left goes, so that a deployment holds one version only.
for (const path of walk(dist, () => true)) if (!fresh.has(relative(dist, path).replaceAll("\\", "/"))) rmSync(path);

const kb = (/** @type {Uint8Array} */ data) => `${Math.round(gzipSync(data).length / 1000)} kB`;
const entry = book.outputFiles.find(({ path }) => path.endsWith("book.js"));
console.log(`assets: book.js ${entry ? kb(entry.contents) : "?"} gzip, ${book.outputFiles.length - 1} parts, package ${Math.round(pack.length / 1000)} kB, library ${Math.round(library.length / 1000)} kB`);
