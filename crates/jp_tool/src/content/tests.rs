//! Strings, blocks, blocks that are skipped, and texts that only look like a result.

use serde_json::json;

use super::*;
use crate::{Status, ToolError};

fn blocks(value: Value) -> Blocks {
    serde_json::from_value::<Content>(value).unwrap().into_blocks()
}

#[test]
fn a_string_is_one_text_block() {
    let read = blocks(json!("Modified 2 files."));
    assert_eq!(read, vec![ContentBlock::text("Modified 2 files.")].into());
    assert_eq!(read, blocks(json!([{ "type": "text", "text": "Modified 2 files." }])));
}

#[test]
fn blocks_are_written_as_they_were_read() {
    for value in [
        json!("text"),
        json!([]),
        json!([{ "type": "text", "text": "a" }]),
        json!([{ "type": "text", "text": "a", "mimeType": "text/rust", "annotations": { "priority": 1 } }]),
        json!([{ "type": "image", "data": "aGk=", "mimeType": "image/png" }]),
        json!([{ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" }]),
        json!([{ "type": "resource_link", "uri": "file:///a", "name": "a" }]),
        json!([{ "type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "b", "mimeType": "a/b", "size": 7, "annotations": { "audience": ["user"] } }]),
        json!([{ "type": "resource", "resource": { "uri": "file:///a", "text": "b" } }]),
        json!([{ "type": "resource", "resource": { "uri": "file:///a", "mimeType": "a/b", "blob": "aGk=" }, "formatted": "c" }]),
        json!([{ "type": "question", "question": { "id": "a", "text": "b", "schema": { "type": "boolean" }, "default": true } }]),
    ] {
        let content: Content = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&content).unwrap(), value);
        assert_eq!(content.into_blocks().malformed, []);
    }
}

#[test]
fn a_malformed_block_costs_nothing_but_itself() {
    let good = json!({ "type": "text", "text": "a", "extra": 1 });
    for (bad, reason) in [
        (json!(7), "invalid type: integer `7`, expected an object"),
        (json!("a"), "invalid type: string \"a\", expected an object"),
        (json!(["text", "a"]), "invalid type: sequence, expected an object"),
        (json!({}), "missing field `type`"),
        (json!({ "type": "text" }), "missing field `text`"),
        (json!({ "type": "text", "text": 1 }), "invalid type: integer `1`, expected a string"),
        (json!({ "type": "image", "data": "" }), "missing field `mimeType`"),
        (json!({ "type": "audio", "mimeType": "audio/wav" }), "missing field `data`"),
        (json!({ "type": "resource_link", "uri": "file:///a" }), "missing field `name`"),
        (
            json!({ "type": "dance" }),
            "unknown variant `dance`, expected one of `text`, `image`, `audio`, `resource`, `resource_link`, `question`",
        ),
        (
            json!({ "type": "resource", "resource": { "uri": "a" } }),
            "the resource has neither `text` nor `blob`",
        ),
        (
            json!({ "type": "resource", "resource": { "uri": "a", "text": "", "blob": "" } }),
            "the resource has both `text` and `blob`",
        ),
    ] {
        let read = blocks(json!([good, bad, good]));
        assert_eq!(read.blocks, vec![ContentBlock::text("a"); 2]);
        let malformed = MalformedBlock { index: 1, reason: reason.to_owned() };
        assert_eq!(read.malformed, [malformed]);
    }
}

#[test]
fn of_many_malformed_blocks_some_are_named() {
    let good = json!({ "type": "text", "text": "a" });
    for (bad, named, last) in [
        (100, 100, "missing field `type`"),
        (101, 100, "missing field `type`; and so were 1 after it"),
        (9_999, 100, "missing field `type`; and so were 9899 after it"),
    ] {
        let mut all = vec![json!({}); bad];
        all.push(good.clone());
        let read = blocks(Value::Array(all));
        assert_eq!(read.blocks, [ContentBlock::text("a")]);
        assert_eq!(read.malformed.len(), named);
        assert_eq!(read.malformed.last().unwrap().reason, last);
    }
    let long = blocks(json!([{ "type": "x".repeat(10_000) }]));
    assert!(long.malformed[0].reason.len() < 1_000);
}

#[test]
fn a_list_has_a_largest_number_of_blocks() {
    for element in [json!({ "type": "text", "text": "a" }), json!({}), json!(1)] {
        let read = |count| serde_json::from_value::<Content>(json!(vec![element.clone(); count]));
        assert!(read(10_000).is_ok());
        assert_eq!(read(10_001).unwrap_err().to_string(), "more than 10000 blocks");
    }
}

#[test]
fn content_is_a_string_or_a_list() {
    for value in [json!(null), json!(1), json!({ "type": "text", "text": "a" })] {
        let error = serde_json::from_value::<Content>(value).unwrap_err().to_string();
        assert!(error.ends_with("expected a string or a list of blocks"), "{error}");
    }
}

#[test]
fn a_result_is_read_and_written() {
    let text = vec![ContentBlock::text("a")];
    for (line, result) in [
        (r#"{"content":[{"type":"text","text":"a"}]}"#, ToolResult::new(text.clone())),
        (r#"{"content":[]}"#, ToolResult::new(vec![])),
        (r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#, ToolError::new("a").into()),
        (
            r#"{"content":[{"type":"text","text":"a"}],"isError":true,"_meta":{"computer.jp/error":{"transient":true,"trace":["b"]}}}"#,
            ToolError { trace: vec!["b".to_owned()], transient: true, ..ToolError::new("a") }
                .into(),
        ),
        (
            r#"{"content":[{"type":"text","text":"a"}],"_meta":{"computer.jp/status":"running"}}"#,
            ToolResult { status: Some(Status::Running), ..ToolResult::new(text.clone()) },
        ),
    ] {
        assert_eq!(ToolResult::parse(line).unwrap(), result);
        assert_eq!(serde_json::to_string(&result).unwrap(), line);
    }
    let spoken = r#"{"content":[{"type":"text","text":"a"}],"isError":false,"_meta":{"other":1}}"#;
    assert_eq!(ToolResult::parse(spoken).unwrap(), ToolResult::new(text));
}

#[test]
fn a_text_that_only_looks_like_a_result_is_none() {
    for line in [
        "a",
        "[]",
        "{}",
        r#"[[{"type":"text","text":"a"}]]"#,
        r#"{"content":"a"}"#,
        r#"{"content":[{"name":"a row"}]}"#,
        r#"{"content":[1,2]}"#,
        r#"{"content":[],"total":0}"#,
        r#"{"content":[{"type":"text","text":"a"}],"role":"assistant"}"#,
        r#"{"type":"doc","content":[{"type":"text","text":"a"}]}"#,
        r#"{"content":[],"content":[]}"#,
    ] {
        assert!(ToolResult::parse(line).is_err(), "{line}");
    }
    let some = ToolResult::parse(r#"{"content":[{"type":"text","text":"a"},{"type":"x"}]}"#);
    assert_eq!(some.unwrap().content.malformed.len(), 1);
}
