//! A web server on a free port of this machine, which remembers all that it was sent.

use std::{
    fmt::Write as _,
    io::{self, BufRead, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

/// After so long a server that is slow would answer.
pub(super) const SLOW: Duration = Duration::from_secs(25);

/// A server. Its threads end with the test.
#[derive(Debug)]
pub(super) struct Server {
    port: u16,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    connections: usize,
    requests: Vec<String>,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let port = listener.local_addr().expect("it has an address").port();
        let seen = Arc::<Mutex<Seen>>::default();
        let kept = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = kept.clone();
                lock(&seen).connections += 1;
                // Whoever closes early is one of the tests.
                thread::spawn(move || drop(serve(&stream, &seen)));
            }
        });
        Self { port, seen }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn url(&self, path: &str) -> String {
        self.named("127.0.0.1", path)
    }

    /// The same under another name of this machine.
    pub(super) fn named(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// How often somebody connected.
    pub(super) fn connections(&self) -> usize {
        lock(&self.seen).connections
    }

    /// All that was sent, heads and bodies.
    pub(super) fn requests(&self) -> Vec<String> {
        lock(&self.seen).requests.clone()
    }
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: &TcpStream, seen: &Mutex<Seen>) -> io::Result<()> {
    stream.set_read_timeout(Some(SLOW))?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader)? {
        lock(seen).requests.push(request.clone());
        let (status, more, body) = answer(&request);
        let length = if status == 204 {
            String::new()
        } else {
            format!("content-length: {}\r\n", body.len())
        };
        let mut to = stream;
        write!(to, "HTTP/1.1 {status} X\r\n{length}{more}\r\n")?;
        to.write_all(&body)?;
    }
    Ok(())
}

/// The next request of a connection, head and body.
fn read(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
    }
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|it| it.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some(head + &String::from_utf8_lossy(&body)))
}

/// The status, more headers and the body.
fn answer(request: &str) -> (u16, String, Vec<u8>) {
    let target = request.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let plain = |body: &str| (200, String::new(), body.as_bytes().to_vec());
    match path {
        "/text" => plain("hellö\n\"x\"\u{1}"),
        "/bytes" => (200, String::new(), vec![0xff, 0, 1]),
        "/echo" => plain(request),
        "/forms" => plain(&forms(&key(request))),
        "/to" => (307, format!("location: {query}\r\n"), Vec::new()),
        "/again" => (302, "location: /again\r\n".to_owned(), Vec::new()),
        // What it was sent is a part of where it leads.
        "/away" => {
            let to = format!("location: http://127.0.0.2:1/{}\r\n", percent(&key(request)));
            (302, to, Vec::new())
        }
        "/slow" => {
            thread::sleep(SLOW);
            plain("at last")
        }
        _ => match path.rsplit_once('/') {
            Some(("/status", code)) => {
                let body = if code == "204" { String::new() } else { format!("status {code}") };
                (code.parse().unwrap_or(500), String::new(), body.into_bytes())
            }
            Some(("/of", length)) => (200, String::new(), vec![b'x'; length.parse().unwrap_or(0)]),
            _ => (404, String::new(), Vec::new()),
        },
    }
}

/// The value of the header `X-Key`.
fn key(request: &str) -> String {
    let mut lines = request.lines();
    let line = lines.find(|line| line.to_lowercase().starts_with("x-key: "));
    line.map(|line| line[7..].to_owned()).unwrap_or_default()
}

/// A text in all the forms in which it is easily read.
fn forms(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    let hex = text.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    format!("{text}\n{json}\n{}\n{}\n{hex}\n", percent(text), base64(text.as_bytes()))
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        let _ = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => write!(all, "{}", char::from(byte)),
            _ => write!(all, "%{byte:02X}"),
        };
        all
    })
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let at = |index: usize| group.get(index).map_or(0, |byte| u32::from(*byte));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let index = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            text.push(if place > group.len() { '=' } else { char::from(LETTERS[index]) });
        }
    }
    text
}
