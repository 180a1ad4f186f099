//! Small projects of real toolchains: they build confined with their preset.
//!
//! The projects and the home are the test's own, the toolchains those of the machine. Nothing is
//! downloaded.

#![expect(clippy::disallowed_methods, reason = "tests look for the machine's own toolchains")]

use std::env::{self, VarError};

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use jp_test::{Run, TestEnv};

use super::{EVERYTHING, confined, world};

fn project(files: &[(&str, &str)]) -> TestEnv {
    let env = world();
    env.write("policy.toml", EVERYTHING);
    for (path, text) in files {
        env.write(path, text);
    }
    env
}

/// A directory of the developer's, by its variable or its usual place.
fn usual(variable: &str, below_home: &str) -> Utf8PathBuf {
    let found = env::var(variable).or_else(|_| Ok::<_, VarError>(env::var("HOME")? + below_home));
    found.unwrap_or_else(|error| panic!("neither {variable} nor HOME is set: {error}")).into()
}

fn cargo<'env>(env: &'env TestEnv, options: &[&str]) -> Run<'env> {
    let options = [&["--policy", "policy.toml"], options].concat();
    let cargo = env::var("CARGO").unwrap_or_else(|_| env!("CARGO").to_owned());
    let bin = Utf8PathBuf::from(&cargo).parent().map(ToString::to_string).unwrap_or_default();
    let path = format!("{bin}:/usr/bin:/bin");
    confined(env, &options, &[&cargo, "check", "--offline", "--quiet"])
        .env("CARGO_HOME", usual("CARGO_HOME", "/.cargo"))
        .env("RUSTUP_HOME", usual("RUSTUP_HOME", "/.rustup"))
        .env("PATH", path)
}

#[test]
fn cargo_check() {
    // A dependency of this workspace, so that it has been downloaded.
    let env = project(&[
        (
            "Cargo.toml",
            "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
             [dependencies]\nitoa = \"1\"\n[workspace]\n",
        ),
        ("src/main.rs", "fn main() { println!(\"{}\", itoa::Buffer::new().format(42)); }\n"),
    ]);
    let output = cargo(&env, &[]).run().code(101);
    let advice = "    to allow it: --preset rust\n";
    assert!(output.stderr().contains(advice), "{output}");
    for options in [&["--preset", "rust"][..], &["--cfg", "sandbox.presets=[\"rust\"]"]] {
        cargo(&env, options).run().success();
        assert!(env.path("target/debug").is_dir());
    }
}

#[test]
fn npm_test() {
    let env = project(&[
        (
            "package.json",
            r#"{"name": "small", "version": "1.0.0", "scripts": {"test": "node --test"}}"#,
        ),
        (
            "small.test.js",
            "require('node:test')('adds', () => require('node:assert').equal(1 + 1, 2));\n",
        ),
    ]);
    let options = ["--policy", "policy.toml", "--preset", "node"];
    let run = confined(&env, &options, &["npm", "test"]).env("npm_config_update_notifier", "false");
    let output = run.run().success();
    assert!(output.stdout().contains("pass 1"), "{output}");
}

#[test]
fn pytest() {
    let env = project(&[("test_small.py", "def test_adds():\n    assert 1 + 1 == 2\n")]);
    let tools = usual("XDG_CACHE_HOME", "/.cache").join("jp-xtask/venv");
    let python = tools.join("bin/python");
    assert!(python.exists(), "pytest is not in {tools}: run `cargo xtask test` once");
    let options = ["--policy", "policy.toml", "--preset", "python"];
    let program = [python.as_str(), "-m", "pytest", "-q"];
    // It may have been made with an interpreter of the developer's.
    let run = confined(&env, &options, &program).env("PYENV_ROOT", usual("PYENV_ROOT", "/.pyenv"));
    let output = run.env("VIRTUAL_ENV", tools).run().success();
    assert!(output.stdout().contains("1 passed"), "{output}");
}

#[test]
fn git_commit() {
    let env = project(&[("file", "text\n")]);
    env.write(env.home().join(".gitconfig"), "[user]\nname = Me\nemail = me@example.org\n");
    env.write(env.home().join(".git-credentials"), "https://me:secret@example.org\n");
    env.command("git", ["init", "-q", "-b", "main"]).run().success();
    env.command("git", ["add", "file"]).run().success();
    let output = confined(&env, &["--policy", "policy.toml"], &["git", "commit", "-m", "First"]);
    let output = output.run().code(128);
    let advice = "/.gitconfig (replaced by a private directory)\n    to allow it: --preset git\n";
    assert!(output.stderr().contains(advice), "{output}");
    let options = ["--policy", "policy.toml", "--preset", "git"];
    confined(&env, &options, &["git", "commit", "-q", "-m", "First"]).run().success();
    let log = env.command("git", ["log", "--format=%an <%ae> %s"]).run().success();
    assert_snapshot!(log.stdout(), @"Me <me@example.org> First");
    // Credentials are not part of it.
    let secret = env.home().join(".git-credentials");
    confined(&env, &options, &["cat", secret.as_str()]).run().code(1);
}
