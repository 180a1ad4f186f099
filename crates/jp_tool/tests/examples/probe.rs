//! What the SDK does as a process: its streams and its exit code.

use super::*;

/// Runs a tool of the program that misbehaves.
fn probe(env: &TestEnv, name: &str) -> Output {
    let line = invocation(env, "run", "{}", "{}");
    let line = String::from_utf8(line).unwrap().replacen("\"t\"", &format!("{name:?}"), 1);
    env.command(program("probe"), [""; 0]).env("PATH", path()).stdin(line).run()
}

#[test]
fn a_panic_is_an_error_and_its_message_is_on_stderr() {
    let output = probe(&workspace(), "panics");
    assert_eq!(error(&output), "the tool panicked: out of paper");
    assert!(output.stderr().contains("out of paper"), "{output}");
}

#[test]
fn only_the_answer_goes_to_stdout() {
    let output = probe(&workspace(), "prints").success();
    assert_eq!(output.stdout(), "{\"type\":\"success\",\"content\":\"real\"}\n");
    assert!(output.stderr().contains("forged"), "{output}");
    assert!(output.stderr().contains("from a child"), "{output}");
}

#[test]
fn an_error_keeps_its_causes_and_whether_to_try_again() {
    let output = probe(&workspace(), "fails").code(1);
    let line = r#"{"type":"error","message":"try later","trace":["it is busy"],"transient":true}"#;
    assert_eq!(output.stdout(), format!("{line}\n"));
    assert_eq!(output.stderr(), "");
}

#[test]
fn an_unknown_tool_is_an_error_with_the_known_ones() {
    insta::assert_snapshot!(
        error(&probe(&workspace(), "dances")),
        @r#"no tool "dances" in this program, only ["panics", "prints", "fails"]"#
    );
}

#[test]
fn it_is_quiet_when_nobody_listens() {
    let env = workspace();
    let line = invocation(&env, "run", r#"{"path":"a.txt"}"#, "{}");
    // The shell closes the pipe before the tool has written to it.
    let tool = program("count_lines");
    let script = format!("{{ sleep 0.3; cat; }} | {{ \"{tool}\"; echo $? >&2; }} | :");
    let output = env.command("sh", ["-c", &script]).env("PATH", path()).stdin(line).run();
    assert_eq!(output.stderr(), "1\n");
}
