//! `jp tool check --runtime vfs`: the examples pass, and each kind of mistake is found and named.

use super::*;

/// A sealed tool for a shell, in parts that a test can replace. Each part is a few commands.
#[derive(Clone, Copy)]
struct Sealed {
    describe: &'static str,
    /// Before anything is asked for.
    begin: &'static str,
    request: &'static str,
    /// The answer is the text in `$answer`.
    result: &'static str,
    error: &'static str,
    news: &'static str,
    cancel: &'static str,
    /// When there is nothing more to read.
    end: &'static str,
    last: &'static str,
}

const GOOD: Sealed = Sealed {
    describe: r#"say '{"jsonrpc":"2.0","method":"result","params":{"content":{"tools":[{"name":"t","summary":"Does nothing.","parameters":{}}]}}}'; exit"#,
    begin: ":",
    request: r#"say '{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"README.md"}}'"#,
    result: "last",
    error: "fail refused",
    news: ":",
    cancel: "exit",
    end: "exit 1",
    last: r#"say '{"jsonrpc":"2.0","method":"result","params":{"content":"done"}}'; exit"#,
};

impl Sealed {
    fn script(&self) -> String {
        let Self { describe, begin, request, result, error, news, cancel, end, last } = self;
        format!(
            r#"
say() {{ printf '%s\n' "$1"; }}
fail() {{ say '{{"jsonrpc":"2.0","method":"error","params":{{"message":"'"$1"'"}}}}'; exit 1; }}
last() {{ {last}; }}
IFS= read -r line || exit 1
case $line in
*'"action":"schema"'* | *'"action":"Schema"'*) {describe} ;;
*'"action":"format_arguments"'*) last ;;
*jp_check_unknown*:true*'"answers":{{}}'*) fail 'unknown argument `jp_check_unknown`' ;;
esac
{begin}
{request}
while :; do
    IFS= read -r answer || {{ {end}; }}
    case $answer in
    '{{"jsonrpc":"2.0","id":1,"result"'*) {result} ;;
    '{{"jsonrpc":"2.0","id":1,"error"'*) {error} ;;
    *'"method":"cancel"'*) {cancel} ;;
    *) {news} ;;
    esac
done
"#
        )
    }
}

/// Checks a tool with one mistake: where it has to be found, and what is said of it.
#[track_caller]
fn finds(tool: Sealed, found: (&str, &str, &str)) {
    let env = jp_test::env!();
    let (output, findings) = check(&env, &tool.script(), &["--runtime", "vfs", "--timeout", "5"]);
    let (name, status, reason) = found;
    assert!(has(&findings, name, status, reason), "{found:?}: {output}");
    let code = i32::from(status == "fail");
    assert_eq!(output.exit_code(), Some(code), "{output}");
    for finding in findings.iter().filter(|finding| finding["status"] == "fail") {
        for key in ["reason", "expected", "fix"] {
            assert!(finding[key].is_string(), "{key} of {finding}");
        }
        assert!(finding["exchange"].as_array().is_some_and(|said| !said.is_empty()), "{finding}");
    }
}

fn sealed_example(name: &str) -> String {
    example(&format!("vfs/{name}"))
}

#[track_caller]
fn passes_sealed(command: &str, options: &[&str]) -> Output {
    let env = jp_test::env!();
    let words = [&["tool", "check", "--runtime", "vfs"], options, &["--", command]].concat();
    let output = env.jp(words).timeout(Duration::from_mins(5)).run().success();
    assert!(output.stdout().contains(" 0 failed"), "{output}");
    output
}

// D06-007: all of them describe themselves by `result`.
#[test]
fn sealed_tools_without_the_sdk_pass() {
    for name in ["outline.py", "list_scripts.js", "count_todos.sh"] {
        let output = passes_sealed(&sealed_example(name), &[]);
        for expected in [
            "ok       describes itself by `result`",
            ": copes when everything is denied (-32001)",
            ": takes an answer of three megabytes",
            ": ends when it is cancelled",
        ] {
            let is_ok = |line: &str| line.starts_with("ok ") && line.ends_with(expected);
            let is_ok = |line: &str| is_ok(line) || line == expected;
            assert!(output.stdout().lines().any(is_ok), "{expected}: {output}");
        }
    }
}

#[test]
fn sealed_tools_on_the_sdk_pass() {
    let tool = built_example("rename_identifier");
    let output = passes_sealed(tool.as_str(), &["--arguments", r#"{"from":"a","to":"b"}"#]);
    for expected in [
        "ok       rename_identifier: takes answers in another order than it asked",
        "ok       rename_identifier: goes on when `rename` is answered",
    ] {
        assert!(output.stdout().contains(expected), "{expected}: {output}");
    }
    let tool = built_example("clear_todos");
    let output = passes_sealed(tool.as_str(), &["--arguments", r#"{"mark":"TODO"}"#]);
    let expected = "ok       clear_todos: ends when its input ends in the middle of a call";
    assert!(output.stdout().contains(expected), "{output}");
}

/// The tools that come with jp speak both ways.
#[test]
fn a_bundled_tool_passes_sealed() {
    drop(passes_sealed("jp-tools", &["--name", "fs_read_file"]));
}

#[test]
fn a_good_sealed_tool_has_nothing_to_complain_of() {
    let env = jp_test::env!();
    let (output, findings) = check(&env, &GOOD.script(), &["--runtime", "vfs"]);
    let is_fine = |finding: &Value| ["ok", "skipped"].iter().any(|ok| finding["status"] == *ok);
    assert!(findings.iter().all(is_fine), "{output}");
}

#[test]
fn what_is_no_message_is_found() {
    finds(
        Sealed { begin: "echo reading", ..GOOD },
        ("messages", "fail", "a line that is no message: \"reading\" (not JSON"),
    );
    finds(
        Sealed {
            last: r#"say '{"jsonrpc":"2.0","method":"result","params":{"content":"a "b""}}'; exit"#,
            ..GOOD
        },
        ("messages", "fail", "is no message"),
    );
    finds(
        Sealed {
            last: r#"say '{"jsonrpc":"2.0","method":"result","params":{"text":"b"}}'; exit"#,
            ..GOOD
        },
        ("run.good", "fail", "its last word makes no sense: params of `result`"),
    );
    finds(
        Sealed { request: r#"say '{"jsonrpc":"2.0","id":1,"method":"read","params":{}}'"#, ..GOOD },
        ("messages", "warning", "read"),
    );
}

#[test]
fn a_wrong_last_word_is_found() {
    let result = r#"say '{"jsonrpc":"2.0","method":"result","params":{"content":"done"}}'"#;
    let twice = format!("{result}; {result}; exit");
    finds(Sealed { last: twice.leak(), ..GOOD }, ("final", "fail", "more after its last word"));
    finds(Sealed { last: "exit 3", ..GOOD }, ("run.good", "fail", "code 3 without a last word"));
    let stays = format!("{result}; while read -r more; do :; done");
    let found = ("ends", "fail", "it was still there 2 seconds after its last word");
    finds(Sealed { last: stays.leak(), ..GOOD }, found);
}

#[test]
fn a_tool_without_a_description_is_found() {
    finds(Sealed { describe: "exit 1", ..GOOD }, ("schema", "fail", "does not describe itself"));
    finds(Sealed { describe: "last", ..GOOD }, ("schema", "fail", "no description of tools"));
}

#[test]
fn a_tool_that_cannot_take_a_refusal_is_found() {
    for check in ["errors.denied", "errors.not_found", "errors.internal", "errors.timeout"] {
        let found = (check, "fail", "exited with code 7 without a last word");
        finds(Sealed { error: "exit 7", ..GOOD }, found);
    }
}

#[test]
fn a_tool_that_hangs_is_found() {
    let wait = "while read -r more; do :; done";
    let found = ("cancel", "fail", "it was still there 5 seconds after `cancel`");
    finds(Sealed { error: ":", cancel: wait, ..GOOD }, found);
    let found = ("stdin.closed", "fail", "it was still there 5 seconds after its input had ended");
    finds(Sealed { end: "continue", ..GOOD }, found);
    let found = ("errors.timeout", "fail", "it said no last word within 5 seconds");
    finds(Sealed { error: ":", ..GOOD }, found);
}

#[test]
fn a_tool_that_is_too_strict_is_found() {
    let found = ("news", "fail", "a good call works, and this one fails: \"refused\"");
    finds(Sealed { news: "fail refused", ..GOOD }, found);
    let strict = "case $answer in *'}}') last ;; *) fail unknown ;; esac";
    finds(Sealed { result: strict, ..GOOD }, ("answers.fields", "fail", "\"unknown\""));
    let strict = r#"case $line in *'"protocol_version":"0.1.0"}}') ;; *) fail strict ;; esac"#;
    finds(Sealed { begin: strict, ..GOOD }, ("init.fields", "fail", "\"strict\""));
}

#[test]
fn the_messages_are_recorded() {
    let env = jp_test::env!();
    let options = ["--runtime", "vfs", "--record", "said.jsonl"];
    let (output, _) = check(&env, &GOOD.script(), &options);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let text = env.read("said.jsonl");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |check: &str| -> Vec<String> {
        let lines = lines.iter().filter(|line| line["check"] == check);
        let what = |line: &Value| line["message"]["method"].as_str().map(str::to_owned);
        lines
            .map(|line| {
                assert!(line["ms"].is_u64(), "{line}");
                let said = what(line).or_else(|| line["text"].as_str().map(str::to_owned));
                format!("{} {}", line["from"].as_str().unwrap(), said.unwrap_or_default())
            })
            .collect()
    };
    insta::assert_debug_snapshot!(of("run.good"), @r#"
    [
        "host init",
        "tool fs.read",
        "host ",
        "tool result",
        "check the tool exited with code 0",
    ]
    "#);
    insta::assert_debug_snapshot!(of("stdin.closed"), @r#"
    [
        "host init",
        "tool fs.read",
        "check the input of the tool ends",
        "check the tool exited with code 1",
    ]
    "#);
    assert!(text.lines().all(|line| line.len() < 20_000), "what is long is cut");
    let words = ["tool", "check", "--record", "x", "--", "/bin/true"];
    insta::assert_snapshot!(env.jp(words).run().code(2), @"
    $ jp tool check --record x -- /bin/true
    exit code: 2
    --- stderr
    error: --record: only tools with `--runtime vfs` exchange messages
    ");
}
