//! Every answer that a server can give, and what it means.

use jp_tool::{Resource, ResourceData};
use serde_json::{Map, json};

use super::*;
use crate::tool::outcome::{Asked, of_text};

fn text(text: &str) -> ContentBlock {
    ContentBlock::text(text)
}

fn image() -> ContentBlock {
    let (data, mime_type) = ("aGk=".to_owned(), "image/png".to_owned());
    ContentBlock::Image { data, mime_type, annotations: None }
}

fn audio() -> ContentBlock {
    let (data, mime_type) = ("aGk=".to_owned(), "audio/wav".to_owned());
    ContentBlock::Audio { data, mime_type, annotations: None }
}

fn link() -> ContentBlock {
    serde_json::from_value(json!({ "type": "resource_link", "uri": "a:b", "name": "b" })).unwrap()
}

fn resource(text: &str) -> ContentBlock {
    let data = ResourceData::Text(text.to_owned());
    ContentBlock::resource(Resource { uri: "a:b".to_owned(), mime_type: None, data })
}

fn result(blocks: Vec<ContentBlock>) -> CallResult {
    CallResult { content: blocks.into(), ..CallResult::default() }
}

fn done(blocks: Vec<ContentBlock>) -> ExecutionOutcome {
    ExecutionOutcome::Completed(Ok(blocks.into()))
}

const SUCCESS: &str = r#"{"type":"success","content":"done"}"#;
const ERROR_ENVELOPE: &str =
    r#"{"type":"error","message":"no","trace":["a","b"],"transient":false}"#;
const TRANSIENT: &str = r#"{"type":"error","message":"busy","trace":["x"],"transient":true}"#;
const QUESTION: &str = r#"{"type":"needs_input","question":{"id":"go","text":"Go?","answer_type":"Boolean","default":true}}"#;

/// One text that is no envelope stays as it is, to the letter.
#[test]
fn a_text_that_only_looks_like_an_envelope() {
    for (id, body) in [
        ("D31-002", "plain text, no JSON {"),
        ("D31-003", r#"{"a":1}"#),
        ("D31-003", "[]"),
        ("D31-003", r#""x""#),
        ("D31-004", r#"{"type":"done"}"#),
        ("D31-005", r#"{"type":"success"}"#),
        ("D31-006", r#"{"type":"error","message":"m","code":7}"#),
        (
            "D31-006",
            r#"{"type":"needs_input","question":{"id":"a","text":"b","answer_type":"Text","x":1}}"#,
        ),
        // D31-007: the body of some web service keeps its `id`.
        ("D31-007", r#"{"type":"success","content":"x","id":7}"#),
        ("D31-002", "  "),
    ] {
        let heard = of_server(result(vec![text(body)]));
        assert_eq!(heard.outcome, done(vec![text(body)]), "{id}: {body}");
        assert!(heard.warnings.is_empty(), "{id}");
    }
}

/// Anything but one text is never unwrapped, and nothing of it is lost.
#[test]
fn more_than_a_text_is_never_an_envelope() {
    for (id, blocks) in [
        ("D31-008", vec![]),
        ("D31-009", vec![text(SUCCESS), text("more")]),
        ("D31-010", vec![text(&SUCCESS[..10]), text(&SUCCESS[10..])]),
        ("D31-011", vec![text(SUCCESS), image()]),
        ("D31-012", vec![resource(SUCCESS)]),
        ("D31-013", vec![resource("a"), resource(SUCCESS), resource(QUESTION)]),
        ("D31-014", vec![image()]),
        ("D31-014", vec![audio()]),
        ("D31-014", vec![link()]),
    ] {
        // D31-016
        assert_eq!(of_server(result(blocks.clone())).outcome, done(blocks), "{id}");
    }
}

/// D31-015: the flag of the protocol makes an error of what the server says.
#[test]
fn a_native_error_carries_the_content() {
    let blocks = vec![text("it broke"), resource("log")];
    let failed = CallResult { is_error: true, ..result(blocks) };
    let ExecutionOutcome::Completed(Err(failure)) = of_server(failed).outcome else { panic!() };
    assert_eq!(failure.error.message, "it broke\n\na:b\n```\nlog\n```");
    assert!(!failure.error.transient);
    let silent = CallResult { is_error: true, ..result(vec![]) };
    let ExecutionOutcome::Completed(Err(failure)) = of_server(silent).outcome else { panic!() };
    assert_eq!(failure.error.message, "the tool failed and said nothing");
}

/// D31-001: an envelope means the same from a server as from a program.
#[test]
fn an_envelope_is_what_it_is_from_a_local_tool() {
    let select = r#"{"type":"needs_input","question":{"id":"v","text":"Which?","answer_type":{"Select":{"options":["1","2"]}}}}"#;
    let free =
        r#"{"type":"needs_input","question":{"id":"n","text":"Name?","answer_type":"Text"}}"#;
    let spaced = format!("\n  {SUCCESS}\n");
    for body in [SUCCESS, ERROR_ENVELOPE, TRANSIENT, QUESTION, select, free, &spaced] {
        let heard = of_server(result(vec![text(body)]));
        // D31-023
        assert_eq!(heard.outcome, of_text(body), "{body}");
        assert_ne!(heard.outcome, done(vec![text(body)]), "{body}");
    }
    // D31-018
    assert_eq!(of_server(result(vec![text(SUCCESS)])).outcome, done(vec![text("done")]));
    // D31-019
    let failed = of_server(result(vec![text(ERROR_ENVELOPE)])).outcome;
    let error = ToolError::new("no").because("a").because("b");
    assert_eq!(failed, ExecutionOutcome::Completed(Err(error.into())));
    // D31-020
    let busy = of_server(result(vec![text(TRANSIENT)])).outcome;
    let error = ToolError::new("busy").because("x").transient();
    assert_eq!(busy, ExecutionOutcome::Completed(Err(error.into())));
    // D31-021
    let ExecutionOutcome::NeedsInput(asked) = of_server(result(vec![text(QUESTION)])).outcome
    else {
        panic!()
    };
    let expected = Asked {
        id: "go".to_owned(),
        text: "Go?".to_owned(),
        preamble: vec![].into(),
        schema: json!({ "type": "boolean" }),
        default: Some(json!(true)),
    };
    assert_eq!(asked, expected);
    // D31-022
    for (body, schema) in [
        (select, json!({ "type": "string", "enum": ["1", "2"] })),
        (free, json!({ "type": "string" })),
    ] {
        let ExecutionOutcome::NeedsInput(asked) = of_server(result(vec![text(body)])).outcome
        else {
            panic!()
        };
        assert_eq!(asked.schema, schema);
    }
}

#[test]
fn where_flag_and_envelope_disagree() {
    let flagged = |body: &str| CallResult { is_error: true, ..result(vec![text(body)]) };
    // D31-024, D31-025, D31-026: the flag wins over a success, which is told.
    let heard = of_server(flagged(SUCCESS));
    let expected = ToolError::new(SUCCESS);
    assert_eq!(heard.outcome, ExecutionOutcome::Completed(Err(expected.into())));
    assert_eq!(heard.warnings.len(), 1);
    // D31-027, D31-028: an error and a question are what they are.
    for body in [TRANSIENT, QUESTION] {
        let heard = of_server(flagged(body));
        assert_eq!(heard.outcome, of_text(body));
        assert!(heard.warnings.is_empty());
    }
    // D31-029: without the flag an error envelope is still an error.
    let heard = of_server(result(vec![text(ERROR_ENVELOPE)]));
    assert!(matches!(heard.outcome, ExecutionOutcome::Completed(Err(_))));
}

/// D31-065: with and without the mark the same is unwrapped. A mark on something else is told.
#[test]
fn the_mark_makes_no_envelope() {
    let meta = Map::from_iter([("computer.jp/outcome".to_owned(), json!({}))]);
    let marked = |body: &str| CallResult { meta: meta.clone(), ..result(vec![text(body)]) };
    assert_eq!(of_server(marked(SUCCESS)), of_server(result(vec![text(SUCCESS)])));
    let heard = of_server(marked("hello"));
    assert_eq!(heard.outcome, done(vec![text("hello")]));
    assert_eq!(heard.warnings.len(), 1);
}

#[test]
fn content_wins_over_what_is_for_programs() {
    let structured = Some(json!({ "a": 1 }));
    let both = CallResult { structured: structured.clone(), ..result(vec![text("one")]) };
    assert_eq!(of_server(both).outcome, done(vec![text("one")]));
    for blocks in [vec![], vec![text(" ")]] {
        let only = CallResult { structured: structured.clone(), ..result(blocks.clone()) };
        let expected = [blocks, vec![json_block(&json!({ "a": 1 }))]].concat();
        assert_eq!(of_server(only).outcome, done(expected));
    }
}

#[test]
fn what_cannot_be_delivered_is_named_in_a_line() {
    let content: Blocks =
        serde_json::from_value(json!([{ "type": "text", "text": SUCCESS }, { "type": "dance" }]))
            .unwrap();
    let heard = of_server(CallResult { content, ..CallResult::default() });
    let ExecutionOutcome::Completed(Ok(content)) = heard.outcome else { panic!() };
    let lines = render::to_text(&content);
    let (first, last) = lines.split_once("\n\n").unwrap();
    assert_eq!(first, SUCCESS);
    assert!(last.starts_with("[block 2 of the answer could not be delivered: unknown variant"));
    assert!(!last.contains('\n'), "{last}");
}

#[test]
fn a_server_of_ours_can_say_that_a_native_error_passes() {
    let said = json!({ "computer.jp/error": { "transient": true, "trace": ["why"] } });
    let Value::Object(meta) = said else { panic!() };
    let failed = CallResult { is_error: true, meta, ..result(vec![text("busy")]) };
    let expected = ToolError::new("busy").because("why").transient();
    assert_eq!(of_server(failed).outcome, ExecutionOutcome::Completed(Err(expected.into())));
}
