//! Whatever a server answers, the client says what it is, and goes on.

use jp_mcp::{Client, Connect, Launch, LaunchError, Launched, McpError, Process, ServerSpec};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};

use crate::common::{Never, call};

/// A server in a task: it greets, and answers everything else with the same.
#[derive(Debug)]
struct Always(Value);

impl Launch for Always {
    fn launch(&self) -> jp_mcp::BoxFuture<'_, Result<Launched, LaunchError>> {
        let (ours, theirs) = duplex(4096);
        let (answers, stdout) = duplex(4096);
        tokio::spawn(serve(theirs, answers, self.0.clone()));
        let launched = Launched {
            stdin: Box::new(ours),
            stdout: Box::new(stdout),
            stderr: Box::new(tokio::io::empty()),
            process: Box::new(Task),
            warnings: Vec::new(),
        };
        Box::pin(async { Ok(launched) })
    }
}

struct Task;

impl Process for Task {
    fn stop(self: Box<Self>) -> jp_mcp::BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

async fn serve(input: DuplexStream, mut output: DuplexStream, answer: Value) {
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "serverInfo": { "name": "always", "version": "1" },
            }),
            _ if message["id"].is_null() => continue,
            _ => answer.clone(),
        };
        let line = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if output.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Words that mean something, so that the nonsense comes close to sense.
fn word() -> impl Strategy<Value = String> {
    let known = [
        "content",
        "type",
        "text",
        "image",
        "data",
        "mimeType",
        "resource",
        "uri",
        "isError",
        "structuredContent",
        "resultType",
        "complete",
        "input_required",
        "inputRequests",
        "method",
        "elicitation/create",
        "params",
        "requestState",
        "requestedSchema",
        "properties",
        "tools",
        "name",
        "inputSchema",
        "object",
        "nextCursor",
        "annotations",
        "contents",
        "blob",
        "_meta",
        "",
    ];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No answer is a panic, a hang, or the end of the connection.
    #[test]
    fn any_answer_is_understood_or_refused(answer in any_json()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = Client::new(ServerSpec {
                name: "always".to_owned(),
                connect: Connect::Program(Arc::new(Always(answer))),
                stateful: true,
                startup: Duration::from_secs(20),
                patience: Duration::from_secs(20),
                roots: Vec::new(),
                era: Some(jp_mcp::Era::Legacy),
            });
            let (arguments, cancel) = Default::default();
            let called = client.call_tool(call("any", &arguments, &Never, &cancel)).await.err();
            let listed = client.tools().await.err();
            let read = client.read_resource("any").await.err();
            for error in [called, listed, read].into_iter().flatten() {
                let is_clear = matches!(
                    error,
                    McpError::Malformed { .. }
                        | McpError::Unsupported { .. }
                        | McpError::TooManyQuestions { .. }
                );
                assert!(is_clear, "{error:?}");
            }
            assert_eq!(client.status().starts, 1);
        });
    }
}
