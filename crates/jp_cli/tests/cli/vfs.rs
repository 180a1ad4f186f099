//! Tools with `runtime = "vfs"`: real programs behind the real seal, served by the real program.
//!
//! The tools are written in Python from the document alone, without a library (D11-265). A sealed tool
//! can leave no file of its own behind, so what a test knows about it is what it asked for, what it said,
//! how long it took and whether it is still there: each is started with a [`mark`] among its arguments.

#![expect(clippy::disallowed_methods, reason = "tests look at processes")]

mod cancel;
mod config;
mod ends;
mod seal;
mod stateful;

use std::{
    fs,
    time::{Duration, Instant},
};

use jp_test::{Run, TestEnv};

use super::sandbox::world;

const LIMIT: Duration = Duration::from_mins(1);

/// What every tool of these tests begins with.
const PRELUDE: &str = r#"
import itertools, json, os, sys, time
def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()
def heard():
    return json.loads(sys.stdin.readline() or "null")
ids = itertools.count(1)
def call(method, **params):
    id = next(ids)
    say(id=id, method=method, params=params)
    while True:
        message = heard()
        if message is None: sys.exit(9)
        if message.get("id") == id: return message
def code(method, **params):
    return call(method, **params).get("error", {}).get("code", 0)
def result(content):
    say(method="result", params={"content": content})
init = heard()["params"]
arguments = init["tool"]["arguments"]
"#;

/// Describes the tool, when that is what it is asked for.
const DESCRIBES: &str = r#"
if init["context"]["action"] == "schema":
    result({"tools": [{"name": "t", "summary": "Does it.", "parameters": {"x": {"type": "string", "required": False}}}]})
    sys.exit()
"#;

/// The tool may do everything with the files of the project.
const EVERYTHING: &str = "access = { fs = [{ path = \".\", read = true, write = true }] }\n";

/// A workspace with one tool `t`, which runs this after its beginning.
fn with_tool(settings: &str, body: &str) -> TestEnv {
    with_raw(settings, &format!("{DESCRIBES}{body}"))
}

/// The same for a tool that describes itself in its own way.
fn with_raw(settings: &str, body: &str) -> TestEnv {
    let env = world();
    configure(&env, settings);
    env.write("tools/t.py", format!("{PRELUDE}{body}"));
    env
}

/// Gives the tool `t` these settings; what stands before the first table is its own.
fn configure(env: &TestEnv, settings: &str) {
    let mark = mark(env);
    let config = format!(
        "[conversation.tools.t]\nsource = \"local\"\nruntime = \"vfs\"\nrun = \"unattended\"\n\
         command = \"python3 tools/t.py {mark}\"\n{settings}"
    );
    env.write(".jp/config.toml", config);
}

fn run<'env>(env: &'env TestEnv, args: &[&str]) -> Run<'env> {
    env.jp([&["tool", "run", "t"], args].concat())
}

/// A word that is among the arguments of the tools of one test only.
fn mark(env: &TestEnv) -> String {
    format!("mark-{}", env.root().file_name().unwrap_or_default())
}

/// The command lines of all processes that have the mark.
fn processes(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&mark(env))).collect()
}

/// Waits until the tool has had this file written.
fn until_there(env: &TestEnv, path: &str) {
    let deadline = Instant::now() + LIMIT;
    while !env.path(path).exists() {
        assert!(Instant::now() < deadline, "{path} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// D11-176
fn assert_gone(env: &TestEnv) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !processes(env).is_empty() {
        assert!(Instant::now() < deadline, "{:?}", processes(env));
        std::thread::sleep(Duration::from_millis(10));
    }
}
