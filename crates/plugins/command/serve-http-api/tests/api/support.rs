//! A running server, and a client that sends just what it is told to.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::fs::symlink,
    sync::Arc,
    time::Duration,
};

use jp_test::{Run, Running, TestEnv, find_bin};
use serde_json::Value;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(40);

/// A workspace in which `jp serve http-api` can be run.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) env: Arc<TestEnv>,
}

/// `jp serve http-api`, listening.
pub(crate) struct Api {
    pub(crate) running: Running,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) world: World,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl World {
    pub(crate) fn new() -> Self {
        let env = TestEnv::new(find_bin("jp"));
        env.write(".jp/config.toml", "");
        env.write("bin/.keep", "");
        symlink(env!("CARGO_BIN_EXE_jp-serve-http-api"), env.path("bin/jp-serve-http-api"))
            .unwrap();
        Self { env: Arc::new(env) }
    }

    /// `jp serve http-api` with these words.
    pub(crate) fn serve<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Run<'_> {
        let trusted = ["--cfg", "plugins.command.serve-http-api.run=unattended"];
        let words = trusted.into_iter().chain(["serve", "http-api"]).chain(words);
        let path = format!("{}:/usr/bin:/bin", self.env.path("bin"));
        self.env.jp(words).env("PATH", path).timeout(Duration::from_mins(4))
    }

    pub(crate) fn start(self) -> Api {
        self.start_with([])
    }

    pub(crate) fn start_with<'a>(self, words: impl IntoIterator<Item = &'a str>) -> Api {
        let running = self.serve(["--port", "0"].into_iter().chain(words)).spawn();
        running.expect_stdout("Authorization: Bearer ");
        running.expect_stdout("\n");
        let text = running.stdout_so_far();
        let after = |start: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(start));
            line.unwrap_or_else(|| panic!("{text}")).to_owned()
        };
        let address = after("Listening on http://");
        let address = address.strip_suffix("/v1").unwrap().parse().unwrap();
        Api { running, address, token: after("Authorization: Bearer "), world: self }
    }

    /// Puts a conversation there.
    pub(crate) fn conversation(&self, id: u64, title: Option<&str>, time: &str, events: &str) {
        let dir = format!(".jp/conversations/{id}");
        let metadata = serde_json::json!({ "title": title, "last_activated_at": time });
        self.env.write(format!("{dir}/metadata.json"), metadata.to_string());
        self.env.write(format!("{dir}/events.jsonl"), events);
    }

    /// The events of a conversation, as they are on disk.
    pub(crate) fn events(&self, id: &str) -> Vec<Value> {
        let text = self.env.read(format!(".jp/conversations/{id}/events.jsonl"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Api {
    /// A second process that serves the same workspace.
    pub(crate) fn again(&self) -> Self {
        self.world.clone().start()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &[], "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.request("POST", path, &[JSON], &body.to_string())
    }

    /// A good request with these headers besides.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let authorization = format!("Bearer {}", self.token);
        let host = self.address.to_string();
        let own = [("host", host.as_str()), ("authorization", &authorization)];
        let length = body.len().to_string();
        let length = (!body.is_empty()).then_some(("content-length", length.as_str()));
        let headers: Vec<_> =
            own.into_iter().chain(headers.iter().copied()).chain(length).collect();
        self.raw(&head(method, path, &headers), body.as_bytes())
    }

    /// Sends these bytes, and reads until the other side has said everything.
    pub(crate) fn raw(&self, head: &str, body: &[u8]) -> Reply {
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses early may not read all of it.
        let _ = stream.write_all(body);
        read(&mut stream)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }
}

/// The header of a body in JSON.
pub(crate) const JSON: (&str, &str) = ("content-type", "application/json");

/// The head of a request, after which the connection is to be closed.
pub(crate) fn head(method: &str, path: &str, headers: &[(&str, &str)]) -> String {
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n{lines}\r\n")
}

/// Reads an answer up to the end of the connection.
pub(crate) fn read(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // One that ends with an error has been closed while something was sent to it.
    let _ = stream.read_to_end(&mut bytes);
    Reply::parse(&bytes)
}

impl Reply {
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), value.to_owned())
        };
        Self { status, headers: lines.map(header).collect(), body: bytes[end + 4..].to_vec() }
    }

    /// The content, if the status is this one.
    #[track_caller]
    pub(crate) fn json(&self, status: u16) -> Value {
        let body = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{body}");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }

    /// The kind of problem, if the status is this one.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16) -> String {
        let body = self.json(status);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(body["status"], status);
        assert!(body["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{body}");
        body["type"].as_str().unwrap().strip_prefix("urn:jp:problem:").unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}
