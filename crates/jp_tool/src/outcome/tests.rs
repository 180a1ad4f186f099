//! What is an envelope and what is only a text that looks like one.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn question() -> Question {
    Question {
        pre_amble: Some("Two files change.".to_owned()),
        default: Some(json!("no")),
        ..Question::new(
            "go",
            "Go on?",
            AnswerType::Select { options: vec!["yes".to_owned(), "no".to_owned()] },
        )
    }
}

#[test]
fn envelopes_are_read_and_written_as_documented() {
    for (text, outcome) in [
        (r#"{"type":"success","content":"done"}"#, Outcome::success("done")),
        (
            r#"{"type":"error","message":"no","trace":["a","b"],"transient":true}"#,
            Outcome::Error(ToolError {
                trace: vec!["a".to_owned(), "b".to_owned()],
                transient: true,
                ..ToolError::new("no")
            }),
        ),
        (
            r#"{"type":"needs_input","question":{"id":"go","text":"Go on?","pre_amble":"Two files change.","answer_type":{"Select":{"options":["yes","no"]}},"default":"no"}}"#,
            Outcome::NeedsInput { question: question() },
        ),
    ] {
        assert_eq!(Outcome::parse(text).unwrap(), outcome);
        assert_eq!(serde_json::from_str::<Outcome>(text).unwrap(), outcome);
        assert_eq!(serde_json::to_string(&outcome).unwrap(), text);
    }
}

#[test]
fn an_error_needs_its_message_only() {
    let outcome = Outcome::parse(r#" {"message":"no","type":"error"}"#).unwrap();
    assert_eq!(outcome, Outcome::Error(ToolError::new("no")));
}

#[test]
fn anything_else_is_text() {
    for text in [
        "",
        "done",
        "null",
        "7",
        r#""x""#,
        "[]",
        "{}",
        r#"{"a":1}"#,
        // No type, another type, another spelling.
        r#"{"content":"x"}"#,
        r#"{"type":"done"}"#,
        r#"{"type":"Success","content":"x"}"#,
        r#"{"type":"needsInput","question":{"id":"a","text":"b","answer_type":"Text"}}"#,
        // A field is missing or of another type.
        r#"{"type":"success"}"#,
        r#"{"type":"success","content":null}"#,
        r#"{"type":"success","content":["x"]}"#,
        r#"{"type":"error","trace":[],"transient":false}"#,
        r#"{"type":"error","message":"x","transient":"no"}"#,
        r#"{"type":"needs_input"}"#,
        r#"{"type":"needs_input","question":"Go on?"}"#,
        // A field that nobody knows, at any depth.
        r#"{"type":"success","content":"x","id":7}"#,
        r#"{"type":"success","content":"x","message":"y"}"#,
        r#"{"type":"error","message":"x","code":404}"#,
        r#"{"type":"needs_input","question":{"id":"a","text":"b","answer_type":"Text"},"id":1}"#,
        r#"{"type":"needs_input","question":{"id":"a","text":"b","answer_type":"Text","x":1}}"#,
        r#"{"type":"needs_input","question":{"id":"a","text":"b","answer_type":{"Select":{"options":[],"x":1}}}}"#,
        // The same field twice: one of them would be lost.
        r#"{"type":"success","content":"x","content":"y"}"#,
        r#"{"type":"success","type":"success","content":"x"}"#,
        // Lists in the order of the fields.
        r#"["success","x"]"#,
        r#"["success",{"content":"x"}]"#,
        r#"{"type":"needs_input","question":["a","b",null,"Text",null]}"#,
        // Something before or after it.
        r#"{"type":"success","content":"x"} done"#,
        r#"{"type":"success","content":"x"}{"type":"success","content":"x"}"#,
        r#"{"type":"success","content":"x""#,
    ] {
        assert!(Outcome::parse(text).is_err(), "{text}");
        assert!(serde_json::from_str::<Outcome>(text).is_err(), "{text}");
    }
}

#[test]
fn the_author_is_told_why_it_is_none() {
    let error = Outcome::parse(r#"{"type":"success","content":"x","id":7}"#).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    insta::assert_snapshot!(format!("{error}: {cause}"), @"not the outcome of a tool: unknown field `id`, expected `content` at line 1 column 39");
}

#[test]
fn nesting_has_an_end() {
    let deep = "[".repeat(100_000);
    let text = format!(
        r#"{{"type":"needs_input","question":{{"id":"a","text":"b","answer_type":"Text","default":{deep}"#
    );
    assert!(Outcome::parse(&text).is_err());
}

#[test]
fn an_error_keeps_its_causes() {
    #[derive(Debug, Error)]
    #[error("outer")]
    struct Outer(#[source] Inner);
    #[derive(Debug, Error)]
    #[error("inner")]
    struct Inner;

    let error = ToolError::from_error(&Outer(Inner));
    assert_eq!(error, ToolError { trace: vec!["inner".to_owned()], ..ToolError::new("outer") });
}

proptest! {
    #[test]
    fn any_content_survives(
        content: String,
        trace in prop::collection::vec(any::<String>(), 0..4),
        transient: bool,
    ) {
        let error = ToolError { message: content.clone(), trace, transient };
        for outcome in [Outcome::success(content), Outcome::Error(error)] {
            let text = serde_json::to_string(&outcome).unwrap();
            prop_assert_eq!(Outcome::parse(&text).unwrap(), outcome);
        }
    }

    /// An unknown name makes it text, wherever it stands among the others.
    #[test]
    fn no_unknown_name_is_accepted(name in "[a-z_]{1,12}", first: bool) {
        prop_assume!(!["type", "content"].contains(&name.as_str()));
        let known = r#""type":"success","content":"x""#;
        let text = if first {
            format!(r#"{{"{name}":null,{known}}}"#)
        } else {
            format!(r#"{{{known},"{name}":null}}"#)
        };
        prop_assert!(Outcome::parse(&text).is_err());
    }
}
