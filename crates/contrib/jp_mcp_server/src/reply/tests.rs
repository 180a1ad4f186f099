//! Tests of replies: the same parts in both protocols.

use super::*;

fn document(mime_type: &'static str, text: &str) -> Document {
    Document { uri: "crate://a/1.0.0/x".to_owned(), mime_type, text: text.to_owned() }
}

fn json(result: &CallToolResult) -> serde_json::Value {
    serde_json::to_value(result).unwrap()
}

/// D31-075: without the flag there is no envelope, and documents are resources.
#[test]
fn native_replies_are_content() {
    let link = Resource::new("crate://a/1.0.0/readme", "readme");
    let reply = Reply::new([
        Item::Text("two".to_owned()),
        Item::Document(document("text/markdown", "# x")),
        Item::Link(Box::new(link)),
    ]);
    let result = json(&reply.into_result(Protocol::Native));
    assert_eq!(
        result["content"],
        json!([
            { "type": "text", "text": "two" },
            { "type": "resource", "resource":
                { "uri": "crate://a/1.0.0/x", "mimeType": "text/markdown", "text": "# x" } },
            { "type": "resource_link", "uri": "crate://a/1.0.0/readme", "name": "readme" },
        ])
    );
    assert!(result.get("_meta").is_none(), "{result}");
}

/// D31-064, D31-074: one text that is an outcome, and the mark.
#[test]
fn replies_under_the_flag_are_marked_envelopes() {
    let result = json(&Reply::from("x".to_owned()).into_result(Protocol::Jp));
    assert_eq!(result["_meta"], json!({ "computer.jp/outcome": {} }));
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(Outcome::parse(text).unwrap(), Outcome::success("x"));
}

#[test]
fn documents_in_an_envelope_stand_under_their_uri() {
    let text = |items: Vec<Item>| Reply::new(items).into_text();
    let markdown = Item::Document(document("text/markdown", "# x"));
    assert_eq!(text(vec![markdown]), "<crate://a/1.0.0/x>\n\n# x");
    let link = |uri: &str| Item::Link(Box::new(Resource::new(uri, "x").with_description("d")));
    let list = text(vec![Item::Text("two".to_owned()), link("crate://a"), link("crate://b")]);
    assert_eq!(list, "two\n\n- <crate://a>: d\n- <crate://b>: d");
    let code = |text: &str| Item::Document(document("text/x-rust", text));
    assert_eq!(text(vec![code("fn f() {}\n")]), "<crate://a/1.0.0/x>\n\n```rust\nfn f() {}\n```");
    let nested = text(vec![code("/// ````\n/// x\n/// ````")]);
    assert!(nested.contains("\n`````rust\n") && nested.ends_with("\n`````"), "{nested}");
}

#[test]
fn errors_say_why_in_both_protocols() {
    let error = ToolError::new("No.").because("it is gone");
    let native = json(&failure(&error, Protocol::Native));
    assert_eq!(native["isError"], true);
    assert_eq!(native["content"][0]["text"], "No.\ncaused by: it is gone");
    let jp = json(&failure(&error, Protocol::Jp));
    assert_eq!(jp["isError"], true);
    let text = jp["content"][0]["text"].as_str().unwrap();
    assert_eq!(Outcome::parse(text).unwrap(), Outcome::Error(error));
}

#[test]
fn a_reply_that_is_too_large_is_an_error() {
    let large = |protocol| Reply::from("x".repeat(MAX_REPLY + 1)).into_result(protocol);
    for protocol in [Protocol::Native, Protocol::Jp] {
        let result = json(&large(protocol));
        assert_eq!(result["isError"], true);
        assert!(result.to_string().contains("larger than 8 MiB"), "{result}");
    }
}
