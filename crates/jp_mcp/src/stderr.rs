//! The end of what a server writes to stderr.
//!
//! It is what explains a crash, so it is read all the time and its end is kept. A server that floods it
//! costs no more memory than one that is silent, and is never held up by a full pipe.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::watch,
    time::timeout,
};

use crate::limits::STDERR_TAIL;

/// The last bytes of a stream. A clone is the same tail.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: watch::Receiver<bool>,
}

impl Tail {
    /// Reads the stream until its end, in a task of its own.
    pub(crate) fn of(mut stream: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (end, ended) = watch::channel(false);
        let tail = Self { kept, ended };
        let ours = tail.clone();
        tokio::spawn(async move {
            let mut chunk = vec![0; 8192];
            while let Ok(length @ 1..) = stream.read(&mut chunk).await {
                ours.push(&chunk[..length]);
            }
            let _ = end.send(true);
        });
        tail
    }

    /// What was kept so far. Words of the server: not to be trusted.
    pub(crate) fn text(&self) -> String {
        let mut kept = self.lock();
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }

    /// What was kept when the stream has ended; or, where something holds it open, what there is then.
    pub(crate) async fn last_words(&self, patience: Duration) -> String {
        let mut ended = self.ended.clone();
        let _ = timeout(patience, ended.wait_for(|ended| *ended)).await;
        self.text()
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.lock();
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(STDERR_TAIL);
        kept.drain(..surplus);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        // Nothing is done under the lock that could be left half done by a panic.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_kept_and_no_more() {
        let mut flood = vec![b'a'; 3 * STDERR_TAIL];
        flood.extend(b"the reason\n");
        let tail = Tail::of(std::io::Cursor::new(flood));
        let text = tail.last_words(Duration::from_secs(5)).await;
        assert_eq!(text.len(), STDERR_TAIL);
        assert!(text.ends_with("the reason\n"));
    }

    #[tokio::test]
    async fn a_stream_that_stays_open_is_not_waited_for() {
        let (mut ours, theirs) = tokio::io::duplex(64);
        let tail = Tail::of(theirs);
        tokio::io::AsyncWriteExt::write_all(&mut ours, b"so far").await.unwrap();
        let text = tail.last_words(Duration::from_millis(50)).await;
        assert_eq!(text, "so far");
    }
}
