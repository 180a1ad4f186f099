//! The two pipes of a plugin: lines out of one, lines into the other, as fast or slow as a case wants it.

use std::{sync::Arc, time::Duration};

use jp_plugin::MAX_LINE;
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
        BufReader,
    },
    sync::{Mutex, mpsc},
    task::JoinHandle,
    time::sleep,
};

/// How much of what is written to stderr is kept.
const STDERR: usize = 4096;

/// How fast lines are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    Full,
    /// A few bytes at a time, with pauses between them.
    Pieces,
    /// Each line a while after it was asked for.
    Late,
}

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Line(Vec<u8>),
    TooLong,
}

/// Reads the lines that are not empty. The channel ends with the output.
pub(crate) fn hear(
    stdout: Box<dyn AsyncRead + Send + Unpin>,
    pace: Pace,
) -> (mpsc::Receiver<Heard>, JoinHandle<()>) {
    // Few, because each may be as long as a line can be.
    let (sender, receiver) = mpsc::channel(2);
    let capacity = if pace == Pace::Pieces { 16 } else { 64 * 1024 };
    let mut reader = BufReader::with_capacity(capacity, stdout);
    let task = tokio::spawn(async move {
        loop {
            let mut line = Vec::new();
            // One more than is allowed, and the end of the line.
            let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX).saturating_add(2);
            match (&mut reader).take(most).read_until(b'\n', &mut line).await {
                Ok(length) if length > 0 => {}
                _ => return,
            }
            let ends = line.pop_if(|byte| *byte == b'\n').is_some();
            let heard = if line.len() > MAX_LINE { Heard::TooLong } else { Heard::Line(line) };
            let is_last = heard == Heard::TooLong && !ends;
            let is_empty = matches!(&heard, Heard::Line(line) if line.trim_ascii().is_empty());
            if (!is_empty && sender.send(heard).await.is_err()) || is_last {
                return;
            }
            if pace == Pace::Pieces {
                sleep(Duration::from_millis(2)).await;
            }
        }
    });
    (receiver, task)
}

/// Writes lines until the channel ends, and closes the input then.
pub(crate) fn say(
    mut stdin: Box<dyn AsyncWrite + Send + Unpin>,
    pace: Pace,
) -> (mpsc::UnboundedSender<Vec<u8>>, JoinHandle<()>) {
    let (sender, mut lines) = mpsc::unbounded_channel::<Vec<u8>>();
    let task = tokio::spawn(async move {
        while let Some(line) = lines.recv().await {
            // A plugin that has ended does not read; what it said before can still be heard.
            if write(&mut stdin, &line, pace).await.is_err() {
                return;
            }
        }
        let _ = stdin.shutdown().await;
    });
    (sender, task)
}

/// Reads what is for people, so that the plugin never has to wait for a reader.
pub(crate) fn drain(
    mut stderr: Box<dyn AsyncRead + Send + Unpin>,
) -> (Arc<Mutex<Vec<u8>>>, JoinHandle<()>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&kept);
    let task = tokio::spawn(async move {
        let mut bytes = [0; 1024];
        while let Ok(length @ 1..) = stderr.read(&mut bytes).await {
            let mut kept = to.lock().await;
            let room = STDERR.saturating_sub(kept.len()).min(length);
            kept.extend_from_slice(&bytes[..room]);
        }
    });
    (kept, task)
}

async fn write(
    stdin: &mut (dyn AsyncWrite + Send + Unpin),
    line: &[u8],
    pace: Pace,
) -> std::io::Result<()> {
    match pace {
        Pace::Full => stdin.write_all(line).await?,
        Pace::Late => {
            sleep(Duration::from_millis(300)).await;
            stdin.write_all(line).await?;
        }
        Pace::Pieces => {
            // Small at first, where mistakes show; then larger, so that it comes to an end.
            for (n, piece) in line.chunks(1 + line.len() / 40).enumerate() {
                stdin.write_all(piece).await?;
                stdin.flush().await?;
                sleep(Duration::from_millis(if n < 10 { 10 } else { 1 })).await;
            }
        }
    }
    stdin.flush().await
}
