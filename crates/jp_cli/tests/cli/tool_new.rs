//! `jp tool new`: what it makes is a tool, and nothing that was there is lost.
#![expect(clippy::disallowed_methods, reason = "tests look at files and find Cargo")]

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command, time::Duration};

use camino::Utf8PathBuf;
use insta::assert_snapshot;
use jp_test::{Output, TestEnv};

use super::workspace;

/// Where programs in Rust are built: one place, so that their dependencies are built once.
pub(super) fn target() -> Utf8PathBuf {
    Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tools")
}

/// Runs Cargo as it was run for this test, with nothing but what it has already.
pub(super) fn cargo(words: &[&str]) {
    let mut command = Command::new(env!("CARGO"));
    command.args(words).args(["--offline", "--quiet"]).env("CARGO_TARGET_DIR", target());
    let output = command.output().expect("Cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[track_caller]
fn new(env: &TestEnv, words: &[&str]) -> Output {
    env.jp([&["tool", "new"], words].concat()).run()
}

#[track_caller]
fn passes(env: &TestEnv, program: &str) {
    passes_as(env, "stdio", program);
}

#[track_caller]
fn passes_as(env: &TestEnv, runtime: &str, program: &str) {
    let words = ["tool", "check", "--runtime", runtime, "--", program];
    let check = env.jp(words).timeout(Duration::from_mins(2));
    let output = check.run().success();
    assert!(output.stdout().contains(" 0 warnings, 0 failed"), "{output}");
}

#[test]
fn a_script_in_each_language_passes_the_check() {
    let env = jp_test::env!();
    for (language, file) in [("python", "greet.py"), ("shell", "greet.sh"), ("js", "greet.js")] {
        drop(new(&env, &["greet", "--lang", language]).success());
        let mode = fs::metadata(env.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o100, 0o100, "{file} can be executed");
        assert!(!env.read(file).contains("__NAME__"));
        passes(&env, &format!("./{file}"));
    }
}

#[test]
fn a_project_in_rust_passes_the_check() {
    let env = jp_test::env!();
    let sdk = format!("{}/../jp_tool", env!("CARGO_MANIFEST_DIR"));
    for (name, options) in [("greet_plain", &[][..]), ("greet_sdk", &["--jp-tool", &sdk])] {
        drop(new(&env, &[&[name, "--lang", "rust"], options].concat()).success());
        let manifest = env.path(format!("{name}/Cargo.toml"));
        cargo(&["build", "--manifest-path", manifest.as_str()]);
        passes(&env, target().join("debug").join(name).as_str());
    }
}

#[test]
fn a_sealed_script_in_each_language_passes_the_check() {
    let env = jp_test::env!();
    for (language, file) in [("python", "size.py"), ("shell", "size.sh"), ("js", "size.js")] {
        drop(new(&env, &["size", "--lang", language, "--runtime", "vfs"]).success());
        assert!(!env.read(file).contains("__NAME__"));
        passes_as(&env, "vfs", &format!("./{file}"));
    }
}

#[test]
fn a_sealed_project_in_rust_passes_the_check() {
    let env = jp_test::env!();
    let words = ["size_sealed", "--lang", "rust", "--runtime", "vfs"];
    insta::assert_snapshot!(new(&env, &words).code(2), @"
    $ jp tool new size_sealed --lang rust --runtime vfs
    exit code: 2
    --- stderr
    error: a sealed tool in Rust is built on the crate `jp_tool`
    hint: name the directory crates/jp_tool of a checkout with --jp-tool
    ");
    let sdk = format!("{}/../jp_tool", env!("CARGO_MANIFEST_DIR"));
    drop(new(&env, &[&words[..], &["--jp-tool", &sdk]].concat()).success());
    let manifest = env.path("size_sealed/Cargo.toml");
    cargo(&["build", "--manifest-path", manifest.as_str()]);
    passes_as(&env, "vfs", target().join("debug/size_sealed").as_str());
}

/// What is registered is a sealed tool, and it works at once.
#[test]
fn a_sealed_tool_is_registered_as_one() {
    let env = workspace();
    let words = ["size", "--lang", "shell", "--runtime", "vfs", "--register"];
    insta::assert_snapshot!(new(&env, &words).success(), @"
    $ jp tool new size --lang shell --runtime vfs --register
    exit code: 0
    --- stderr
    Made:
      size.sh

    Check it:  jp tool check --runtime vfs -- ./size.sh
    Added to .jp/config.toml. Call it: jp tool run size
    ");
    env.write("four", "1234");
    let output = env.jp(["tool", "run", "size", "path=four", "--yes"]).run().success();
    assert!(output.stdout().contains("four has 4 bytes."), "{output}");
}

#[test]
fn what_to_add_is_printed() {
    let env = workspace();
    assert_snapshot!(new(&env, &["greet", "--lang", "python", "--dir", "my tools"]).success(), @r#"
    $ jp tool new greet --lang python --dir 'my tools'
    exit code: 0
    --- stdout
    [conversation.tools.greet]
    source = "local"
    command = "'./my tools/greet.py'"
    --- stderr
    Made:
      my tools/greet.py

    Check it:  jp tool check -- './my tools/greet.py'

    Add to .jp/config.toml:
    "#);
    assert_snapshot!(new(&env, &["greet", "--lang", "rust"]).success(), @r#"
    $ jp tool new greet --lang rust
    exit code: 0
    --- stdout
    [conversation.tools.greet]
    source = "local"
    command = "./greet/target/release/greet"
    --- stderr
    Made:
      greet/Cargo.toml
      greet/src/main.rs
      greet/.gitignore

    Build it:  cargo build --release --manifest-path greet/Cargo.toml
    Check it:  jp tool check -- ./greet/target/release/greet

    Add to .jp/config.toml:
    "#);
    let output =
        env.jp(["tool", "new", "other", "--lang", "js", "--format", "json"]).run().success();
    assert_snapshot!(output.stdout(), @r#"
    {"name":"other","files":["other.js"],"toml":"[conversation.tools.other]\nsource = \"local\"\ncommand = \"./other.js\"\n","registered":false}
    "#);
}

#[test]
fn a_registered_tool_can_be_called() {
    let env = workspace();
    env.write(".jp/config.toml", "# mine\n[style] # and this\ncolor = \"never\"");
    let output =
        new(&env, &["greet", "--lang", "shell", "--dir", "my tools", "--register"]).success();
    assert_snapshot!(output, @"
    $ jp tool new greet --lang shell --dir 'my tools' --register
    exit code: 0
    --- stderr
    Made:
      my tools/greet.sh

    Check it:  jp tool check -- './my tools/greet.sh'
    Added to .jp/config.toml. Call it: jp tool run greet
    ");
    assert_snapshot!(env.read(".jp/config.toml"), @r#"
    # mine
    [style] # and this
    color = "never"

    [conversation.tools.greet]
    source = "local"
    command = "'./my tools/greet.sh'"
    "#);
    let run = env.jp(["tool", "run", "greet", "name=Ada", "loud=true", "--yes"]).run().success();
    assert_eq!(run.stdout(), "HELLO, ADA!\n");
}

#[test]
fn nothing_is_overwritten() {
    let env = workspace();
    env.write("greet.py", "mine");
    let output = new(&env, &["greet", "--lang", "python", "--register"]).code(2);
    assert_snapshot!(output, @"
    $ jp tool new greet --lang python --register
    exit code: 2
    --- stderr
    error: $PROJECT/greet.py exists already
    hint: choose another name, or another directory with --dir
    ");
    assert_eq!(env.read("greet.py"), "mine");
    assert_eq!(env.read(".jp/config.toml"), "");
    env.write("other/notes", "mine");
    let output = new(&env, &["other", "--lang", "rust"]).code(2);
    assert!(output.stderr().contains("exists already"), "{output}");
    assert!(!env.path("other/Cargo.toml").exists());
    std::os::unix::fs::symlink("/nowhere", env.path("link.sh")).unwrap();
    drop(new(&env, &["link", "--lang", "shell"]).code(2));
}

#[test]
fn a_tool_of_that_name_stays() {
    let env = workspace();
    let config = "[conversation.tools.greet]\nsource = \"local\"\ncommand = \"x\"\n";
    env.write(".jp/config.toml", config);
    assert_snapshot!(new(&env, &["greet", "--lang", "shell", "--register"]).code(2), @"
    $ jp tool new greet --lang shell --register
    exit code: 2
    --- stderr
    error: there is a tool `greet` already
    hint: `jp tool show greet` says what it is; choose another name
    ");
    assert_eq!(env.read(".jp/config.toml"), config);
    assert!(!env.path("greet.sh").exists());
    // Without --register it is only a file.
    drop(new(&env, &["greet", "--lang", "shell"]).success());
}

/// Tables that are written in one line cannot be added to at the end.
#[test]
fn a_configuration_that_cannot_be_added_to_stays() {
    let env = workspace();
    let config = "conversation.tools = { a = { source = \"local\", command = \"a\" } }\n";
    env.write(".jp/config.toml", config);
    assert_snapshot!(new(&env, &["greet", "--lang", "shell", "--register"]).code(2), @"
    $ jp tool new greet --lang shell --register
    exit code: 2
    --- stderr
    error: the table cannot be added at the end of .jp/config.toml
    hint: run it without --register, and put what it prints where it belongs
    ");
    assert_eq!(env.read(".jp/config.toml"), config);
    assert!(!env.path("greet.sh").exists());
}

#[test]
fn wrong_usage() {
    let env = jp_test::env!();
    assert_snapshot!(new(&env, &["my tool", "--lang", "shell"]).code(2), @r#"
    $ jp tool new 'my tool' --lang shell
    exit code: 2
    --- stderr
    error: "my tool" is no name for a tool
    hint: use letters, digits and underscores, a letter first, at most 64 of them
    "#);
    for name in ["", "../x", "7up", "a-b", "é", &"x".repeat(65)] {
        drop(new(&env, &[name, "--lang", "shell"]).code(2));
    }
    assert_snapshot!(new(&env, &["match", "--lang", "rust"]).code(2), @"
    $ jp tool new match --lang rust
    exit code: 2
    --- stderr
    error: a Rust program cannot be called `match`
    ");
    assert_snapshot!(new(&env, &["x", "--lang", "js", "--jp-tool", "."]).code(2), @"
    $ jp tool new x --lang js --jp-tool .
    exit code: 2
    --- stderr
    error: --jp-tool is for --lang rust
    ");
    assert_snapshot!(new(&env, &["x", "--lang", "rust", "--jp-tool", "."]).code(2), @"
    $ jp tool new x --lang rust --jp-tool .
    exit code: 2
    --- stderr
    error: --jp-tool .: not the crate jp_tool
    hint: name the directory crates/jp_tool of a checkout
    ");
    assert_snapshot!(new(&env, &["x", "--lang", "js", "--register"]).code(2), @"
    $ jp tool new x --lang js --register
    exit code: 2
    --- stderr
    error: no workspace in $PROJECT or any directory above it
    hint: run `jp init` in the directory that should be a workspace
    ");
    assert_eq!(fs::read_dir(env.project()).unwrap().count(), 0, "nothing was made");
}
