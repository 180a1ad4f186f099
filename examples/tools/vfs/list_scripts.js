#!/usr/bin/env node
// Lists the scripts of package.json, there and in the directories below. A sealed tool, written
// against docs/protocols/vfs.md alone: Node's own modules, nothing else.
"use strict";

const readline = require("node:readline");

const SCHEMA = {
  name: "list_scripts",
  summary: "List the scripts in package.json files.",
  parameters: {
    path: { type: "string", default: ".", summary: "The directory to look in." },
    name: { type: "string", default: "", summary: "Only scripts whose names contain this." },
  },
};
const NOT_FOUND = -32002;
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function main() {
  const { tool, context = {} } = JSON.parse((await lines.next()).value).params;
  const action = (context.action ?? "run").toLowerCase();
  if (action === "schema") return notify("result", { content: { tools: [SCHEMA] } });
  for (const [key, value] of Object.entries(tool.arguments)) {
    const known = Object.hasOwn(SCHEMA.parameters, key) && typeof value === "string";
    if (!known) return notify("error", { message: `argument \`${key}\`: expected none or a string` });
  }
  const { path = ".", name = "" } = tool.arguments;
  if (action === "format_arguments") {
    return notify("result", { content: `list the scripts in ${path}` });
  }
  try {
    const found = (await search(path, 0)).filter((line) => line.split(" ")[1].includes(name));
    notify("result", { content: found.join("\n") || "There are no scripts." });
  } catch (error) {
    notify("error", { message: error.message });
  }
}

/** One line for each script, `directory name: command`, down to the third level. */
async function search(dir, level) {
  const { entries } = await request("fs.list_dir", { path: dir });
  const found = await scripts(dir);
  for (const { path, kind } of entries) {
    if (kind === "dir" && level < 2 && !/^\.|^node_modules$/.test(path)) {
      found.push(...(await search(dir === "." ? path : `${dir}/${path}`, level + 1)));
    }
  }
  return found;
}

async function scripts(dir) {
  try {
    const { content } = await request("fs.read", { path: `${dir}/package.json` });
    const all = Object.entries(JSON.parse(content).scripts ?? {});
    return all.map(([name, command]) => `${dir} ${name}: ${command}`);
  } catch (error) {
    if (error.code === NOT_FOUND || error instanceof SyntaxError) return [];
    throw error;
  }
}

let lastId = 0;

async function request(method, params) {
  send({ id: ++lastId, method, params });
  // What has another id, or none, is no answer: `pending` for example.
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const message = JSON.parse(next.value);
    if (message.method === "cancel") break;
    if (message.id !== lastId) continue;
    if (message.error) throw Object.assign(new Error(message.error.message), message.error);
    return message.result;
  }
  process.exit(1);
}

const notify = (method, params) => send({ method, params });
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

main().then(() => process.stdin.destroy());
