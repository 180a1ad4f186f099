//! Requests letter by letter, so that a test can also send what no browser would.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

/// How long any read or write may take.
const LIMIT: Duration = Duration::from_secs(30);

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    /// A field of the header; empty if it is not there.
    pub(crate) fn field(&self, name: &str) -> &str {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name));
        values.next().map_or("", |(_, value)| value)
    }

    /// Panics unless the status is this one.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }
}

/// A connection on which nothing waits for ever.
pub(crate) fn connect(host: &str) -> TcpStream {
    let stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream.set_write_timeout(Some(LIMIT)).unwrap();
    stream
}

/// Sends a request and reads until the server closes the connection.
pub(crate) fn request(to: &str, line: &str, fields: &[&str], body: &str) -> Reply {
    let mut stream = connect(to);
    send(&mut stream, line, fields, body);
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    parse(&bytes)
}

/// Sends a request, after which the server closes the connection.
pub(crate) fn send(stream: &mut TcpStream, line: &str, fields: &[&str], body: &str) {
    let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
    let length =
        if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let text = format!("{line} HTTP/1.1\r\n{fields}{length}Connection: close\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).unwrap();
}

/// Reads an answer that is there.
pub(crate) fn parse(bytes: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}
