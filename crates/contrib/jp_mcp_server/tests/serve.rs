//! A toolbox served in memory: to the client of rmcp in both eras, and line by line.
//!
//! The line by line tests are there because a client and a server of one library can agree on
//! something that is not MCP.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

use std::{sync::Arc, time::Duration};

use jp_mcp_server::{
    About, Call, CancellationToken, Document, Prompt, Protocol, Reply, Resource, Stop, Tool,
    ToolAnnotations, Toolbox, define, schemars, serve,
};
use jp_tool::{Outcome, ToolError};
use rmcp::{
    ClientHandler, ClientLifecycleMode, ErrorData, RoleClient, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
        ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
        Implementation, InputRequiredResult, ProtocolVersion, ReadResourceRequestParams,
        RequestParamsMeta,
    },
    service::{ClientServiceExt, RequestContext, RunningService},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split},
    sync::Notify,
    time::timeout,
};

const LIMIT: Duration = Duration::from_secs(20);

/// A shop that wants to know things before it sells.
struct Shop {
    left: Arc<Notify>,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Buy {
    /// Which color; asked for if it is missing.
    color: Option<String>,
    /// Whether to wrap it; asked for if it is missing.
    wrap: Option<bool>,
}

impl Toolbox for Shop {
    fn about(&self) -> About {
        About { name: "shop", title: "Shop", version: "1.2.3", instructions: "Buy something." }
    }

    fn tools(&self) -> Vec<Tool> {
        let hints = || ToolAnnotations::with_title("Buy").read_only(true);
        vec![
            define::<Buy>("buy", "Buys.", hints()),
            define::<Buy>("break", "Breaks down.", hints()),
            define::<Buy>("sleep", "Never ends.", hints()),
        ]
    }

    async fn call(&self, call: Call) -> Result<Reply, Stop> {
        match call.tool.as_str() {
            "buy" => buy(&call).await,
            "sleep" => {
                let _left = Leaving(self.left.clone());
                std::future::pending().await
            }
            _ => panic!("on purpose"),
        }
    }

    async fn resources(&self) -> Result<Vec<Resource>, ToolError> {
        Ok(vec![Resource::new("shop://sign", "sign")])
    }

    async fn read(&self, uri: &str) -> Result<Option<Document>, ToolError> {
        Ok((uri == "shop://sign").then(|| sign("open")))
    }
}

/// Tells that the future it is in was dropped.
struct Leaving(Arc<Notify>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

async fn buy(call: &Call) -> Result<Reply, Stop> {
    let arguments: Buy = call.arguments()?;
    call.progress("looking").await;
    let prompt =
        |id, text: &str, argument| Prompt { id, text: text.to_owned(), details: None, argument };
    let color = if let Some(color) = arguments.color {
        color
    } else {
        let colors = vec!["red".to_owned(), "blue".to_owned()];
        call.choose(prompt("color", "Which color?", "color"), colors, None).await?
    };
    let wrap = match arguments.wrap {
        Some(wrap) => wrap,
        None => call.confirm(prompt("wrap-it", "Wrap it?", "wrap"), Some(false)).await?,
    };
    let paper = call.option::<String>("paper")?.unwrap_or_else(|| "plain".to_owned());
    let place = call.root().unwrap_or("here");
    Ok(sign(&format!("{color}, {}, at {place}", if wrap { paper } else { "bare".to_owned() }))
        .into())
}

fn sign(text: &str) -> Document {
    Document { uri: "shop://sign".to_owned(), mime_type: "text/markdown", text: text.to_owned() }
}

fn start(protocol: Protocol) -> (DuplexStream, Arc<Notify>, tokio::task::JoinHandle<()>) {
    let (ours, theirs) = duplex(1 << 16);
    let left = Arc::new(Notify::new());
    let shop = Shop { left: left.clone() };
    let (reader, writer) = split(theirs);
    let served = tokio::spawn(async move {
        serve(shop, protocol, reader, writer, CancellationToken::new()).await.unwrap();
    });
    (ours, left, served)
}

/// A client that answers forms with these values, or declines.
struct Person {
    answers: Option<Value>,
    forms: bool,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.forms.then(ElicitationCapability::default);
        ClientConfig::new(capabilities, Implementation::new("person", "1"))
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        };
        let field = requested_schema.properties.keys().next().cloned().unwrap_or_default();
        Ok(match &self.answers {
            Some(answers) => ElicitResult::new(ElicitationAction::Accept)
                .with_content(json!({ field.clone(): answers[field] })),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Era {
    Modern,
    Legacy,
}

const ERAS: [Era; 2] = [Era::Modern, Era::Legacy];

async fn client(
    protocol: Protocol,
    era: Era,
    person: Person,
) -> RunningService<RoleClient, Person> {
    let (stream, _, _) = start(protocol);
    match era {
        Era::Legacy => person.serve(stream).await.unwrap(),
        Era::Modern => {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            let mode = ClientLifecycleMode::Discover { preferred_versions };
            person.serve_with_lifecycle(stream, mode).await.unwrap()
        }
    }
}

fn call(tool: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone())
}

fn text(result: &CallToolResult) -> String {
    let json = serde_json::to_value(result).unwrap();
    let content = &json["content"][0];
    let text = content.get("text").or_else(|| content.pointer("/resource/text"));
    text.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn person(answers: Value) -> Person {
    Person { answers: Some(answers), forms: true }
}

/// D31-066, D31-075: in both eras a question reaches the client natively and the tool goes on.
#[tokio::test]
async fn questions_are_asked_natively() {
    for era in ERAS {
        let person = person(json!({ "color": "blue", "wrap-it": true }));
        let client = client(Protocol::Native, era, person).await;
        let result =
            timeout(LIMIT, client.call_tool(call("buy", &json!({})))).await.unwrap().unwrap();
        assert_eq!(text(&result), "blue, plain, at here", "{era:?}");
        let json = serde_json::to_value(&result).unwrap();
        assert_eq!(json["content"][0]["type"], "resource", "{era:?}");
        assert!(json.get("_meta").is_none(), "{era:?}");
    }
}

#[tokio::test]
async fn a_declined_question_ends_the_call_with_advice() {
    for era in ERAS {
        let client = client(Protocol::Native, era, Person { answers: None, forms: true }).await;
        let result = client.call_tool(call("buy", &json!({}))).await.unwrap();
        assert_eq!(result.is_error, Some(true), "{era:?}");
        assert!(text(&result).contains("Pass the argument `color`"), "{era:?}: {}", text(&result));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_an_error() {
    for era in ERAS {
        let person = person(json!({ "color": "green", "wrap-it": true }));
        let client = client(Protocol::Native, era, person).await;
        let result = client.call_tool(call("buy", &json!({}))).await.unwrap();
        assert!(text(&result).contains("is not one of red, blue"), "{era:?}: {}", text(&result));
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_learns_which_argument_settles_it() {
    for era in ERAS {
        let client = client(Protocol::Native, era, Person { answers: None, forms: false }).await;
        let result = client.call_tool(call("buy", &json!({ "color": "red" }))).await.unwrap();
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains("the argument `wrap`"), "{era:?}: {}", text(&result));
        let settled = json!({ "color": "red", "wrap": false });
        let result = client.call_tool(call("buy", &settled)).await.unwrap();
        assert_eq!(text(&result), "red, bare, at here", "{era:?}");
    }
}

/// D31-064, D31-066, D31-074, D31-076: under the flag questions and replies are marked envelopes,
/// also for a client that has forms, and answers and options are read from `_meta`.
#[tokio::test]
async fn under_the_flag_questions_are_envelopes() {
    for era in ERAS {
        let client = client(Protocol::Jp, era, person(json!({}))).await;
        let ask = async |answers: Value| {
            let mut params = call("buy", &json!({}));
            let meta = json!({
                "computer.jp/tool": { "name": "buy", "arguments": {}, "answers": answers,
                    "options": { "paper": "gold" } },
                "computer.jp/context": { "action": "run", "root": "/w" },
            });
            *params.meta_mut() = Some(serde_json::from_value(meta).unwrap());
            let result = client.call_tool(params).await.unwrap();
            let json = serde_json::to_value(&result).unwrap();
            assert_eq!(json["_meta"]["computer.jp/outcome"], json!({}), "{era:?}");
            assert_eq!(json["content"].as_array().unwrap().len(), 1);
            Outcome::parse(&text(&result)).unwrap()
        };
        let asked = |outcome| match outcome {
            Outcome::NeedsInput { question } => question.id,
            other => panic!("{era:?}: {other:?}"),
        };
        assert_eq!(asked(ask(json!({})).await), "color");
        assert_eq!(asked(ask(json!({ "color": "red" })).await), "wrap-it");
        let both = ask(json!({ "color": "red", "wrap-it": true })).await;
        assert_eq!(both, Outcome::success("<shop://sign>\n\nred, gold, at /w"), "{era:?}");
        let wrong = ask(json!({ "color": 7 })).await;
        assert!(matches!(wrong, Outcome::Error(_)), "{era:?}: {wrong:?}");
    }
}

#[tokio::test]
async fn rounds_can_be_driven_by_hand() {
    let client = client(Protocol::Native, Era::Modern, person(json!({}))).await;
    let CallToolResponse::InputRequired(InputRequiredResult {
        input_requests, request_state, ..
    }) = client.call_tool_once(call("buy", &json!({}))).await.unwrap()
    else {
        panic!("no question")
    };
    assert_eq!(input_requests.unwrap().keys().collect::<Vec<_>>(), ["color"]);
    let answer = json!({ "color": { "action": "accept", "content": { "color": "red" } } });
    let other = call("buy", &json!({ "wrap": true }))
        .with_input_responses(serde_json::from_value(answer).unwrap())
        .with_request_state(request_state.unwrap());
    let refused = client.call_tool_once(other).await.unwrap_err().to_string();
    assert!(refused.contains("belongs to a call with another tool"), "{refused}");
}

#[tokio::test]
async fn faults_stay_with_the_call() {
    for era in ERAS {
        let client = client(Protocol::Native, era, person(json!({}))).await;
        let broken = client.call_tool(call("break", &json!({}))).await.unwrap();
        assert!(text(&broken).contains("broke down"), "{era:?}: {}", text(&broken));
        let wrong = client.call_tool(call("buy", &json!({ "color": 7 }))).await.unwrap();
        assert_eq!(wrong.is_error, Some(true));
        assert!(text(&wrong).contains("wrong at `color`"), "{era:?}: {}", text(&wrong));
        let unknown = client.call_tool(call("rob", &json!({}))).await.unwrap_err().to_string();
        assert!(unknown.contains("there is no tool `rob`"), "{era:?}: {unknown}");
        let tools = client.list_all_tools().await.unwrap();
        assert_eq!(tools.len(), 3, "{era:?}");
        assert_eq!(client.list_all_resources().await.unwrap()[0].uri, "shop://sign");
        let read = client.read_resource(ReadResourceRequestParams::new("shop://sign")).await;
        assert_eq!(serde_json::to_value(read.unwrap()).unwrap()["contents"][0]["text"], "open");
        let missing = client.read_resource(ReadResourceRequestParams::new("shop://x")).await;
        assert!(missing.unwrap_err().to_string().contains("no resource `shop://x`"));
    }
}

/// The lines of a client, one after the other, and what comes back for each.
struct Lines {
    reader: tokio::io::Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
}

impl Lines {
    fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Self { reader: BufReader::new(reader).lines(), writer }
    }

    async fn send(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let line = timeout(LIMIT, self.reader.next_line()).await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}"#;

fn modern(id: u32, method: &str, params: &Value) -> String {
    let meta = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "x", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    } });
    let mut all = meta.as_object().unwrap().clone();
    all.extend(params.as_object().unwrap().clone());
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": all }).to_string()
}

#[tokio::test]
async fn the_older_era_line_by_line() {
    let (stream, _, _) = start(Protocol::Native);
    let mut lines = Lines::new(stream);
    lines.send(INITIALIZE).await;
    let hello = lines.receive().await;
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(hello["result"]["serverInfo"]["name"], "shop");
    assert!(hello["result"]["capabilities"].get("extensions").is_none(), "{hello}");
    lines.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    lines.send("this is not JSON").await;
    lines
        .send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"buy","arguments":{"wrap":true},"_meta":{"progressToken":"p"}}}"#)
        .await;
    let progress = lines.receive().await;
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"]["message"], "looking");
    let question = lines.receive().await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["requestedSchema"]["required"], json!(["color"]));
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"],
        "result": { "action": "accept", "content": { "color": "blue" } } });
    lines.send(&answer.to_string()).await;
    let result = lines.receive().await;
    assert_eq!(result["id"], 2);
    assert_eq!(result["result"]["content"][0]["resource"]["text"], "blue, plain, at here");
    assert!(result["result"].get("resultType").is_none(), "{result}");
}

#[tokio::test]
async fn the_newer_era_line_by_line() {
    let (stream, _, _) = start(Protocol::Jp);
    let mut lines = Lines::new(stream);
    lines.send(&modern(1, "server/discover", &json!({}))).await;
    let hello = lines.receive().await;
    assert_eq!(hello["result"]["capabilities"]["extensions"], json!({ "computer.jp/outcome": {} }));
    let arguments = json!({ "name": "buy", "arguments": { "color": "red", "wrap": false } });
    lines.send(&modern(2, "tools/call", &arguments)).await;
    let result = lines.receive().await;
    assert_eq!(result["result"]["resultType"], "complete");
    let text = result["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        Outcome::parse(text).unwrap(),
        Outcome::success("<shop://sign>\n\nred, bare, at here")
    );
}

#[tokio::test]
async fn a_round_trip_line_by_line() {
    let (stream, _, _) = start(Protocol::Native);
    let mut lines = Lines::new(stream);
    lines
        .send(&modern(1, "tools/call", &json!({ "name": "buy", "arguments": { "wrap": true } })))
        .await;
    let asked = lines.receive().await;
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(asked["inputRequests"]["color"]["method"], "elicitation/create");
    let again = json!({
        "name": "buy",
        "arguments": { "wrap": true },
        "inputResponses": { "color": { "action": "accept", "content": { "color": "red" } } },
        "requestState": asked["requestState"],
    });
    lines.send(&modern(2, "tools/call", &again)).await;
    let result = lines.receive().await;
    assert_eq!(result["result"]["content"][0]["resource"]["text"], "red, plain, at here");
}

#[tokio::test]
async fn a_cancelled_call_is_dropped() {
    let (stream, left, _) = start(Protocol::Native);
    let mut lines = Lines::new(stream);
    lines.send(&modern(1, "tools/call", &json!({ "name": "sleep" }))).await;
    lines.send(&modern(2, "tools/list", &json!({}))).await;
    assert_eq!(lines.receive().await["id"], 2);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    lines.send(cancel).await;
    timeout(LIMIT, left.notified()).await.unwrap();
}

#[tokio::test]
async fn a_message_that_is_too_long_is_dropped_and_the_next_one_served() {
    let (stream, _, _) = start(Protocol::Native);
    let mut lines = Lines::new(stream);
    let piece = "x".repeat(1 << 20);
    for _ in 0..17 {
        lines.writer.write_all(piece.as_bytes()).await.unwrap();
    }
    lines.send("").await;
    lines.send(&modern(7, "tools/list", &json!({}))).await;
    assert_eq!(lines.receive().await["id"], 7);
}

/// The end of the input is the end of the server, also before anything was said.
#[tokio::test]
async fn the_server_ends_with_its_input() {
    let (stream, _, served) = start(Protocol::Native);
    drop(stream);
    timeout(LIMIT, served).await.unwrap().unwrap();
    let (stream, left, served) = start(Protocol::Native);
    let mut lines = Lines::new(stream);
    lines.send(&modern(1, "tools/call", &json!({ "name": "sleep" }))).await;
    lines.send(&modern(2, "tools/list", &json!({}))).await;
    assert_eq!(lines.receive().await["id"], 2);
    drop(lines);
    timeout(LIMIT, left.notified()).await.unwrap();
    timeout(LIMIT, served).await.unwrap().unwrap();
}
