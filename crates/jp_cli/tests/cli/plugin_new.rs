//! `jp plugin new`: what it makes is a plugin, and nothing that was there is lost.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use insta::assert_snapshot;
use jp_test::{Output, TestEnv};

use super::tool_new::{cargo, target};

#[track_caller]
fn new(env: &TestEnv, words: &[&str]) -> Output {
    env.jp([&["plugin", "new"], words].concat()).run()
}

#[track_caller]
fn passes(env: &TestEnv, program: &str) {
    let check = env.jp(["plugin", "check", "--", program]).timeout(Duration::from_mins(2));
    let output = check.run().success();
    assert!(output.stdout().contains(" 0 warnings, 0 failed"), "{output}");
}

#[test]
fn a_script_in_each_language_passes_the_check() {
    let env = jp_test::env!();
    for (language, name, file) in [
        ("python", "hello", "jp-hello"),
        ("shell", "conversation http-export", "jp-conversation-http_export"),
    ] {
        drop(new(&env, &[name, "--lang", language]).success());
        let mode = fs::metadata(env.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o100, 0o100, "{file} can be executed");
        for placeholder in ["__NAME__", "__WORDS__", "__FILE__", "__COMMAND__", "__HELPER__"] {
            assert!(!env.read(file).contains(placeholder), "{placeholder}");
        }
        passes(&env, &format!("./{file}"));
    }
}

#[test]
fn a_project_in_rust_passes_the_check() {
    let env = jp_test::env!();
    let sdk = format!("{}/../jp_plugin_sdk", env!("CARGO_MANIFEST_DIR"));
    for (name, options) in [("plain", &[][..]), ("on-sdk", &["--jp-plugin-sdk", &sdk])] {
        drop(new(&env, &[&[name, "--lang", "rust"], options].concat()).success());
        let file = format!("jp-{}", name.replace('-', "_"));
        let manifest = env.path(format!("{file}/Cargo.toml"));
        cargo(&["build", "--manifest-path", manifest.as_str()]);
        passes(&env, target().join("debug").join(file).as_str());
    }
}

#[test]
fn what_to_do_with_it_is_printed() {
    let env = jp_test::env!();
    assert_snapshot!(new(&env, &["hello", "--lang", "python", "--dir", "my plugins"]).success(), @"
    $ jp plugin new hello --lang python --dir 'my plugins'
    exit code: 0
    --- stderr
    Made:
      my plugins/jp-hello

    Check it:  jp plugin check -- './my plugins/jp-hello'
    Run it:    put it into a directory of $PATH, then jp hello
    ");
    assert_snapshot!(new(&env, &["hello", "--lang", "rust"]).success(), @"
    $ jp plugin new hello --lang rust
    exit code: 0
    --- stderr
    Made:
      jp-hello/Cargo.toml
      jp-hello/src/main.rs
      jp-hello/.gitignore

    Build it:  cargo build --release --manifest-path ./jp-hello/Cargo.toml
    Check it:  jp plugin check -- ./jp-hello/target/release/jp-hello
    Run it:    put it into a directory of $PATH, then jp hello
    ");
}

#[test]
fn nothing_is_overwritten_and_names_are_strict() {
    let env = jp_test::env!();
    env.write("jp-hello", "mine");
    assert_snapshot!(new(&env, &["hello", "--lang", "shell"]).code(2), @"
    $ jp plugin new hello --lang shell
    exit code: 2
    --- stderr
    error: $PROJECT/jp-hello exists already
    hint: choose another name, or another directory with --dir
    ");
    assert_eq!(env.read("jp-hello"), "mine");
    for name in ["../x", "--x", "a/b", "", "é"] {
        drop(new(&env, &["--lang", "shell", "--", name]).code(2));
    }
    // What jp has itself would never be reached.
    for name in ["plugin", "conversation ls", "c export", "help"] {
        let output = new(&env, &[name, "--lang", "shell"]).code(2);
        assert!(output.stderr().contains("would never be reached"), "{output}");
    }
    drop(new(&env, &["x", "--lang", "shell", "--jp-plugin-sdk", "."]).code(2));
    drop(new(&env, &["x", "--lang", "rust", "--jp-plugin-sdk", "."]).code(2));
    assert!(!env.path("jp-x").exists());
}

#[test]
fn a_script_prints_nothing_about_no_conversations() {
    let env = super::workspace();
    for language in ["python", "shell"] {
        drop(new(&env, &[language, "--lang", language]).success());
        let run = format!("plugins.command.{language}.run=unattended");
        let path = format!("{}:/usr/bin:/bin", env.project());
        let jp = |words: &[&str]| env.jp(words.iter().copied()).env("PATH", &path).run().success();
        assert_eq!(jp(&["--cfg", &run, language]).stdout(), "", "{language}");
    }
    drop(env.jp(["conversation", "new", "--title", "One"]).run().success());
    for language in ["python", "shell"] {
        let run = format!("plugins.command.{language}.run=unattended");
        let path = format!("{}:/usr/bin:/bin", env.project());
        let output = env.jp(["--cfg", &run, language]).env("PATH", &path).run().success();
        assert!(output.stdout().ends_with("  One\n"), "{output}");
        assert_eq!(output.stdout().lines().count(), 1, "{output}");
    }
}
