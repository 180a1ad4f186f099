//! What a program that runs for a while writes for people.

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    net::unix::pipe,
};

use crate::tool::outcome::shortened;

/// How much of its messages is kept for an error.
const MESSAGES: u64 = 64 * 1024;

/// The last part of what a program writes for people. All of it goes to the log.
pub(crate) async fn collect(stderr: pipe::Receiver, tool: String) -> String {
    let mut lines = BufReader::new(stderr);
    let (mut kept, mut line) = (String::new(), Vec::new());
    loop {
        line.clear();
        match (&mut lines).take(MESSAGES).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return kept,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        tracing::info!(tool, "{}", text.trim_end());
        kept.push_str(&text);
        if kept.len() as u64 > 2 * MESSAGES {
            kept = shortened(&kept);
        }
    }
}
