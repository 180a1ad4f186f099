//! What is told from what.

use super::*;

#[track_caller]
fn unclear_because(text: &str, manner: Manner, expected: &str) {
    match Said::read(text.as_bytes(), manner) {
        Said::Unclear { reason } => assert!(reason.contains(expected), "{text}: {reason}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn messages_are_told_from_text() {
    let read = |text: &str| Said::read(text.as_bytes(), Manner::Once);
    assert_eq!(read(r#"{"type":"success","content":"x"}"#), Said::Success("x".to_owned()));
    assert_eq!(read(" \n"), Said::Nothing);
    assert_eq!(read("plain"), Said::Text("plain".to_owned()));
    assert_eq!(read(r#"{"answer":1}"#), Said::Text(r#"{"answer":1}"#.to_owned()));
    assert_eq!(read(r#"["success","x"]"#), Said::Text(r#"["success","x"]"#.to_owned()));
    assert_eq!(read(r#"{"type":"error","message":"m"}"#).error(), Some("m"));
    let failed = r#"{"content":[{"type":"text","text":"m"}],"isError":true}"#;
    assert_eq!(read(failed).error(), Some("m"));
    assert!(matches!(read(r#"{"content":[{"type":"text","text":"m"}]}"#), Said::Blocks(_)));
    // A page of records of some service.
    assert!(matches!(read(r#"{"content":[{"id":1}],"next":2}"#), Said::Text(_)));
}

#[test]
fn what_nearly_is_a_message_says_why_not() {
    let check = |text, expected| unclear_because(text, Manner::Once, expected);
    check(r#"{"type":"success","content":"x","id":7}"#, "unknown field `id`");
    check(r#"{"type":"success"}"#, "missing field `content`");
    check(r#"{"type":"error","error":"x"}"#, "and so for a success");
    check(
        r#"{"type":"needs_input","question":{"id":"a","text":"b","answer_type":"boolean"}}"#,
        "unknown variant `boolean`",
    );
    check(r#"{"content":[{"type":"text","text":"a"}],"error":1}"#, "unknown field `error`");
    check(r#"{"content":[{"type":"words"}]}"#, "none of the blocks");
    check(
        "{\"type\": \"success\", \"content\": \"a\nb\"}",
        "begins like an outcome but is not JSON",
    );
    check("debug\n{\"type\":\"success\",\"content\":\"x\"}\n", "1 more line beside it");
    match Said::read(b"a\xffb", Manner::Once) {
        Said::Unclear { reason } => assert_eq!(reason, "its output is not UTF-8, from byte 1 on"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tool_that_stays_alive_speaks_in_states() {
    let state = Said::read(br#"{"type":"running"}"#, Manner::States);
    assert!(matches!(state, Said::State(_)), "{state:?}");
    unclear_because(r#"{"type":"sleeping"}"#, Manner::States, "unknown variant `sleeping`");
    unclear_because("hello", Manner::States, "not the state of a tool");
}
