//! A browser for the conformance suite: it goes where it is sent, and on to where it is redirected.
//!
//! The authorization servers of the suite ask nobody and send the browser back at once, with a code or with
//! what a scenario has instead. So the place that it comes back to is the real one.

use std::io;
use std::time::Duration;

use jp_mcp::BoxFuture;
use jp_mcp::oauth::Browser;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

/// So many pages are looked at.
const PAGES: usize = 3;
/// So long they may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Says yes to everything.
#[derive(Debug)]
pub(crate) struct Agreeing;

impl Browser for Agreeing {
    fn show<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let mut next = Some(url.clone());
            for _ in 0..PAGES {
                let Some(url) = next else { break };
                next = timeout(PATIENCE, get(&url)).await.ok().and_then(Result::ok).flatten();
            }
        })
    }
}

/// Gets a page; where it leads to, if it is a redirect.
async fn get(url: &Url) -> io::Result<Option<Url>> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(80);
    let mut stream = TcpStream::connect((host, port)).await?;
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let request =
        format!("GET {target} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(location(&answer).and_then(|location| url.join(location).ok()))
}

fn location(answer: &str) -> Option<&str> {
    let fields = answer.lines().take_while(|line| !line.is_empty());
    fields
        .filter_map(|line| line.split_once(": "))
        .find_map(|(name, value)| name.eq_ignore_ascii_case("location").then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_is_found() {
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/a?b=c\r\n\r\nlocation: no";
        assert_eq!(location(answer), Some("http://127.0.0.1:1/a?b=c"));
        assert_eq!(location("HTTP/1.1 200 OK\r\n\r\nlocation: no"), None);
    }
}
