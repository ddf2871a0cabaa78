// Stock Pyodide: everything as it ships, then the package, then the code.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const ready = (async () => {
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  python.unpackArchive(await (await fetch("./occusite.zip")).arrayBuffer(), "zip");
  return python;
})();

self.onmessage = async ({ data }) => {
  const python = await ready;
  const lines = [];
  python.setStdout({ batched: (line) => lines.push(line) });
  python.runPython(data);
  self.postMessage(lines.join("\n"));
};
