//! Tools of MCP servers through the real program.
//!
//! The server is a script that does what a test tells it to (`mcp/server.py`) and writes down what it is
//! sent, so what arrives is judged on the wire. It runs confined, as every server does.

mod allowed;
mod bookworm;
mod calls;
mod commands;
mod confined;
mod login;
mod names;
mod pins;
mod questions;

use jp_test::{Output, Run, TestEnv};
use serde_json::{Value, json};

const SERVER: &str = include_str!("mcp/server.py");

/// A workspace with the server `s`, all of whose tools are there, and more configuration. The server is
/// allowed.
fn served(script: &Value, more: &str) -> TestEnv {
    let env = foreign(script, more);
    allow(&env, &["s"]);
    env
}

/// The same as it comes from somebody else: nobody has allowed anything yet.
fn foreign(script: &Value, more: &str) -> TestEnv {
    let env = super::workspace();
    env.write("server.py", SERVER);
    env.write("script.json", script.to_string());
    env.write(
        ".jp/config.toml",
        format!(
            "[providers.mcp.s]\ncommand = 'python3'\narguments = ['server.py']\n\
             [conversation.tools.s]\nsource = 'mcp.s.*'\nrun = 'unattended'\n{more}"
        ),
    );
    env
}

/// Allows servers as they are now, where the configuration can be loaded at all.
pub(crate) fn allow(env: &TestEnv, servers: &[&str]) {
    let words = ["mcp", "allow", "--yes"].iter().chain(servers);
    let _ = env.jp(words).run();
}

/// A script with one tool `t` that takes these steps, in an era.
fn script(era: &str, steps: &Value) -> Value {
    let schema = json!({ "type": "object", "properties": { "q": { "type": "string" } } });
    json!({
        "era": era,
        "tools": [{ "name": "t", "description": "Tries it.", "inputSchema": schema }],
        "calls": { "t": steps },
    })
}

fn both_eras(check: impl Fn(&str)) {
    for era in ["modern", "legacy"] {
        check(era);
    }
}

fn run<'a>(env: &'a TestEnv, words: &[&str]) -> Run<'a> {
    env.jp(["tool", "run"].iter().chain(words))
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// What the server was sent, by method.
fn wire(env: &TestEnv, method: &str) -> Vec<Value> {
    let log = env.read("wire.log");
    let lines = log.lines().map(|line| {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    });
    lines.filter(|line| line["method"] == method).map(|line| line["params"].clone()).collect()
}

fn json(output: &Output) -> Value {
    serde_json::from_str(output.stdout()).unwrap_or_else(|error| panic!("{error}\n{output}"))
}
