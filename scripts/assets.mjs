// Builds what the pages run in the browser into docs/assets/dist: `npm run build`, or through scripts/build.py.
// With --standby it loads what it needs, then builds into the folder that each line of its input names: scripts/serve.py.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build, transform } from "esbuild";
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

/** Write a file of the cache at once or not at all, and return its content. @param {string} name @param {Uint8Array} data */
function store(name, data) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, `${name}.part`), data);
  renameSync(join(cache, `${name}.part`), join(cache, name));
  return data;
}

/** A file of the cache, or null. @param {string} name */
function stored(name) {
  try {
    return readFileSync(join(cache, name));
  } catch {
    return null;
  }
}

// Columns of the code in tracebacks take a third of the bytecode, and the book does not show them.
const loadPython = () => loadPyodide({ indexURL: runtime, packageBaseUrl: "./", env: { PYTHONNODEBUGRANGES: "1" } });

/** Pack the package, its part of the standard library and the interpreter with Pyodide's own Python, whose bytecode the
 * browser loads. What did not change since an earlier build is taken from the cache.
 * @param {() => ReturnType<typeof loadPython>} getPython  a Python that has not imported the package yet */
async function packs(getPython) {
  const files = walk(join(root, "occusite"), (path) => !path.endsWith(".pyc"));
  const source = files.map((path) => ({ path: relative(root, path).replaceAll("\\", "/"), data: readFileSync(path) }));
  const key = digest([version, ...source.map(({ path, data }) => `${path} ${digest(data)}`)].join("\n"));
  const names = { pack: `book-${key}.xz`, modules: `book-${key}.json`, wasm: `pyodide-${version}.wasm.xz` };
  /** The library is named by what is in it. @param {string[]} modules */
  const libraryOf = (modules) => `library-${digest([version, ...modules].join("\n"))}.xz`;

  const list = stored(names.modules);
  const earlier = { pack: stored(names.pack), library: list && stored(libraryOf(JSON.parse(String(list)))), wasm: stored(names.wasm) };
  if (earlier.pack && earlier.library && earlier.wasm) return { pack: earlier.pack, library: earlier.library, wasm: earlier.wasm };

  const python = await getPython();
  for (const { path, data } of source) {
    python.FS.mkdirTree(`/source/${dirname(path)}`);
    python.FS.writeFile(`/source/${path}`, data);
  }
  python.runPython("import sys; sys.path.insert(0, '/source')");
  const packer = python.pyimport("occusite.book.runtime.pack");
  const modules = packer.used();
  /** @type {string[]} */
  const moduleNames = modules.toJs();
  const pack = store(names.pack, packer.package("/source", modules).toJs());
  const libraryName = libraryOf(moduleNames);
  const library = stored(libraryName) ?? store(libraryName, packer.library("/lib/python314.zip", modules).toJs());
  const wasm = earlier.wasm ?? store(names.wasm, packer.packed(python.toPy(new Uint8Array(readFileSync(join(runtime, "pyodide.asm.wasm"))))).toJs());
  store(names.modules, new TextEncoder().encode(JSON.stringify(moduleNames)));
  const kept = new Set([...Object.values(names), libraryName]);
  for (const old of readdirSync(cache)) if (!kept.has(old)) rmSync(join(cache, old), { force: true });
  return { pack, library, wasm };
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

/** Build into `out`; what an earlier build left there goes. Returns a line about what was built.
 * @param {string} out @param {() => ReturnType<typeof loadPython>} getPython */
async function bundle(out, getPython) {
  const { pack, library, wasm } = await packs(getPython).catch((error) => {
    throw new Error(`The package could not be packed for the browser.\n${error.message}`);
  });
  const packName = `book-${digest(pack)}.zip`;
  const libraryName = `library-${digest(library)}.zip`;
  const pyodide = `pyodide-${version}`;
  /** @type {Set<string>} */
  const fresh = new Set();

  /** @param {string} name @param {string | Uint8Array} data */
  function put(name, data) {
    const path = join(out, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || digest(readFileSync(path)) !== digest(data)) writeFileSync(path, data);
    fresh.add(name);
  }

  put(`${packName}.xz`, pack);
  put(`${libraryName}.xz`, library);
  put(`${pyodide}/pyodide.asm.wasm.xz`, wasm);
  for (const name of ["pyodide.asm.mjs", "python_stdlib.zip"]) {
    const path = join(out, pyodide, name);
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
    outdir: out,
    external: /** @type {string[]} */ (["node:*"]),
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  // What is loaded later is built first, so that its address, which holds its digest, is a constant for what loads it.
  const [worker, editor, charts] = await Promise.all([
    build({
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
    }),
    build({ ...common, entryPoints: [join(src, "editor.js")], entryNames: "[name]-[hash]" }),
    build({ ...common, entryPoints: [join(src, "charts.js")], entryNames: "[name]-[hash]" }),
  ]);
  /** The file name of a build's only output, as a constant. @param {{ outputFiles: { path: string }[] }} built */
  const addressOf = ({ outputFiles }) => JSON.stringify(relative(out, outputFiles[0].path));
  const book = await build({
    ...common,
    entryPoints: [join(src, "book.js")],
    define: { __WORKER__: addressOf(worker), __EDITOR__: addressOf(editor), __CHARTS__: addressOf(charts) },
  });
  const offline = await build({ ...common, entryPoints: [join(src, "sw.js")], format: "iife" });
  const builds = [worker, editor, charts, book, offline];
  for (const { path, contents } of builds.flatMap(({ outputFiles }) => outputFiles)) put(relative(out, path), contents);

  put("licences.txt", licences(builds));

  // A deployment holds one version only.
  for (const path of walk(out, () => true)) if (!fresh.has(relative(out, path).replaceAll("\\", "/"))) rmSync(path);

  const kb = (/** @type {Uint8Array} */ data) => `${Math.round(gzipSync(data).length / 1000)} kB`;
  return `assets: book.js ${kb(book.outputFiles[0].contents)} gzip, package ${Math.round(pack.length / 1000)} kB, library ${Math.round(library.length / 1000)} kB`;
}

/** Answer each line of the input, `{"out": folder}`, with one line of output: `{}`, or `{"error": text}`. A Python that has
 * imported the package is of no further use, so the process ends then; whoever asks starts another. */
async function standBy() {
  const python = loadPython();
  python.catch(() => {});
  await transform("");
  for await (const line of createInterface({ input: process.stdin })) {
    let used = false;
    const usePython = () => {
      used = true;
      return python;
    };
    try {
      console.error(await bundle(JSON.parse(line).out, usePython));
      console.log("{}");
    } catch (error) {
      console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
    }
    if (used) break;
  }
}

try {
  if (process.argv[2] === "--standby") await standBy();
  else console.log(await bundle(dist, loadPython));
  process.exit();
} catch (error) {
  // An uncaught error would print the line it came from: a megabyte of Pyodide.
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
