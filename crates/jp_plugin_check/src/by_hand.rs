//! A plugin that somebody starts by hand: there is no host, and a person at the keyboard.

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    time::{Duration, timeout},
};

use crate::{
    CannotStart, Patience, Program, Started,
    finding::{Finding, short},
    wire,
};

/// How much of what it writes to stdout is looked at.
const MOST: u64 = 4096;

const FIX: &str = "if stdin is a terminal, print what the plugin is to stderr, and end";

/// Starts the plugin with a terminal as its stdin, on which nobody types.
pub async fn by_hand(
    program: &dyn Program,
    patience: Patience,
) -> Result<Vec<Finding>, CannotStart> {
    let finding = Finding::new("by_hand", "explains itself to somebody who starts it by hand");
    let Some(Started { stdin, stdout, stderr, end }) = program.start_by_hand().await? else {
        return Ok(vec![finding.skipped("there is no terminal to start it with")]);
    };
    let (kept, draining) = wire::drain(stderr);
    let written = tokio::spawn(start_of(stdout));
    let ended = timeout(patience.grace, end).await;
    drop(stdin);
    // What is still in the pipes when it has ended is there in a moment.
    let moment = Duration::from_millis(200);
    let _ = timeout(moment, draining).await;
    let written = timeout(moment, written).await.ok().and_then(Result::ok).unwrap_or_default();
    let said = String::from_utf8_lossy(&kept.lock().await).trim().to_owned();
    let problem = if ended.is_err() {
        Some(format!("it was still there {} seconds later", patience.grace.as_secs()))
    } else if !written.is_empty() {
        Some(format!("it wrote to stdout: {}", short(&written)))
    } else {
        said.is_empty().then(|| "it ended without a word".to_owned())
    };
    Ok(vec![finding.fails(problem, FIX)])
}

/// The beginning of what is written; the rest is read too, so that nobody waits.
async fn start_of(mut stdout: Box<dyn AsyncRead + Send + Unpin>) -> String {
    let mut bytes = Vec::new();
    let _ = (&mut stdout).take(MOST).read_to_end(&mut bytes).await;
    let _ = tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&bytes).trim().to_owned()
}
