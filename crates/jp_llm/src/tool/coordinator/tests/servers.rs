//! The same loop with a tool of a server, which asks in each of its ways. The server is in memory and
//! speaks lines of JSON.

use jp_mcp::{BoxFuture as McpFuture, Launch, LaunchError, Launched, Process};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, empty};

use super::*;
use crate::tool::{context::Place, mcp::Server, runtime::mcp::McpRuntime};

/// A server that answers its calls with these results, one after the other.
#[derive(Debug, Clone)]
pub(super) struct InMemory {
    era: &'static str,
    steps: Arc<Mutex<VecDeque<Value>>>,
    pub(super) calls: Arc<Mutex<Vec<Value>>>,
}

struct Nothing;

impl Process for Nothing {
    fn stop(self: Box<Self>) -> McpFuture<'static, ()> {
        Box::pin(async {})
    }
}

impl Launch for InMemory {
    fn launch(&self) -> McpFuture<'_, Result<Launched, LaunchError>> {
        let (stdin, heard) = duplex(1 << 16);
        let (said, stdout) = duplex(1 << 16);
        tokio::spawn(self.clone().serve(heard, said));
        Box::pin(async {
            Ok(Launched {
                stdin: Box::new(stdin),
                stdout: Box::new(stdout),
                stderr: Box::new(empty()),
                process: Box::new(Nothing),
                warnings: Vec::new(),
            })
        })
    }
}

impl InMemory {
    pub(super) fn new(era: &'static str, steps: impl IntoIterator<Item = Value>) -> Self {
        let steps = Arc::new(Mutex::new(steps.into_iter().collect()));
        Self { era, steps, calls: Arc::default() }
    }

    async fn serve(self, heard: DuplexStream, mut said: DuplexStream) {
        let mut lines = BufReader::new(heard).lines();
        let mut waiting = None;
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            let reply = match message["method"].as_str() {
                Some("tools/call") => {
                    self.calls.lock().unwrap().push(message["params"].clone());
                    let step = self.steps.lock().unwrap().pop_front().unwrap();
                    match step.get("ask") {
                        Some(ask) => {
                            waiting = Some(message["id"].clone());
                            json!({ "id": "q", "method": "elicitation/create", "params": ask })
                        }
                        None => json!({ "id": message["id"], "result": step }),
                    }
                }
                Some(_) if message.get("id").is_none() => continue,
                Some(method) => self.greet(method, &message),
                None => match waiting.take() {
                    Some(call) => {
                        json!({ "id": call, "result": text(&message["result"].to_string()) })
                    }
                    None => continue,
                },
            };
            let mut line = json!({ "jsonrpc": "2.0" });
            line.as_object_mut().unwrap().extend(reply.as_object().unwrap().clone());
            if said.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn greet(&self, method: &str, message: &Value) -> Value {
        let (id, params) = (&message["id"], &message["params"]);
        let info = json!({ "name": "in memory", "version": "1" });
        let result = match (method, self.era) {
            ("server/discover", "modern") => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} }, "ttlMs": 0, "cacheScope": "private",
                "_meta": { "io.modelcontextprotocol/serverInfo": info },
            }),
            ("initialize", "legacy") => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": info,
            }),
            ("tools/list", _) => {
                json!({ "tools": [{ "name": "walk", "inputSchema": { "type": "object" } }] })
            }
            _ => return json!({ "id": id, "error": { "code": -32601, "message": "unknown" } }),
        };
        json!({ "id": id, "result": result })
    }

    /// A scene whose tool is served by this.
    pub(super) async fn scene(&self) -> Scene {
        scene_of(Arc::new(self.clone()), "walk").await
    }
}

/// A scene with a tool of the server that is started like this.
pub(super) async fn scene_of(launch: Arc<dyn Launch>, tool: &str) -> Scene {
    let server = Arc::new(Server::started_by(launch));
    let tool = server.tools().await.unwrap().get(tool).unwrap().clone();
    let (workspace_id, conversation_id, access) = Default::default();
    let place = Place { root: "/w".into(), workspace_id, conversation_id, access };
    let mut scene = Scene::new([]);
    scene.tool.runtime = Arc::new(McpRuntime::new(server, tool, place));
    scene
}

pub(super) fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn said(end: &CallEnd) -> String {
    assert!(matches!(end, CallEnd::Done(_)), "{end:?}");
    text_of(end)
}

fn form() -> Value {
    let schema = json!({ "type": "object", "properties": { "go": { "type": "boolean" } }, "required": ["go"] });
    json!({ "message": "Go on?", "requestedSchema": schema })
}

fn round() -> Value {
    json!({
        "resultType": "input_required",
        "inputRequests": { "f": { "method": "elicitation/create", "params": form() } },
        "requestState": "s",
    })
}

fn envelope() -> Value {
    text(r#"{"type":"needs_input","question":{"id":"go","text":"Go on?","answer_type":"Boolean"}}"#)
}

/// Says yes in the name of the assistant.
#[derive(Debug)]
struct Yes;

impl InquiryBackend for Yes {
    fn answer<'a>(&'a self, inquiry: &'a AssistantInquiry) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(async { Ok(json!({ "inquiry_id": inquiry.id, "answer": true })) })
    }
}

/// D31-060, D31-062: however the server asks, the assistant can be the one who answers, and
/// the tool completes.
#[tokio::test]
async fn the_assistant_answers_a_server() {
    for (era, steps) in [
        ("modern", vec![envelope(), text("done")]),
        ("legacy", vec![envelope(), text("done")]),
        ("modern", vec![round(), text("done")]),
        ("legacy", vec![json!({ "ask": form() })]),
    ] {
        let server = InMemory::new(era, steps);
        let mut scene = server.scene().await;
        let target = QuestionTarget::Assistant;
        let settled = Settled { answer: None, target };
        scene.tool.settings.questions.insert("go".to_owned(), settled);
        let end = scene.call(Some(&Yes)).await;
        let said = said(&end);
        assert!(said == "done" || said.contains("\"go\":true"), "{said}");
        let types = scene.types();
        assert!(types.contains(&"inquiry_request".to_owned()), "{types:?}");
        assert!(types.contains(&"inquiry_response".to_owned()), "{types:?}");
    }
}

/// A person who leaves a question declines it where that can be said, and ends the call where not.
#[tokio::test]
async fn a_question_that_is_left_is_declined() {
    let server = InMemory::new("legacy", [json!({ "ask": form() })]);
    let scene = server.scene().await;
    scene.person.answers.borrow_mut().push(Answer::Left);
    assert!(said(&scene.call(None).await).contains("\"decline\""));

    let server = InMemory::new("modern", [round(), text("done")]);
    let scene = server.scene().await;
    scene.person.answers.borrow_mut().push(Answer::Left);
    assert_eq!(said(&scene.call(None).await), "done");
    let calls = server.calls.lock().unwrap().clone();
    assert_eq!(calls[1]["inputResponses"]["f"]["action"], "decline");
    assert_eq!(calls[1]["requestState"], "s");

    let server = InMemory::new("modern", [envelope()]);
    let scene = server.scene().await;
    scene.person.answers.borrow_mut().push(Answer::Left);
    assert_eq!(scene.call(None).await, CallEnd::Cancelled);
}

#[tokio::test]
async fn who_cancels_ends_the_call() {
    for (era, step) in [("modern", round()), ("legacy", json!({ "ask": form() }))] {
        let server = InMemory::new(era, [step, text("never")]);
        let scene = server.scene().await;
        scene.person.answers.borrow_mut().push(Answer::Cancel);
        assert_eq!(scene.call(None).await, CallEnd::Cancelled);
        assert_eq!(server.calls.lock().unwrap().len(), 1);
    }
}

/// After a passing failure the call begins anew; what was answered is not asked again.
#[tokio::test]
async fn answers_survive_a_repetition() {
    let busy = text(r#"{"type":"error","message":"busy","transient":true}"#);
    let server = InMemory::new("modern", [round(), busy, round(), text("done")]);
    let scene = server.scene().await;
    scene.person.answers.borrow_mut().push(Answer::Given(json!(true)));
    assert_eq!(said(&scene.call(None).await), "done");
    let calls = server.calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 4);
    assert_eq!(calls[3]["inputResponses"]["f"]["content"], json!({ "go": true }));
    assert!(!calls[2]["_meta"].to_string().contains("computer.jp/tool"), "{}", calls[2]);
}
