#!/usr/bin/env node
// __NAME__: a sealed tool to start from. It needs nothing but Node.js, and asks the host for the rest.
// `jp tool check --runtime vfs -- ./__NAME__.js` says whether it is a good tool.
"use strict";

const TOOL = {
  name: "__NAME__",
  // What the assistant always sees. A long `description` is given to it when it asks.
  summary: "Tell how large a file is.",
  // What has no default has to be given.
  parameters: { path: { type: "string", summary: "The file, from the root of the project." } },
};
const input = require("node:readline").createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();

async function main() {
  const first = await lines.next();
  if (first.done) return;
  const { tool, context } = JSON.parse(first.value).params;
  const action = (context.action ?? "run").toLowerCase();
  if (action === "schema") return notify("result", { content: { tools: [TOOL] } });
  try {
    const path = checked(tool.arguments);
    const content = action === "format_arguments" ? `look at ${path}` : await run(path);
    notify("result", { content });
  } catch (error) {
    notify("error", { message: error.message });
  }
}

/** Does the work. docs/protocols/vfs.md has everything that can be asked for. */
async function run(path) {
  const { kind, size } = await request("fs.metadata", { path });
  if (kind !== "file") throw new Error(`${path} is no file`);
  return `${path} has ${size} bytes.`;
}

/** What is wrong is named, so that the next try is better. */
function checked(given) {
  for (const name of Object.keys(given)) {
    const known = Object.hasOwn(TOOL.parameters, name);
    if (!known) throw new Error(`unknown argument \`${name.slice(0, 100)}\``);
  }
  if (typeof given.path !== "string") throw new Error("argument `path`: expected a string");
  return given.path;
}

let lastId = 0;

/** Asks the host, and waits for the answer. What has another id, or none, is news. */
async function request(method, params) {
  send({ id: ++lastId, method, params });
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const message = JSON.parse(next.value);
    if (message.method === "cancel") break;
    if (message.id !== lastId) continue;
    if (message.error) throw new Error(message.error.message);
    return message.result;
  }
  process.exit(1);
}

const notify = (method, params) => send({ method, params });

/** Writes a message, the only thing that may be on stdout. What is for people goes to stderr. */
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

main().then(() => process.stdin.destroy());
