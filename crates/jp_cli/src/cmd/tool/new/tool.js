#!/usr/bin/env node
// __NAME__: a tool to start from. It needs nothing but Node.js.
// `jp tool check -- ./__NAME__.js` says whether it is a good tool.
"use strict";

const fs = require("node:fs");

const TOOL = {
  name: "__NAME__",
  // What the assistant always sees. A long `description` is given to it when it asks.
  summary: "Greet somebody.",
  // What has no default has to be given.
  parameters: {
    name: { type: "string", summary: "Who to greet.", minLength: 1, maxLength: 100 },
    loud: { type: "boolean", summary: "In capital letters.", default: false },
  },
};

/** What the assistant is told when the tool cannot do what it wants. */
class Failed extends Error {}

function main() {
  let call, context, action;
  try {
    ({ tool: call, context } = JSON.parse(fs.readFileSync(0, "utf8").split("\n", 1)[0]));
    action = (context.action ?? "run").toLowerCase();
    call.arguments ??= {};
  } catch {
    return { type: "error", message: "not the invocation of a tool" };
  }
  if (action === "schema") return { tools: [TOOL] };
  try {
    const given = readArguments(call.arguments);
    if (action === "format_arguments") return { type: "success", content: `greet ${given.name}` };
    return { type: "success", content: run(given, call, context) };
  } catch (error) {
    if (error instanceof Failed || error.code) return { type: "error", message: error.message };
    throw error;
  }
}

/**
 * Does the work. Files are in `context.root`, and `context.access` says which of them.
 *
 * To ask something, print { type: "needs_input", question: { id: "sure", text: "Sure?",
 * answer_type: "Boolean" } } instead. The answer comes with the next call, in `call.answers.sure`.
 */
function run({ name, loud }, call, context) {
  const greeting = `Hello, ${name}!`;
  return loud ? greeting.toUpperCase() : greeting;
}

/** The arguments, with defaults. What is wrong is named, so that the next try is better. */
function readArguments(given) {
  for (const unknown of Object.keys(given)) {
    if (!Object.hasOwn(TOOL.parameters, unknown)) {
      throw new Failed(`unknown argument \`${unknown.slice(0, 100)}\``);
    }
  }
  const { name, loud = false } = given;
  if (typeof name !== "string" || name.length < 1 || name.length > 100) {
    throw new Failed("argument `name`: expected a string of 1 to 100 characters");
  }
  if (typeof loud !== "boolean") throw new Failed("argument `loud`: expected true or false");
  return { name, loud };
}

// The only thing that may be on stdout. What is for people goes to stderr.
const answer = main();
process.stdout.write(JSON.stringify(answer) + "\n");
process.exitCode = answer.type === "error" ? 1 : 0;
