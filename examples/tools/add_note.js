#!/usr/bin/env node
// Adds a line to a file of notes, and asks before it makes a new one. Written against
// docs/protocols/tool.md alone: Node's own modules, nothing else.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const SCHEMA = {
  name: "add_note",
  summary: "Add a line to a file of notes.",
  parameters: {
    text: { type: "string", minLength: 1, summary: "The note, one line." },
    file: { type: "string", default: "NOTES.md", summary: "Where to add it, relative to the root." },
  },
};

/** What the assistant is told when the tool cannot do what it wants. */
class Failed extends Error {}

function main() {
  let tool, context;
  try {
    ({ tool, context } = JSON.parse(firstLine()));
    context.action = (context.action ?? "run").toLowerCase();
    tool.answers ??= {};
  } catch {
    return { type: "error", message: "not the invocation of a tool" };
  }
  if (context.action === "schema") return { tools: [SCHEMA] };
  try {
    const { text, file } = readArguments(tool.arguments ?? {});
    if (context.action === "format_arguments") {
      return { type: "success", content: `add to ${file}: ${text}` };
    }
    return addNote(text, file, tool.answers, context);
  } catch (error) {
    if (error instanceof Failed || error.code) return { type: "error", message: error.message };
    throw error;
  }
}

function firstLine() {
  return fs.readFileSync(0, "utf8").split("\n", 1)[0];
}

/** The arguments, with defaults. What is wrong is named, so that the next try is better. */
function readArguments(given) {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(SCHEMA.parameters, name)) throw new Failed(`unknown argument \`${name}\``);
  }
  const { text, file = SCHEMA.parameters.file.default } = given;
  if (text === undefined) throw new Failed("missing argument `text`");
  if (typeof text !== "string" || text === "" || /[\r\n]/.test(text)) {
    throw new Failed("argument `text`: expected a string of one line");
  }
  if (typeof file !== "string" || file === "" || file.includes("\0")) {
    throw new Failed("argument `file`: expected the path of a file");
  }
  // Messages repeat the path, and somebody has to read them.
  if (file.length > 1000) throw new Failed("argument `file`: expected at most 1000 characters");
  return { text, file };
}

function addNote(text, file, answers, context) {
  const root = fs.realpathSync(context.root);
  const target = resolve(root, file);
  const exists = fs.existsSync(target);
  check(context.access, exists ? "update" : "create", path.relative(root, target));
  if (!exists) {
    // The tool ends with the question, and is started again with the answer.
    if (answers.create_file === undefined) {
      const text = `There is no ${file}. Create it?`;
      const question = { id: "create_file", text, answer_type: "Boolean", default: false };
      return { type: "needs_input", question };
    }
    if (answers.create_file !== true) return { type: "success", content: "Nothing was written." };
  }
  // Opened as what was checked: an old file that is there, or a new one that is not.
  const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
  const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (exists ? 0 : O_CREAT | O_EXCL);
  fs.writeFileSync(target, `- ${text}\n`, { flag: flags });
  return { type: "success", content: `Added to ${file}.` };
}

/** The path with all links resolved. Refuses one that leads out of the workspace. */
function resolve(root, file) {
  let target = path.resolve(root, file);
  target = fs.existsSync(target)
    ? fs.realpathSync(target)
    : path.join(fs.realpathSync(path.dirname(target)), path.basename(target));
  if (!target.startsWith(root + path.sep)) {
    throw new Failed(`path escapes the workspace: ${file}`);
  }
  return target;
}

/** What `context.access` says: the deepest rule above the file decides, of two the later. */
function check(access, capability, name) {
  const rules = access?.fs ?? [];
  if (rules.length === 0) return;
  const parts = (text) => text.split("/").filter((part) => part !== "" && part !== ".");
  let allowed = false;
  let depth = -1;
  for (const rule of rules) {
    const place = parts(rule.path);
    const above = place.every((part, index) => part === parts(name)[index]);
    if (above && place.length >= depth) {
      // `write` stands for `create`, `update` and `delete` where these say nothing.
      allowed = (rule[capability] ?? rule.write) === true;
      depth = place.length;
    }
  }
  if (!allowed) {
    const granted = rules.map((rule) => rule.path).join(", ");
    throw new Failed(`access denied: ${capability} on ${name} (rules: ${granted})`);
  }
}

const answer = main();
process.stdout.write(JSON.stringify(answer) + "\n");
process.exitCode = answer.type === "error" ? 1 : 0;
