// The page of the measurement's other side: one button that starts stock Pyodide and runs one piece of Python.
const output = document.querySelector("pre");
let worker;
document.querySelector("button").addEventListener("click", () => {
  worker ??= Object.assign(new Worker("worker.js", { type: "module" }), {
    onmessage: ({ data }) => (output.textContent = data),
  });
  output.textContent = "";
  worker.postMessage(window.code);
});
