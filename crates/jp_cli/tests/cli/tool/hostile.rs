//! Tools that misbehave: a clear error, the documented exit code, and nothing left behind.

use std::time::Instant;

use super::*;

/// What a tool does, how jp ends, and a part of what it says.
const CASES: &[(&str, i32, &str)] = &[
    ("yes | head -c 1000000000", 1, "the tool wrote more than 10485760 bytes to stdout"),
    ("yes | head -c 1000000000 >&2", 1, "the tool wrote more than 10485760 bytes to stderr"),
    ("yes", 1, "the tool wrote more than 10485760 bytes to stdout"),
    ("sleep $MARK", 124, "the tool took more than 2 seconds and was ended"),
    ("trap '' TERM INT HUP; while :; do sleep $MARK; done", 124, "more than 2 seconds"),
    ("exec >&- 2>&-; sleep $MARK", 124, "more than 2 seconds"),
    ("kill -9 $$", 1, "the tool was ended by SIGKILL"),
    ("kill -SEGV $$", 1, "the tool was ended by SIGSEGV"),
    ("echo half; kill -TERM $$", 1, "the tool was ended by SIGTERM\n  stdout: half"),
    ("printf 'a\\377b'", 1, "not UTF-8 text, from byte 1 on"),
    ("printf '{\"type\":\"success\",\"content\":\"\\377\"}'", 1, "not UTF-8 text"),
    (
        "echo out; echo why >&2; exit 3",
        1,
        "the tool exited with code 3\n  stderr: why\n  stdout: out",
    ),
    (
        "echo '{\"type\":\"success\",\"content\":\"x\"}'; exit 1",
        1,
        "reported a success but exited with code 1",
    ),
    ("echo '{\"type\":\"error\",\"message\":\"no\"}'", 1, "error: no"),
    // More than anybody reads.
    (
        "printf '{\"type\":\"error\",\"message\":\"no\",\"trace\":[\"a\"'
         yes ',\"a\"' | head -n 500000 | tr -d '\\n'; echo ']}'",
        1,
        "\n  a\n  [499902 more left out]\n",
    ),
    // A child that stays behind in every way it can.
    ("setsid sleep $MARK & (sleep $MARK &) ; nohup sleep $MARK >/dev/null 2>&1 & echo done", 0, ""),
    ("setsid sleep $MARK & echo done; exit 9", 1, "exited with code 9"),
    ("i=0; while [ $i -lt 100 ]; do setsid sleep $MARK & i=$((i+1)); done; echo done", 0, ""),
];

#[test]
fn tools_that_misbehave() {
    for (script, code, part) in CASES {
        let env = with_script("");
        env.write(".jp/config.toml", local("t", "./t.sh") + "timeout_secs = 2\n");
        let mark = mark(&env);
        program(&env, "t.sh", &(described("{}") + &script.replace("$MARK", &mark)));
        let started = Instant::now();
        let output = run(&env, &["t"]).run();
        let shown = output.stderr().chars().take(500).collect::<String>();
        assert_eq!(output.exit_code(), Some(*code), "{script}: {shown}");
        assert!(output.stderr().contains(part), "{script}: {shown}");
        assert!(output.stderr().len() < 20_000, "{script}");
        assert!(output.stderr().lines().count() < 250, "{script}");
        assert!(started.elapsed() < Duration::from_secs(20), "{script}");
        assert_eq!(sleepers(&mark), Vec::<String>::new(), "{script}");
    }
}

/// To say nothing is a result too.
#[test]
fn a_tool_that_says_nothing() {
    for script in
        ["", "exec >&-", "exec <&-; true", "echo '{\"type\":\"success\",\"content\":\"\"}'"]
    {
        let env = with_script(&(described("{}") + script));
        let output = run(&env, &["t"]).run().success();
        assert_eq!((output.stdout(), output.stderr()), ("", ""), "{script}");
        let output = env.jp(["--format", "json", "tool", "run", "t"]).run().success();
        assert_eq!(json(&output)["status"], "success");
    }
}

/// What is almost an outcome is text, as it stands.
#[test]
fn what_is_almost_an_outcome_is_text() {
    for text in [
        r#"{"type":"success","content":"x","id":7}"#,
        r#"{"type":"success","content":7}"#,
        r#"{"type":"needs_input","question":{"id":"x"}}"#,
        r#"["success"]"#,
        r#"{"type":"success","content":"x"} and more"#,
    ] {
        let env = with_script(&format!("{}echo '{text}'", described("{}")));
        let output = run(&env, &["t"]).run().success();
        assert_eq!(output.stdout(), format!("{text}\n"));
    }
}

/// Every end as an object, with the same exit code.
#[test]
fn ends_in_json() {
    for (script, code, status) in [
        ("echo hi", 0, "success"),
        ("echo why >&2; exit 2", 1, "error"),
        ("printf '\\377'", 1, "error"),
    ] {
        let env = with_script(&(described("{}") + script));
        let output = env.jp(["--format", "json", "tool", "run", "t"]).run().code(code);
        assert_eq!(json(&output)["status"], status, "{output}");
    }
    let env = with_script(&described("{}"));
    let output = env.jp(["--format", "json", "tool", "run", "t", "x:=1"]).run().code(2);
    assert_eq!(output.stdout(), "", "{output}");
}

/// A definition that means harm.
#[test]
fn hostile_descriptions() {
    let deep = format!(
            "{}\"type\":\"string\"{}",
            r#"{"properties":{"a":"#
                .repeat(100)
                .replace("{\"properties\"", "{\"type\":\"object\",\"properties\""),
            "}}".repeat(100)
        );
    let nested = format!(r#"{{"p":{{"type":"object","properties":{{"a":{{{deep}}}}}}}}}"#);
    for parameters in [
        nested.as_str(),
        r#"{"p":{"type":"string","pattern":"(("}}"#,
        r#"{"p":{"type":"nothing"}}"#,
        r#"{"p":7}"#,
    ] {
        let env = with_script("");
        env.write("schema", format!(r#"{{"tools":[{{"name":"t","parameters":{parameters}}}]}}"#));
        program(&env, "t.sh", "cat schema");
        let output = run(&env, &["t", "p=x"]).run().code(2);
        assert!(output.stderr().contains("tool `t`"), "{output}");
    }
    // A pattern that takes for ever takes a moment.
    let env = with_script(&described(r#"{"p":{"type":"string","pattern":"^(a+)+$"}}"#));
    let started = Instant::now();
    run(&env, &["t", &format!("p={}b", "a".repeat(80))]).run().code(2);
    assert!(started.elapsed() < Duration::from_secs(10));
}
