//! A small server that speaks just enough HTTP.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use jp_mcp::Era;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    time::sleep,
};

/// How a server behaves.
#[derive(Debug, Clone)]
pub(super) struct Manner {
    pub(super) era: Era,
    /// Answers with a stream of events.
    pub(super) events: bool,
    /// Wants a login.
    pub(super) locked: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Self { era: Era::Modern, events: false, locked: false }
    }
}

/// A server, and what it was sent.
pub(super) struct Server {
    pub(super) url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
}

#[derive(Debug, Clone)]
struct Heard {
    verb: String,
    head: Vec<(String, String)>,
    body: Value,
}

impl Server {
    pub(super) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let all = heard.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, manner.clone(), all.clone()));
            }
        });
        Self { url, heard }
    }

    /// An address where nobody listens.
    pub(super) async fn gone() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp?key=secret", listener.local_addr().unwrap());
        Self { url, heard: Arc::default() }
    }

    pub(super) fn all_had(&self, name: &str, value: &str) -> bool {
        let heard = self.heard.lock().unwrap();
        heard.iter().all(|heard| heard.head.iter().any(|(n, v)| n == name && v == value))
    }

    pub(super) fn bodies_with(&self, method: &str) -> Vec<Value> {
        let heard = self.heard.lock().unwrap();
        heard
            .iter()
            .map(|heard| heard.body.clone())
            .filter(|body| body["method"] == method)
            .collect()
    }
}

async fn talk(stream: TcpStream, manner: Manner, all: Arc<Mutex<Vec<Heard>>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let heard = read(&mut stream).await?;
    all.lock().unwrap().push(heard.clone());
    let body = &heard.body;
    if manner.locked {
        return plain(&mut stream, "401 Unauthorized", "www-authenticate: Bearer\r\n", "").await;
    }
    if heard.verb != "POST" {
        return plain(&mut stream, "405 Method Not Allowed", "", "").await;
    }
    let Some(method) = body["method"].as_str().filter(|_| !body["id"].is_null()) else {
        return plain(&mut stream, "202 Accepted", "", "").await;
    };
    match (method, body["params"]["name"].as_str()) {
        (_, Some("error500")) => plain(&mut stream, "500 Broken", "", "").await,
        (_, Some("huge")) => huge(&mut stream, manner.events).await,
        (_, Some("ask")) => ask(&mut stream, body, &all).await,
        (method, _) => answer(&mut stream, &manner, &reply(&manner, method, body)).await,
    }
}

fn reply(manner: &Manner, method: &str, body: &Value) -> Value {
    let is_modern = manner.era == Era::Modern;
    let result = match method {
        "server/discover" if is_modern => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
            "ttlMs": 0, "cacheScope": "private",
        }),
        "initialize" if !is_modern => json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "net", "version": "1" },
        }),
        "tools/list" => json!({
            "resultType": "complete",
            "tools": [{ "name": "blocks", "inputSchema": { "type": "object" } }, { "name": "bad" }],
        }),
        "tools/call" => json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "a" }, { "type": "hologram" }],
        }),
        other => {
            let error = json!({ "code": -32601, "message": format!("Method not found: {other}") });
            return json!({ "jsonrpc": "2.0", "id": body["id"], "error": error });
        }
    };
    json!({ "jsonrpc": "2.0", "id": body["id"], "result": result })
}

async fn answer(
    stream: &mut BufReader<TcpStream>,
    manner: &Manner,
    message: &Value,
) -> io::Result<()> {
    let session = if manner.era == Era::Legacy { "mcp-session-id: one\r\n" } else { "" };
    if manner.events {
        begin_events(stream, session).await?;
        return event(stream, message).await;
    }
    let kind = format!("content-type: application/json\r\n{session}");
    plain(stream, "200 OK", &kind, &message.to_string()).await
}

/// Asks in the middle of a call, on the stream of its answer, and waits for the reply.
async fn ask(
    stream: &mut BufReader<TcpStream>,
    body: &Value,
    all: &Mutex<Vec<Heard>>,
) -> io::Result<()> {
    begin_events(stream, "").await?;
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params = json!({ "message": "Who?", "requestedSchema": schema });
    let question =
        json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params });
    event(stream, &question).await?;
    loop {
        let reply = all.lock().unwrap().iter().find(|heard| heard.body["id"] == "q").cloned();
        if let Some(reply) = reply {
            let content = json!([{ "type": "text", "text": reply.body["result"].to_string() }]);
            let result = json!({ "content": content });
            return event(stream, &json!({ "jsonrpc": "2.0", "id": body["id"], "result": result }))
                .await;
        }
        sleep(Duration::from_millis(10)).await;
    }
}

/// A hundred megabytes.
async fn huge(stream: &mut BufReader<TcpStream>, events: bool) -> io::Result<()> {
    let kind = if events { "text/event-stream" } else { "application/json" };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(if events { b"data: \"" } else { b"\"" }).await?;
    let chunk = vec![b'x'; 64 * 1024];
    for _ in 0..1600 {
        stream.write_all(&chunk).await?;
    }
    stream.write_all(b"\"\n\n").await
}

async fn plain(
    stream: &mut BufReader<TcpStream>,
    status: &str,
    head: &str,
    body: &str,
) -> io::Result<()> {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\n{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await
}

async fn begin_events(stream: &mut BufReader<TcpStream>, session: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{session}connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await
}

async fn event(stream: &mut BufReader<TcpStream>, message: &Value) -> io::Result<()> {
    stream.write_all(format!("event: message\ndata: {message}\n\n").as_bytes()).await?;
    stream.flush().await
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Heard> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let verb = line.split(' ').next().unwrap_or_default().to_owned();
    let mut head = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        head.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = head.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Heard { verb, head, body: serde_json::from_slice(&body).unwrap_or_default() })
}
