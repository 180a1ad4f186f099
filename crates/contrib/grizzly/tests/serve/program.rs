//! A database, the program on it, and clients for it.

use std::{process::Stdio, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use grizzly::fixture::Fixture;
use jp_test::rmcp_client;
pub(super) use jp_test::rmcp_client::{ERAS, Era};
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction},
    service::{RequestContext, RunningService},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// A database of its own.
pub(super) struct Notes {
    dir: TempDir,
}

impl Notes {
    pub(super) fn new() -> Self {
        let notes = Self { dir: TempDir::new().unwrap() };
        drop(Fixture { notes: 20, ..Fixture::default() }.create(&notes.path()).unwrap());
        // Without a log the file has to have been quiet for a moment.
        std::thread::sleep(Duration::from_millis(50));
        notes
    }

    pub(super) fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.dir.path()).unwrap().join("database.sqlite")
    }

    pub(super) fn start(&self, flags: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_grizzly"))
            .args(["--database", self.path().as_str()])
            .args(flags)
            .env_clear()
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// The program with somebody who writes lines to it.
    pub(super) async fn lines(&self, era: Era, flags: &[&str]) -> Talk {
        let mut child = self.start(flags);
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut talk = Talk { child, stdin: Some(stdin), stdout, era, id: 0 };
        if era == Era::Legacy {
            let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": { "elicitation": {} },
                "clientInfo": { "name": "test", "version": "1" } });
            let answer = talk.request("initialize", hello).await;
            assert_eq!(answer["result"]["serverInfo"]["name"], "grizzly");
            talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        talk
    }

    /// The program with the client of rmcp, and a person who answers with the option that contains this.
    pub(super) async fn client(
        &self,
        era: Era,
        flags: &[&str],
        answer: Option<&'static str>,
    ) -> (RunningService<RoleClient, Person>, Child) {
        let mut child = self.start(flags);
        let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        (rmcp_client::connect(Person { answer }, streams, era).await, child)
    }
}

/// A client that writes and reads lines.
pub(super) struct Talk {
    pub(super) child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    era: Era,
    id: u32,
}

impl Talk {
    pub(super) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.stdin.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    pub(super) async fn receive(&mut self) -> Value {
        let line = timeout(LIMIT, self.stdout.next_line()).await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// A request and whatever comes back first.
    pub(super) async fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.id += 1;
        if self.era == Era::Modern {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
            });
            let own = params["_meta"].take();
            params["_meta"] = meta;
            for (key, value) in own.as_object().into_iter().flatten() {
                params["_meta"][key] = value.clone();
            }
        }
        let request =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.send(&request).await;
        self.receive().await
    }

    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Ends the input; the program ends with it, well.
    pub(super) async fn end(mut self) {
        self.stdin = None;
        let status = timeout(LIMIT, self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
    }
}

/// A client of rmcp with a person at it.
pub(super) struct Person {
    /// What the option contains that is chosen; none: the person declines.
    answer: Option<&'static str>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        rmcp_client::config(true)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let form = serde_json::to_value(&request).unwrap();
        let options = form["requestedSchema"]["properties"]["which-note"]["enum"].as_array();
        let chosen = self.answer.and_then(|answer| {
            options?.iter().find(|option| option.as_str().unwrap_or_default().contains(answer))
        });
        Ok(match chosen {
            Some(option) => ElicitResult::new(ElicitationAction::Accept)
                .with_content(json!({ "which-note": option })),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }
}
