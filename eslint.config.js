// Rules for the book's own JavaScript: `npm run lint`.

import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["docs/assets/dist/", "site/", "node_modules/", ".venv/", ".cache/"] },
  js.configs.recommended,
  {
    files: ["docs/assets/src/*.js"],
    languageOptions: {
      globals: { ...globals.browser, __WORKER__: "readonly", __EDITOR__: "readonly", __CHARTS__: "readonly", __PACK__: "readonly", __LIBRARY__: "readonly", __PYODIDE__: "readonly", __SIZES__: "readonly", __SITE__: "readonly", __LOCK__: "readonly" },
    },
  },
  { files: ["scripts/*.mjs", "tests/js/*.js"], languageOptions: { globals: globals.node } },
  { files: ["scripts/**/*.js"], languageOptions: { globals: { ...globals.browser, ...globals.worker } } },
  {
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-console": ["error", { allow: ["log", "error"] }],
      "no-restricted-globals": ["error", "event", "name", "status"],
      eqeqeq: "error",
      "prefer-const": "error",
      "object-shorthand": "error",
    },
  },
];
