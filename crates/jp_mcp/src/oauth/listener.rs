//! The place on this machine that the browser comes back to at the end of a login.
//!
//! It listens on the loopback address only, on a port that nobody knows before, for as long as one login
//! lasts. Every program of the machine, and every page in the browser, can send something here. What does
//! not carry the secret word of this login is answered and counted, and changes nothing: otherwise anybody
//! could end a login, or slip in a code of his own.

use std::{io, net::Ipv4Addr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};
use url::Url;

use crate::authorize::LoginError;

/// Where a browser comes back to when it does not matter on which port.
pub(super) const ANY: &str = "http://127.0.0.1/callback";

const PATH: &str = "/callback";

/// The largest head of a request that is read, in bytes.
const MAX_HEAD: usize = 16 * 1024;
/// So long a request may take to arrive.
const HEAD: Duration = Duration::from_secs(10);
/// So many requests are read at once; browsers open a few that they never use.
const MAX_AT_ONCE: usize = 16;

/// Waits for one browser.
#[derive(Debug)]
pub(super) struct Listener {
    listener: TcpListener,
    port: u16,
}

/// What a browser brought back.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Callback {
    pub(super) state: String,
    pub(super) code: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) error: Option<String>,
}

impl Listener {
    pub(super) async fn bind() -> Result<Self, LoginError> {
        let bound = async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let port = listener.local_addr()?.port();
            Ok(Self { listener, port })
        };
        bound.await.map_err(LoginError::Listen)
    }

    /// Where the browser is to come back to.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// What is brought back to the login with this secret word.
    pub(super) async fn wait(self, state: &str, within: Duration) -> Result<Callback, LoginError> {
        let end = Instant::now() + within;
        let mut strangers = 0;
        let mut visits = JoinSet::new();
        loop {
            let next = async {
                tokio::select! {
                    visitor = self.listener.accept(), if visits.len() < MAX_AT_ONCE => {
                        Next::Visitor(visitor)
                    }
                    Some(Ok(visit)) = visits.join_next() => Next::Heard(visit),
                }
            };
            match timeout_at(end, next).await {
                Err(_) => return Err(LoginError::TimedOut { within, strangers }),
                Ok(Next::Visitor(Ok((stream, _)))) => {
                    let (state, port) = (state.to_owned(), self.port);
                    visits.spawn(async move {
                        timeout(HEAD, visit(stream, port, &state)).await.unwrap_or(None)
                    });
                }
                Ok(Next::Visitor(Err(error))) => return Err(LoginError::Listen(error)),
                Ok(Next::Heard(Some(Heard::Ours(callback)))) => return Ok(callback),
                Ok(Next::Heard(Some(Heard::Stranger))) => strangers += 1,
                Ok(Next::Heard(None)) => {}
            }
        }
    }
}

enum Next {
    Visitor(io::Result<(TcpStream, std::net::SocketAddr)>),
    Heard(Option<Heard>),
}

enum Heard {
    Ours(Callback),
    Stranger,
}

/// Reads one request and answers it; `None` if it was none that could matter.
async fn visit(mut stream: TcpStream, port: u16, state: &str) -> Option<Heard> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut chunk = [0; 1024];
        let length = stream.read(&mut chunk).await.ok()?;
        if length == 0 || head.len() + length > MAX_HEAD {
            return None;
        }
        head.extend_from_slice(&chunk[..length]);
    }
    let head = String::from_utf8(head).ok()?;
    match callback(&head, port) {
        Some(found) if is_same(&found.state, state) => {
            answer(&mut stream, "200 OK", "The login goes on in the terminal. Close this page.")
                .await;
            Some(Heard::Ours(found))
        }
        Some(_) => {
            answer(&mut stream, "400 Bad Request", "This is not the login that was begun.").await;
            Some(Heard::Stranger)
        }
        None => {
            answer(&mut stream, "404 Not Found", "There is nothing here.").await;
            None
        }
    }
}

/// What is brought back in a request with this head; `None` if it is for somebody else.
fn callback(head: &str, port: u16) -> Option<Callback> {
    let (line, fields) = head.split_once("\r\n")?;
    let mut words = line.split(' ');
    let (verb, target) = (words.next()?, words.next()?);
    // A page that has its name lead here would send that name.
    let host = fields.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim().to_owned())
    })?;
    let is_ours = host == format!("127.0.0.1:{port}");
    if verb != "GET" || !target.starts_with('/') || !is_ours {
        return None;
    }
    let url = Url::parse(&format!("http://127.0.0.1{target}")).ok()?;
    if url.path() != PATH {
        return None;
    }
    let mut callback = Callback::default();
    let mut seen = Vec::new();
    for (name, value) in url.query_pairs() {
        let value = value.into_owned();
        match &*name {
            // Which of two would be meant is for an attacker to choose.
            name if seen.iter().any(|it| it == name) => return None,
            "state" => callback.state = value,
            "code" => callback.code = Some(value),
            "iss" => callback.issuer = Some(value),
            "error" => callback.error = Some(value),
            _ => continue,
        }
        seen.push(name.into_owned());
    }
    Some(callback)
}

/// Compares without telling by the time it takes how much of a guess was right.
fn is_same(given: &str, wanted: &str) -> bool {
    let differs = given.bytes().zip(wanted.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    given.len() == wanted.len() && !wanted.is_empty() && differs == 0
}

async fn answer(stream: &mut TcpStream, status: &str, text: &str) {
    let length = text.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{text}"
    );
    // Whoever does not read it has been heard all the same.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: &str, host: &str) -> Option<Callback> {
        callback(&format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"), 7)
    }

    #[test]
    fn what_is_a_callback() {
        let found = check("/callback?state=s&code=c%20d&iss=https://x", "127.0.0.1:7").unwrap();
        assert_eq!((found.state.as_str(), found.code.as_deref()), ("s", Some("c d")));
        assert_eq!(found.issuer.as_deref(), Some("https://x"));
        for (target, host) in [
            ("/other?state=s&code=c", "127.0.0.1:7"),
            ("/callback?state=s&code=c", "evil.org:7"),
            ("/callback?state=s&code=c", "127.0.0.1:8"),
            ("/callback?state=s&code=c&code=d", "127.0.0.1:7"),
            ("/callback?state=s&state=t&code=c", "127.0.0.1:7"),
            ("http://evil.org/callback?state=s", "127.0.0.1:7"),
        ] {
            assert!(check(target, host).is_none(), "{target} {host}");
        }
        assert!(
            callback("POST /callback?state=s HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n", 7).is_none()
        );
        assert!(callback("", 7).is_none());
    }

    #[test]
    fn a_secret_word_is_compared_whole() {
        assert!(is_same("abc", "abc"));
        for (given, wanted) in [("", ""), ("ab", "abc"), ("abcd", "abc"), ("abd", "abc")] {
            assert!(!is_same(given, wanted), "{given:?}");
        }
    }

    async fn get(port: u16, target: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let text = format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn strangers_change_nothing() {
        let listener = Listener::bind().await.unwrap();
        let port = listener.port;
        // One that never says anything does not keep the others waiting.
        let silent = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let waiting = tokio::spawn(listener.wait("right", Duration::from_secs(20)));
        assert!(get(port, "/callback?state=wrong&code=evil").await.starts_with("HTTP/1.1 400"));
        assert!(get(port, "/favicon.ico").await.starts_with("HTTP/1.1 404"));
        assert!(get(port, "/callback?state=right&code=good").await.starts_with("HTTP/1.1 200"));
        let found = waiting.await.unwrap().unwrap_or_default();
        assert_eq!(found.code.as_deref(), Some("good"));
        drop(silent);
    }

    #[tokio::test]
    async fn nobody_comes() {
        let listener = Listener::bind().await.unwrap();
        let port = listener.port;
        let waiting = tokio::spawn(listener.wait("right", Duration::from_secs(1)));
        get(port, "/callback?state=wrong&code=evil").await;
        let Err(error) = waiting.await.unwrap() else { panic!("a stranger was let in") };
        assert!(error.to_string().contains("1 answers came"), "{error}");
    }
}
