//! The page about this protocol says what is true: every example of it is parsed and compared.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

use std::collections::BTreeMap;

use jp_mcp_server::{CONTEXT_KEY, JP_NOTICE, OUTCOME_KEY, TOOL_KEY};
use jp_tool::{Invocation, Outcome};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientCapabilities, InputRequiredResult};
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../../docs/architecture/jp-aware-mcp-tools.md");

/// The examples, by the second word of their fence.
fn examples() -> BTreeMap<String, Vec<Value>> {
    let mut examples: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut open: Option<(String, String)> = None;
    for event in Parser::new(PAGE) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let kind = info.strip_prefix("json ").unwrap_or_else(|| panic!("fence {info}"));
                open = Some((kind.to_owned(), String::new()));
            }
            Event::Text(text) => {
                if let Some((_, all)) = &mut open {
                    all.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let (kind, text) = open.take().unwrap();
                let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{kind}: {e}"));
                examples.entry(kind).or_default().push(value);
            }
            _ => {}
        }
    }
    examples
}

/// The only example of a kind.
fn example(kind: &str) -> Value {
    let mut all = examples().remove(kind).unwrap_or_default();
    assert_eq!(all.len(), 1, "examples of {kind}");
    all.remove(0)
}

/// D31-071, D31-072: nobody reads the page without learning that it will not stay.
#[test]
fn the_page_opens_with_the_notice() {
    let mut paragraphs = PAGE.split("\n\n");
    assert!(paragraphs.next().unwrap().starts_with("# "));
    let block = paragraphs.next().unwrap();
    assert!(block.starts_with("> [!IMPORTANT]\n"), "{block}");
    assert!(block.lines().all(|line| line.starts_with('>')), "{block}");
    assert!(block.contains("transitional") && block.contains("RFD 058"), "{block}");
    assert!(JP_NOTICE.contains("transitional") && JP_NOTICE.contains("RFD 058"));
}

/// D31-073: the request is what a host writes: both keys are the halves of an invocation.
#[test]
fn the_request_is_an_invocation_in_two_halves() {
    let request = example("request");
    let keys: Vec<_> = request["_meta"].as_object().unwrap().keys().collect();
    assert_eq!(keys, [TOOL_KEY, CONTEXT_KEY]);
    let whole = json!({
        "tool": request["_meta"][TOOL_KEY],
        "context": request["_meta"][CONTEXT_KEY],
    });
    let invocation = Invocation::parse(&whole.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&invocation.tool).unwrap(), whole["tool"]);
    assert_eq!(request["_meta"][TOOL_KEY]["arguments"], request["arguments"]);
    let params: CallToolRequestParams = serde_json::from_value(request.clone()).unwrap();
    assert_eq!(serde_json::to_value(params).unwrap(), request);
}

/// D31-073: all three outcomes, letter by letter.
#[test]
fn the_outcomes_are_outcomes() {
    let outcomes = &examples()["outcome"];
    for example in outcomes {
        let outcome = Outcome::parse(&example.to_string()).unwrap();
        assert_eq!(&serde_json::to_value(outcome).unwrap(), example);
    }
    let kinds: Vec<_> = outcomes.iter().map(|outcome| &outcome["type"]).collect();
    assert_eq!(kinds, ["success", "error", "needs_input"]);
}

#[test]
fn the_results_are_results_of_mcp() {
    let result = example("result");
    assert_eq!(result["_meta"], json!({ OUTCOME_KEY: {} }));
    Outcome::parse(result["content"][0]["text"].as_str().unwrap()).unwrap();
    let typed: CallToolResult = serde_json::from_value(result.clone()).unwrap();
    assert_eq!(serde_json::to_value(typed).unwrap(), result);

    let capabilities = example("capabilities");
    let typed: ClientCapabilities = serde_json::from_value(capabilities.clone()).unwrap();
    assert!(typed.extensions.as_ref().unwrap().contains_key(OUTCOME_KEY));
    assert_eq!(serde_json::to_value(typed).unwrap(), capabilities);

    let asked = example("input_required");
    let typed: InputRequiredResult = serde_json::from_value(asked.clone()).unwrap();
    assert_eq!(serde_json::to_value(typed).unwrap(), asked);
    let answer = example("answer");
    let typed: CallToolRequestParams = serde_json::from_value(answer.clone()).unwrap();
    assert_eq!(serde_json::to_value(typed).unwrap(), answer);
    assert_eq!(answer["requestState"], asked["requestState"]);
}
