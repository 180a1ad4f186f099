//! Everything a program can print and every way it can end.

use jp_process::{Captured, Finished};
use jp_sandbox::event::Ended;
use jp_tool::Blocks;
use serde_json::json;

use super::*;

const PATIENCE: Duration = Duration::from_secs(7);

fn finished(code: i32, stdout: &[u8], stderr: &str) -> Finished {
    Finished {
        exit: Exit::by_itself(Ended::Code(code)),
        stdout: Captured { bytes: stdout.to_vec(), truncated: false },
        stderr: Captured { bytes: stderr.into(), truncated: false },
        stopped: None,
    }
}

fn outcome(code: i32, stdout: &str) -> ExecutionOutcome {
    of_program(&finished(code, stdout.as_bytes(), "oh"), PATIENCE)
}

fn error(outcome: ExecutionOutcome) -> ToolError {
    match outcome {
        ExecutionOutcome::Completed(Err(failure)) => failure.error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn plain_text_is_the_result() {
    for text in
        ["hi\n", "", "[1]", "{\"a\":1}", "{\"type\":\"success\",\"content\":\"a\",\"id\":1}"]
    {
        assert_eq!(outcome(0, text), ExecutionOutcome::text(text));
    }
}

#[test]
fn messages_are_understood_with_space_around_them() {
    let success = " {\"type\":\"success\",\"content\":\"done\"}\n\n";
    assert_eq!(outcome(0, success), ExecutionOutcome::text("done"));
    let blocks = "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}";
    assert_eq!(outcome(0, blocks), ExecutionOutcome::text("a"));
    let failed = "{\"type\":\"error\",\"message\":\"no\",\"trace\":[\"b\"],\"transient\":true}";
    for code in [0, 1] {
        let found = error(outcome(code, failed));
        assert_eq!((found.message.as_str(), found.transient), ("no", true));
    }
}

#[test]
fn a_question_can_be_asked_in_both_forms() {
    let short = "{\"type\":\"needs_input\",\"question\":{\"id\":\"go\",\"text\":\"Go?\",\"pre_amble\":\"look\",\"answer_type\":\"Boolean\"}}";
    let long = "{\"content\":[{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"question\",\"question\":{\"id\":\"go\",\"text\":\"Go?\",\"schema\":{\"type\":\"boolean\"}}},{\"type\":\"text\",\"text\":\"after\"}]}";
    let expected = Asked {
        id: "go".to_owned(),
        text: "Go?".to_owned(),
        preamble: Blocks::from(vec![ContentBlock::text("look")]),
        schema: json!({ "type": "boolean" }),
        default: None,
    };
    for text in [short, long] {
        assert_eq!(outcome(0, text), ExecutionOutcome::NeedsInput(expected.clone()));
    }
}

#[test]
fn a_code_other_than_zero_is_an_error_that_carries_stderr() {
    let found = error(outcome(3, "half"));
    assert_eq!(found.message, "the tool exited with code 3");
    assert_eq!(found.trace, ["stderr: oh", "stdout: half"]);
    let found = error(outcome(1, "{\"type\":\"success\",\"content\":\"done\"}"));
    assert_eq!(found.message, "the tool reported a success but exited with code 1");
}

#[test]
fn what_is_not_whole_is_no_result() {
    let late = Finished { stopped: Some(Stopped::Time), ..finished(0, b"x", "") };
    assert_eq!(
        error(of_program(&late, PATIENCE)).message,
        "the tool took more than 7 seconds and was ended"
    );
    let mut long = finished(0, b"xxxx", "");
    long.stdout.truncated = true;
    assert_eq!(
        error(of_program(&long, PATIENCE)).message,
        "the tool wrote more than 4 bytes to stdout"
    );
    let found = error(of_program(&finished(0, b"ab\xff", ""), PATIENCE));
    assert_eq!(found.message, "the tool printed something that is not UTF-8 text, from byte 2 on");
    let cancelled = Finished { stopped: Some(Stopped::Cancelled), ..finished(0, b"x", "") };
    assert_eq!(of_program(&cancelled, PATIENCE), ExecutionOutcome::Cancelled);
}

#[test]
fn a_long_text_is_cut_between_letters() {
    let text = "é".repeat(10_000);
    let cut = shortened(&text);
    assert!(cut.starts_with("[11808 bytes left out] é"), "{}", &cut[..40]);
}
