//! The page about this protocol says what is true: every example of it is parsed and compared.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

use std::{collections::BTreeMap, time::Duration};

use jp_mcp_server::{
    About, CONTEXT_KEY, Call, CancellationToken, JP_NOTICE, OUTCOME_KEY, Prompt, Protocol, Reply,
    Stop, TOOL_KEY, Tool, ToolAnnotations, Toolbox, define, schemars, serve,
};
use jp_tool::{Invocation, Outcome, ToolError};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientCapabilities, InputRequiredResult};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split},
    time::timeout,
};

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
    assert_eq!(serde_json::to_value(&invocation).unwrap(), whole);
    assert_eq!(invocation.context.access, None);
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

/// A server that says what the page says: it asks before it fetches, fails for a moment, or is done.
struct OfThePage;

#[derive(Deserialize, schemars::JsonSchema)]
struct Item {
    item: String,
}

impl Toolbox for OfThePage {
    fn about(&self) -> About {
        About { name: "page", title: "Page", version: "1", instructions: "" }
    }

    fn tools(&self) -> Vec<Tool> {
        vec![define::<Item>("crate_item", "Reads.", ToolAnnotations::default())]
    }

    async fn call(&self, call: Call) -> Result<Reply, Stop> {
        let Item { item } = call.arguments()?;
        match item.as_str() {
            "fail" => {
                let error = ToolError::new("cargo could not reach the registry");
                return Err(error.because("connection refused").transient().into());
            }
            "ask" => {
                let text = "serde_json 1.0.100 is not on this machine. Fetch it?".to_owned();
                let prompt = Prompt { id: "fetch".into(), text, details: None, argument: "fetch" };
                call.confirm(prompt, None).await?;
            }
            _ => {}
        }
        Ok(item.into())
    }
}

/// What a server really answers to a call about this item.
async fn sent(protocol: Protocol, item: &str) -> Value {
    let (ours, theirs) = duplex(1 << 16);
    let (reader, writer) = split(theirs);
    tokio::spawn(serve(OfThePage, protocol, reader, writer, CancellationToken::new()));
    let (reader, mut writer) = split(ours);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let params = json!({ "name": "crate_item", "arguments": { "item": item }, "_meta": meta });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    writer.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    let mut lines = BufReader::new(reader).lines();
    let line = timeout(Duration::from_secs(30), lines.next_line()).await.unwrap().unwrap().unwrap();
    serde_json::from_str::<Value>(&line).unwrap()["result"].take()
}

/// D31-073: the three outcomes, the result with its mark and the native question are not only of the right
/// form: a server that means these sends these, letter by letter.
#[tokio::test]
async fn the_page_shows_what_a_server_sends() {
    let outcomes = &examples()["outcome"];
    let done = outcomes[0]["content"].as_str().unwrap();
    for (item, outcome) in [done, "fail", "ask"].iter().zip(outcomes) {
        let result = sent(Protocol::Jp, item).await;
        assert_eq!(result["content"][0]["text"], outcome.to_string(), "{item}");
        assert_eq!(result["_meta"], example("result")["_meta"], "{item}");
    }
    let mut result = sent(Protocol::Jp, "done").await;
    // The newer era says of every result what it is.
    result.as_object_mut().unwrap().shift_remove("resultType");
    assert_eq!(result.to_string(), example("result").to_string());

    let (mut asked, mut shown) = (sent(Protocol::Native, "ask").await, example("input_required"));
    let state = |result: &mut Value| -> Value {
        let state = result["requestState"].take();
        serde_json::from_str(state.as_str().unwrap()).unwrap()
    };
    let (really, on_the_page) = (state(&mut asked), state(&mut shown));
    let keys = |state: &Value| state.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&really), keys(&on_the_page));
    assert_eq!(asked, shown);
}
