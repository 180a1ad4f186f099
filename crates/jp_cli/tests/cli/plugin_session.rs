//! Sessions with plugins through the real program.
//!
//! What the protocol says is tried with a plugin in Python whose body a test writes; what no plugin should do
//! is done by `fake_plugin`. Both lie on the search path, and the user lets them run.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod confined;
mod crash;
mod lifecycle;
mod locks;
mod messages;
mod misbehavior;
mod output;
mod script;
mod services;
mod stored;
mod terminal;

use std::os::unix::fs::PermissionsExt as _;

use jp_test::{Output, Run, TestEnv};
use serde_json::Value;

const HEAD: &str = r#"#!/usr/bin/python3
import json, os, signal, sys, time

def line(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()

def say(**message):
    line(json.dumps(message))

def hear():
    text = sys.stdin.readline()
    assert text.endswith("\n"), "the host has closed our input"
    return json.loads(text)

def ask(**message):
    say(**message)
    return hear()

def show(value):
    say(type="print", text=json.dumps(value) + "\n")

first = sys.stdin.readline()
init = json.loads(first)
say(type="ready")
"#;

/// A workspace with a plugin `p` that does this and then says `exit`.
fn plugin(body: &str) -> TestEnv {
    let env = super::workspace();
    add(&env, "jp-p", format!("{HEAD}{body}\nsay(type='exit', code=0)\n"));
    env
}

/// A workspace with the plugin that misbehaves, `fake`.
fn fake() -> TestEnv {
    let env = super::workspace();
    let bytes = std::fs::read(jp_test::find_bin("fake_plugin")).unwrap();
    add(&env, "jp-fake", bytes);
    env
}

/// Puts a plugin on the search path, and lets it run.
fn add(env: &TestEnv, name: &str, content: impl AsRef<[u8]>) {
    let path = env.root().join("bin").join(name);
    env.write(&path, content);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let id = name.trim_start_matches("jp-");
    configure(env, &format!("[plugins.command.{id}]\nrun = 'unattended'\n"));
}

/// Adds to the user's own settings.
fn configure(env: &TestEnv, text: &str) {
    let path = env.config_home().join("jp/config.toml");
    let before = if path.exists() { env.read(&path) } else { String::new() };
    env.write(&path, before + text);
}

fn jp<'a>(env: &'a TestEnv, words: &[&str]) -> Run<'a> {
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    env.jp(words.iter().copied()).env("PATH", path)
}

/// What the plugin `p` has shown, one value a line.
fn shown(env: &TestEnv, words: &[&str]) -> Vec<Value> {
    let words = [&["p"], words].concat();
    values(&jp(env, &words).run().success())
}

fn values(output: &Output) -> Vec<Value> {
    let parse = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{output}"))
    };
    output.stdout().lines().map(parse).collect()
}

/// The one value that the body of a plugin shows.
fn value(body: &str) -> Value {
    let mut values = shown(&plugin(body), &[]);
    assert_eq!(values.len(), 1, "{values:?}");
    values.remove(0)
}

/// Whether there is a process of this number that has not ended.
#[expect(clippy::disallowed_methods, reason = "tests look at processes")]
fn is_alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
    state.is_some_and(|state| state != 'Z')
}

/// The children of a process that run the same words: copies of it.
#[expect(clippy::disallowed_methods, reason = "tests look at processes")]
fn copies(of: u32) -> Vec<u32> {
    let words = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let children = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap();
    let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
    children.filter(|child| words(*child) == words(of)).collect()
}

/// The number of the process that a plugin has shown.
fn pid(output: &str) -> u32 {
    let number = output.split("pid ").nth(1).and_then(|rest| rest.lines().next());
    number.and_then(|number| number.trim().parse().ok()).unwrap_or_else(|| panic!("{output}"))
}
