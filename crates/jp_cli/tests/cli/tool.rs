//! `jp tool`: real programs, called through the real program, confined by the real sandbox.
//!
//! A tool of these tests is mostly a few lines of shell. A schema query throws away what the program
//! writes, so no file can tell how often a program was asked; instead it describes itself with a
//! number that it never says twice.

#![expect(clippy::disallowed_methods, reason = "tests make programs and look at processes")]

mod arguments;
mod builtin;
mod changes;
mod describe;
mod endings;
mod errors;
mod hostile;
mod live;
mod modes;
mod questions;
mod record;
mod shown;
mod templates;

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use camino::Utf8PathBuf;
use jp_test::{Output, Run, Size, TestEnv};
use serde_json::Value;

use super::sandbox::world;

const LIMIT: Duration = Duration::from_secs(30);
const SIZE: Size = Size { rows: 40, cols: 100 };

/// A tool that prints the line it was given, whatever it is called with.
const ECHO: &str = r#"
[conversation.tools.echo]
source = "local"
command = "cat"
run = "unattended"
"#;

/// A workspace with this configuration.
fn workspace(config: &str) -> TestEnv {
    let env = world();
    env.write(".jp/config.toml", config);
    env
}

/// A workspace with one tool `t`, which is this script and runs unattended.
fn with_script(script: &str) -> TestEnv {
    let env = workspace(&local("t", "./t.sh"));
    program(&env, "t.sh", script);
    env
}

/// The smallest entry there is, and leave to run it.
fn local(name: &str, command: &str) -> String {
    format!(
        "[conversation.tools.{name}]\nsource = \"local\"\ncommand = {command:?}\nrun = \"unattended\"\n"
    )
}

/// Makes a program of the project.
fn program(env: &TestEnv, path: &str, script: &str) {
    env.write(path, format!("#!/bin/sh\n{script}"));
    fs::set_permissions(env.path(path), fs::Permissions::from_mode(0o755))
        .expect("our own file can be made a program");
}

/// Script that describes a tool with these parameters, and goes on below when it is run.
fn described(parameters: &str) -> String {
    let schema = format!(
        r#"{{"tools":[{{"name":"t","summary":"Does it.","description":"At length.","parameters":{parameters}}}]}}"#
    );
    format!(
        "read -r line\ncase $line in\n*'\"action\":\"schema\"'*) echo '{schema}'; exit;;\n\
         *'\"action\":\"format_arguments\"'*) echo 'shown by the tool'; exit;;\nesac\n"
    )
}

fn run<'env>(env: &'env TestEnv, args: &[&str]) -> Run<'env> {
    env.jp([&["tool", "run"], args].concat())
}

/// What a call that went well printed, as JSON.
fn json(output: &Output) -> Value {
    serde_json::from_str(output.stdout()).unwrap_or_else(|error| panic!("{error}: {output}"))
}

/// The arguments that reached the tool.
fn arguments(output: &Output) -> Value {
    json(output)["tool"]["arguments"].clone()
}

/// The lines of a command that prints one object a line.
fn objects(output: &Output) -> Vec<Value> {
    output
        .stdout()
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is an object"))
        .collect()
}

/// An example of the SDK.
fn example(name: &str) -> Utf8PathBuf {
    let jp = Utf8PathBuf::from(env!("CARGO_BIN_EXE_jp"));
    let path = jp.with_file_name("examples").join(name);
    assert!(path.is_file(), "{path} is missing: run `cargo build -p jp_tool --examples` first");
    path
}

/// The command lines of all processes that sleep for this time.
fn sleepers(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.starts_with("sleep") && line.contains(mark)).collect()
}

/// A time to sleep that no other test uses.
fn mark(env: &TestEnv) -> String {
    let name = env.root().file_name().unwrap_or_default();
    let digits: String = name.bytes().map(|byte| (byte % 10).to_string()).collect();
    format!("301.{digits}")
}
