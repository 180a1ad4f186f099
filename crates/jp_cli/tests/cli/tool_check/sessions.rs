//! Tools that stay alive, one that is right and others that are not.

use super::*;

const DESCRIBE: &str = r#"echo '{"tools":[{"name":"t","summary":"Asks.","actions":["spawn","fetch","apply","abort"],"parameters":{}}]}'"#;

/// Asks one question and waits. Each case can be replaced.
const SESSION: &str = r#"
case $line in *'"args":{}'*) ;; *) fail 'unknown argument `jp_check_unknown`' ;; esac
ask() { echo '{"type":"waiting","question":{"id":"q","text":"Go on?","answer_type":"Boolean"}}'; }
ask
while read -r command; do
    case $command in
    *'"fetch","id":"check"'*) ask ;;
    *'"abort","id":"check"'*) echo '{"type":"stopped","result":"aborted"}'; exit 0 ;;
    *'"apply","id":"check","input":true'*) echo '{"type":"stopped","result":"done"}'; exit 0 ;;
    *'"apply","id":"check"'*) ask ;;
    *) fail 'not a command to this session' ;;
    esac
done
"#;

/// A shell must not read ahead, or the commands would be gone.
fn live(session: &str) -> String {
    script(DESCRIBE, "echo it", session).replace("line=$(head -n 1)", "IFS= read -r line")
}

#[test]
fn one_that_is_right_passes() {
    let env = jp_test::env!();
    let (output, findings) = check(&env, &live(SESSION), &[]);
    let bad = |it: &&Value| it["status"] == "fail" || it["status"] == "warning";
    assert_eq!(findings.iter().find(bad), None, "{output}");
    for check in [
        "session.fetch",
        "session.abort",
        "session.end",
        "session.spawn_twice",
        "session.garbage",
        "session.other_id",
        "session.wrong_answer",
        "session.answers",
        "cancel",
    ] {
        assert!(has(&findings, check, "ok", ""), "{check}: {output}");
    }
    assert!(!findings.iter().any(|it| it["check"] == "format_arguments"), "{output}");
}

/// What is replaced by what, and where that is found.
type Mistake = (&'static str, &'static str, (&'static str, &'static str));

#[test]
fn mistakes_are_found() {
    let mistakes: [Mistake; 10] = [
        (
            r#"echo '{"type":"stopped","result":"aborted"}'; exit 0"#,
            "ask",
            ("session.abort", "waiting"),
        ),
        (
            r#"echo '{"type":"stopped","result":"aborted"}'; exit 0"#,
            r#"echo '{"type":"stopped","result":"aborted"}'"#,
            ("session.abort", "did not end within 2 seconds"),
        ),
        ("fail 'not a command to this session'", "ask", ("session.garbage", "waiting")),
        (
            "fail 'not a command to this session'",
            ":",
            ("session.spawn_twice", "did not answer within 2 seconds"),
        ),
        ("done\n", "done\necho bye\n", ("session.end", "it printed more: bye")),
        ("done\n", "done\nsleep 10\n", ("session.end", "did not end")),
        (
            r#"*'"apply","id":"check"'*) ask"#,
            r#"*'"apply","id":"check"'*) echo '{"type":"running"}'"#,
            ("session.wrong_answer", "running"),
        ),
        (
            r#"*'"fetch","id":"check"'*) ask"#,
            r#"*'"fetch","id":"check"'*) echo '{"type":"sleeping"}'"#,
            ("session.fetch", "unknown variant `sleeping`"),
        ),
        ("\nask\n", "\necho hello\n", ("run.good", "not the state of a tool")),
        (
            "ask() { echo",
            "ask() { trap '' TERM; echo",
            ("cancel", "still there 2 seconds after SIGTERM"),
        ),
    ];
    // All at once: most of the time is spent waiting for an end that does not come.
    std::thread::scope(|scope| {
        for mistake in mistakes {
            scope.spawn(move || check_mistake(mistake));
        }
    });
}

fn check_mistake((from, to, (id, reason)): Mistake) {
    let env = jp_test::env!();
    let session = SESSION.replace(from, to);
    assert_ne!(session, SESSION);
    let (output, findings) = check(&env, &live(&session), &["--timeout", "2"]);
    assert!(has(&findings, id, "fail", reason), "{id}, {reason}: {output}");
    assert_eq!(output.exit_code(), Some(1), "{output}");
}

#[test]
fn one_that_stops_at_once_is_not_talked_to() {
    let env = jp_test::env!();
    let session = r#"echo '{"type":"stopped","result":"nothing to do"}'"#;
    let (output, findings) = check(&env, &live(session), &[]);
    assert!(has(&findings, "session", "skipped", "it stops at once"), "{output}");
    assert!(has(&findings, "session", "skipped", "--root"), "{output}");
}
