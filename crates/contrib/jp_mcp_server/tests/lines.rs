//! A toolbox served in memory, talked to line by line: a client and a server of one library can agree
//! on something that is not MCP.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

mod shop;

use std::time::Duration;

use jp_mcp_server::Protocol;
use jp_tool::Outcome;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split},
    time::timeout,
};

use crate::shop::start;

const LIMIT: Duration = Duration::from_mins(1);

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
