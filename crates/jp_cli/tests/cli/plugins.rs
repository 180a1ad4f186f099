//! Plugins: which is meant, what is said about them, and whether they run.

mod completion;
mod describe;
mod help;
mod list;
mod routing;
mod trust;

use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use jp_test::{Run, TestEnv};

use super::workspace;

/// The directory of the search path for the plugins of a test.
fn bin(env: &TestEnv) -> Utf8PathBuf {
    env.root().join("bin")
}

/// Where installed plugins are.
fn installed(env: &TestEnv) -> Utf8PathBuf {
    env.data_home().join("jp/plugins/command")
}

/// A run of `jp` with the plugins of the test in its search path.
fn jp<'a>(env: &'a TestEnv, line: &str) -> Run<'a> {
    let search = format!("{}:/usr/bin:/bin", bin(env));
    env.jp(line.split_whitespace()).env("PATH", search)
}

/// Writes a program.
fn program(env: &TestEnv, path: &Utf8Path, text: &str) {
    env.write(path, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .expect("the file was just written");
}

/// A plugin that describes itself by these fields and, when it is run, prints its name and arguments.
/// Before anything else it does what `first` says.
fn plugin(env: &TestEnv, path: &Utf8Path, fields: &str, first: &str) {
    let name = path.file_name().expect("a plugin has a name").trim_start_matches("jp-");
    let text = format!(
        r#"#!/bin/bash
{first}
read -r line
case "$line" in
*'"describe"'*)
    printf '%s\n' '{{"type":"describe","name":"{name}","version":"1.2","description":"About {name}"{fields}}}'
    exit 0 ;;
esac
echo '{{"type":"ready"}}'
args=$(jq -c .args <<< "$line" | sed 's/"/\\"/g')
echo "{{\"type\":\"print\",\"text\":\"{name} $args\\n\"}}"
echo '{{"type":"exit","code":0}}'
"#
    );
    program(env, path, &text);
}

/// The same in the search path, without anything special.
fn on_path(env: &TestEnv, name: &str, fields: &str) -> Utf8PathBuf {
    let path = bin(env).join(name);
    plugin(env, &path, fields, "");
    path
}

/// The option that lets a plugin run without a question.
fn unattended(id: &str) -> String {
    format!("--cfg plugins.command.{id}.run=unattended")
}

/// Writes what was last fetched from the registry.
fn registry(env: &TestEnv, plugins: &str) {
    let text = format!(r#"{{"version": 1, "plugins": {{{plugins}}}}}"#);
    env.write(env.data_home().join("jp/registry.json"), text);
}

/// The checksum of a file.
fn sum(env: &TestEnv, path: &Utf8Path) -> String {
    let output = env.command("/usr/bin/sha256sum", [path.as_str()]).run().success();
    output.stdout().split_whitespace().next().expect("a checksum").to_owned()
}
