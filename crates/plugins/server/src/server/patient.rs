//! A stream that waits for its reader, but not for ever.
//!
//! Whoever asks for a large answer and reads nothing of it, or a byte now and then, would hold a connection
//! and the answer. So a reader has credit, which is time that we wait: it runs out while a write waits, and
//! what is read earns some of it back, at a rate. Whoever reads at that rate or faster is never left, and
//! where there is nothing to write nobody waits: events that go on for hours cost no credit.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// How slowly a client may read.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How long nothing at all may be read, and the most credit there is.
    pub credit: Duration,
    /// How many bytes earn a second.
    pub rate: u32,
}

/// A stream, and the credit of whoever reads from it.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: S,
    patience: Patience,
    credit: Duration,
    /// Ends with the credit, while a write waits.
    clock: Pin<Box<Sleep>>,
    /// Since when one does.
    waiting: Option<Instant>,
}

impl<S> Patient<S> {
    /// Has to be called within a runtime, whose clock it uses.
    pub(super) fn new(stream: S, patience: Patience) -> Self {
        let clock = Box::pin(sleep(patience.credit));
        Self { stream, patience, credit: patience.credit, clock, waiting: None }
    }

    /// What to say of a write: what it says itself, or that it took too long.
    fn judge(
        &mut self,
        cx: &mut Context<'_>,
        write: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = write {
            self.earn(*written.as_ref().unwrap_or(&0));
            return Poll::Ready(written);
        }
        if self.waiting.is_none() {
            let now = Instant::now();
            self.waiting = Some(now);
            self.clock.as_mut().reset(now + self.credit);
        }
        ready!(self.clock.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn earn(&mut self, bytes: usize) {
        if let Some(began) = self.waiting.take() {
            self.credit = self.credit.saturating_sub(began.elapsed());
        }
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let earned = Duration::from_secs(bytes.into()) / self.patience.rate.max(1);
        self.credit = self.credit.saturating_add(earned).min(self.patience.credit);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.judge(cx, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.judge(cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// A socket has nothing to flush.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::timeout,
    };

    use super::*;

    const PATIENCE: Patience = Patience { credit: Duration::from_secs(30), rate: 16 };
    const ALL: usize = 1_000;

    /// Writes to somebody who reads one byte after each pause; how long that took, and how it ended.
    async fn write_to(pause: Duration) -> (Duration, io::Result<()>) {
        let (ours, mut theirs) = duplex(1);
        let mut patient = Patient::new(ours, PATIENCE);
        let began = Instant::now();
        tokio::spawn(async move {
            loop {
                sleep(pause).await;
                if theirs.read_u8().await.is_err() {
                    return;
                }
            }
        });
        let write = patient.write_all(&[7; ALL]);
        let written = timeout(Duration::from_hours(24), write).await.unwrap();
        (began.elapsed(), written)
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_stops_is_left() {
        let (time, written) = write_to(Duration::from_hours(1)).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(time.as_secs(), 30);
    }

    /// A byte now and then is no reading: each comes in time, all of them together do not.
    #[tokio::test(start_paused = true)]
    async fn a_reader_that_dawdles_is_left() {
        let (time, written) = write_to(Duration::from_secs(10)).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(time.as_secs() < 40, "{time:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_waited_for() {
        let (time, written) = write_to(Duration::from_secs(1) / 17).await;
        assert!(written.is_ok() && time.as_secs() > 50, "{time:?} {written:?}");
    }

    /// Whoever has nothing to read for hours owes nothing.
    #[tokio::test(start_paused = true)]
    async fn events_that_go_on_are_written() {
        let (ours, mut theirs) = duplex(8);
        let mut patient = Patient::new(ours, PATIENCE);
        for _ in 0..100 {
            sleep(Duration::from_mins(10)).await;
            patient.write_all(&[7; 8]).await.unwrap();
            theirs.read_exact(&mut [0; 8]).await.unwrap();
        }
    }
}
