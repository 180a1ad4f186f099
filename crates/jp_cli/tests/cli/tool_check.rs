//! `jp tool check`: good tools pass, and each kind of mistake is found and named.

mod bad;
mod sealed;
mod sessions;

use std::time::Duration;

use camino::Utf8PathBuf;
use jp_test::{Output, TestEnv};
use serde_json::Value;

/// A tool that is right in everything and takes nothing, in parts that a test can replace.
const DESCRIPTION: &str = r#"{"tools":[{"name":"t","summary":"Does nothing.","parameters":{}}]}"#;

/// The script of a tool for a shell. What is asked for is recognised by its letters.
fn script(describe: &str, show: &str, run: &str) -> String {
    format!(
        r#"
fail() {{ printf '{{"type":"error","message":"%s"}}\n' "$1"; exit 1; }}
line=$(head -n 1)
case $line in
*'"action":"schema"'* | *'"action":"Schema"'*)
{describe}
;;
*'"action":"format_arguments"'*)
{show}
;;
*'"action":"run"'*)
case $line in *jp_check_unknown*:true*'"answers":{{}}'*) fail 'unknown argument `jp_check_unknown`' ;; esac
{run}
;;
*) fail 'no invocation' ;;
esac
"#
    )
}

/// Checks a script for a shell; what was found, one object for each check.
fn check(env: &TestEnv, script: &str, options: &[&str]) -> (Output, Vec<Value>) {
    env.write("tool.sh", script);
    let words = [&["tool", "check", "--format", "json"], options, &["--", "/bin/sh", "tool.sh"]];
    let output = env.jp(words.concat()).timeout(Duration::from_mins(2)).run();
    let read = |line| serde_json::from_str(line).expect("each line is an object");
    let findings = output.stdout().lines().map(read).collect();
    (output, findings)
}

/// Whether a finding of this check has this status and a reason that says this.
fn has(findings: &[Value], check: &str, status: &str, reason: &str) -> bool {
    findings.iter().any(|finding| {
        finding["check"] == check
            && finding["status"] == status
            && finding["reason"].as_str().unwrap_or_default().contains(reason)
    })
}

#[track_caller]
fn passes(env: &TestEnv, command: &[&str], options: &[&str]) -> Output {
    let words = [&["tool", "check"], options, &["--"], command].concat();
    let output = env.jp(words).timeout(Duration::from_mins(5)).run().success();
    assert!(output.stdout().contains(" 0 warnings, 0 failed"), "{output}");
    output
}

fn example(name: &str) -> String {
    format!("{}/../../examples/tools/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// An example in Rust. It is beside this program if the whole workspace was built, and made otherwise.
fn built_example(name: &str) -> Utf8PathBuf {
    let beside = Utf8PathBuf::from(env!("CARGO_BIN_EXE_jp"));
    let beside = beside.parent().expect("a program is in a directory").join("examples").join(name);
    if beside.exists() {
        return beside;
    }
    let manifest = format!("{}/../jp_tool/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    super::tool_new::cargo(&["build", "--examples", "--manifest-path", &manifest]);
    super::tool_new::target().join("debug/examples").join(name)
}

#[test]
fn tools_that_were_written_against_the_documents_pass() {
    let env = jp_test::env!();
    for name in ["find_todos.py", "host_info.sh", "add_note.js"] {
        passes(&env, &[&example(name)], &[]);
    }
}

#[test]
fn tools_on_the_sdk_pass() {
    let env = jp_test::env!();
    passes(&env, &[built_example("count_lines").as_str()], &[]);
    passes(&env, &[built_example("git_stage").as_str()], &[]);
}

/// In a repository with changes the example has something to ask, so that all of it is tried.
#[test]
fn a_tool_that_stays_alive_passes_where_it_has_something_to_do() {
    let env = jp_test::env!();
    let git = |words: &[&str]| {
        let words = ["-c", "user.name=a", "-c", "user.email=a@b"].iter().chain(words).copied();
        drop(env.command("/usr/bin/git", words).run().success());
    };
    env.write("file", "one\n");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    env.write("file", "two\n");
    let output = passes(&env, &[built_example("git_stage").as_str()], &["--root", "."]);
    for expected in [
        "ok       git_stage: stops and ends when it is aborted",
        "ok       git_stage: asks again after an answer of the wrong type",
        "ok       git_stage: takes answers: 1 answered, then stopped",
        "ok       git_stage: ends when it is cancelled",
    ] {
        assert!(output.stdout().contains(expected), "{expected}: {output}");
    }
    let staged = env.command("/usr/bin/git", ["diff", "--cached", "--name-only"]).run().success();
    assert_eq!(staged.stdout(), "", "what the tool did was thrown away");
}

/// The tools that come with jp keep to the same rules as everybody's.
#[test]
fn the_tools_that_come_with_jp_pass() {
    let env = jp_test::env!();
    for name in ["fs_read_file", "fs_create_file", "unix_utils"] {
        passes(&env, &["jp-tools"], &["--name", name]);
    }
}

#[test]
fn the_tool_in_shell_of_the_documents_passes() {
    let env = jp_test::env!();
    let page = include_str!("../../../../docs/tools.md");
    let tool = page.split("```sh\n").find(|block| block.starts_with("#!/bin/sh")).unwrap();
    env.write("disk_usage", tool.split("```").next().unwrap());
    passes(&env, &["/bin/sh", "disk_usage"], &[]);
}

/// Nothing but the answer is judged: the workspace has nothing that could be asked for.
#[test]
fn what_is_printed_can_be_read_by_people() {
    let env = jp_test::env!();
    env.write("tool.sh", script(&format!("echo '{DESCRIPTION}'"), "echo it", "echo done"));
    let output = env.jp(["tool", "check", "--", "/bin/sh", "tool.sh"]).run().success();
    // On a slow machine it can be cancelled.
    let is_same = |line: &&str| !line.contains("cancelled") && !line.contains(" checks: ");
    let lines: Vec<&str> = output.stdout().lines().filter(is_same).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    ok       describes itself
    ok       describes itself again, in the same words
    ok       describes itself when the action is written `Schema`
    ok       describes itself when the name of the tool is empty
    ok       describes itself when the tool is called something else
    ok       describes itself when the invocation has fields it does not know
    ok       names its tools
    ok       t: says in a sentence what it does
    ok       t: uses words that jp knows
    ok       t: describes its parameters
    ok       t: has defaults that fit
    ok       t: run with stdin closed at once
    ok       t: run with a line that is no JSON
    ok       t: run with good arguments: plain text
    ok       t: shows arguments, and does nothing else
    ok       t: run with an argument it does not know
    ok       t: run with an answer to another question
    ok       t: run with a command as the name of an argument
    skipped  t: asks questions: a good call asks none
    ");
}

#[test]
fn a_failure_shows_what_was_sent_and_received() {
    let env = jp_test::env!();
    let run = r#"echo '{"type":"success","content":"x","id":7}'"#;
    env.write("tool.sh", script(&format!("echo '{DESCRIPTION}'"), "echo it", run));
    let output = env.jp(["tool", "check", "--", "/bin/sh", "tool.sh"]).run().code(1);
    let stdout = output.stdout();
    let at = stdout.find("FAIL     t: run with good").unwrap_or_else(|| panic!("{output}"));
    let lines: Vec<&str> = stdout[at..].lines().take(3).collect();
    assert_eq!(
        lines[0],
        "FAIL     t: run with good arguments: nearly an outcome, but unknown field \
         `id`, expected `content`; jp takes all of it for plain text"
    );
    assert!(lines[1].starts_with("           sent  {\"tool\":{\"name\":\"t\","), "{output}");
    assert!(lines[2].starts_with("           got   exited with code 0 after "), "{output}");
    assert!(lines[2].ends_with("ms, stdout: {\"type\":\"success\",\"content\":\"x\",\"id\":7}"));
    assert!(stdout.trim_end().lines().last().unwrap().contains(" failed, "), "{output}");
}

#[test]
fn usage() {
    let env = jp_test::env!();
    insta::assert_snapshot!(env.jp(["tool", "check", "--", "no-such-tool"]).run().code(2), @"
    $ jp tool check -- no-such-tool
    exit code: 2
    --- stderr
    error: no program no-such-tool was found
    ");
    env.write("here", "");
    insta::assert_snapshot!(env.jp(["tool", "check", "--", "here"]).run().code(2), @"
    $ jp tool check -- here
    exit code: 2
    --- stderr
    error: no program here was found
    hint: the file in this directory is ./here
    ");
    insta::assert_snapshot!(env.jp(["tool", "check", "--", "./here"]).run().code(2), @"
    $ jp tool check -- ./here
    exit code: 2
    --- stderr
    error: $PROJECT/here is not an executable file
    ");
    let output = env.jp(["tool", "check", "--root", "nowhere", "--", "/bin/true"]).run().code(2);
    insta::assert_snapshot!(output, @"
    $ jp tool check --root nowhere -- /bin/true
    exit code: 2
    --- stderr
    error: --root nowhere: No such file or directory (os error 2)
    ");
    drop(env.jp(["tool", "check"]).run().code(2));
    drop(env.jp(["tool", "check", "--", ""]).run().code(2));
}

/// A machine on which writes cannot be kept apart is no place for a program that nobody knows.
#[test]
fn without_a_place_for_changes_nothing_is_run() {
    let env = jp_test::env!();
    let run = env.jp(["tool", "check", "--", "/bin/true"]).env("JP_SANDBOX_HIDE", "overlay");
    let output = run.run().code(4);
    assert_eq!(output.stdout(), "");
}

/// The network is closed, the home cannot be written, and what is written elsewhere is gone afterwards.
#[test]
fn the_program_is_confined() {
    let env = jp_test::env!();
    let home = env.home().to_owned();
    let run = format!(
        "touch {home}/canary 2>/dev/null && fail 'wrote to the home'\n\
         touch canary || fail 'cannot write'\n\
         if [ -e /proc/net/route ] && [ \"$(wc -l < /proc/net/route)\" -gt 1 ]; then fail route; fi\n\
         echo done"
    );
    let (output, findings) =
        check(&env, &script(&format!("echo '{DESCRIPTION}'"), "echo it", &run), &["--root", "."]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(has(&findings, "run.good", "ok", "plain text"), "{output}");
    assert!(!env.path("canary").exists() && !home.join("canary").exists());
}
